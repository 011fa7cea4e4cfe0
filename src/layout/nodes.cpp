#include "layout/nodes.hpp"

#include <set>
#include <string>
#include <utility>

#include "layout/arithmetic.hpp"

namespace pario::layout {

namespace {

using Node = Layout::Node;
using Kind = Node::Kind;

Offset own_bytes(const Node& node) {
    const std::size_t bytes = sizeof(Node) +
                              (node.offsets.capacity() + node.stream.capacity()) * sizeof(Offset) +
                              node.children.capacity() * sizeof(NodePointer);
    return static_cast<Offset>(bytes);
}

/// What every kind needs once its children are in place.
NodePointer finish(Node&& node) {
    checked_subtract(node.upper, node.lower);  // distances inside a layout need no checks later
    node.footprint = own_bytes(node);
    for (const NodePointer& child : node.children) {
        node.depth = std::max(node.depth, child->depth + 1);
        node.footprint = saturating_add(node.footprint, child->footprint);
    }
    if (node.depth > Layout::max_depth) {
        throw base::Error(
            base::Errc::argument,
            "the layout is nested more than " + std::to_string(Layout::max_depth) + " levels deep");
    }
    return std::make_shared<const Node>(std::move(node));
}

/// Takes another child at `offset` into size, bounds, blocks and order.
void append(Node& node, const Node& child, Offset offset) {
    const Offset lower = checked_add(offset, child.lower);
    const Offset upper = checked_add(offset, child.upper);
    const bool in_order = node.size == 0 || node.upper <= lower;
    node.is_monotone = node.is_monotone && child.is_monotone && in_order;
    node.lower = std::min(node.lower, lower);
    node.upper = std::max(node.upper, upper);
    node.size = checked_add(node.size, child.size);
    node.num_blocks = saturating_add(node.num_blocks, child.num_blocks);
}

Node empty_node(Kind kind, std::size_t count) {
    Node node;
    node.kind = kind;
    node.count = static_cast<Offset>(count);
    node.num_blocks = 0;
    return node;
}

Node plain_block(Offset length) {
    Node node;
    node.size = length;
    node.upper = length;
    return node;
}

}  // namespace

NodePointer make_block(Offset length) {
    return finish(plain_block(length));
}

NodePointer make_strided(Offset count, Offset stride, NodePointer child) {
    const Offset last = checked_multiply(count - 1, stride);
    Node node;
    node.kind = Kind::strided;
    node.count = count;
    node.stride = stride;
    node.size = checked_multiply(count, child->size);
    node.lower = checked_add(child->lower, std::min<Offset>(0, last));
    node.upper = checked_add(child->upper, std::max<Offset>(0, last));
    node.num_blocks = saturating_multiply(count, child->num_blocks);
    // A monotone child spans [0, upper), so copies in order and apart are all that is needed.
    node.is_monotone = child->is_monotone && stride >= child->upper;
    node.children.push_back(std::move(child));
    return finish(std::move(node));
}

NodePointer make_indexed(std::vector<Offset> offsets, NodePointer child) {
    Node node = empty_node(Kind::indexed, offsets.size());
    for (const Offset offset : offsets) {
        append(node, *child, offset);
    }
    node.offsets = std::move(offsets);
    node.children.push_back(std::move(child));
    return finish(std::move(node));
}

NodePointer make_pieces(std::span<const Piece> pieces) {
    Node node = empty_node(Kind::pieces, pieces.size());
    node.offsets.reserve(pieces.size());
    node.stream.reserve(pieces.size() + 1);
    for (const Piece& piece : pieces) {
        node.offsets.push_back(checked_subtract(piece.offset, pieces[0].offset));
        node.stream.push_back(node.size);
        append(node, plain_block(piece.length), node.offsets.back());
    }
    node.stream.push_back(node.size);
    return finish(std::move(node));
}

NodePointer make_structure(std::vector<Offset> offsets, std::vector<NodePointer> children) {
    Node node = empty_node(Kind::structure, offsets.size());
    node.stream.reserve(offsets.size() + 1);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        node.stream.push_back(node.size);
        append(node, *children[i], offsets[i]);
    }
    node.stream.push_back(node.size);
    node.offsets = std::move(offsets);
    node.children = std::move(children);
    return finish(std::move(node));
}

namespace {

/// Compares trees. Children that many parents share are compared once, not once a path.
class Comparison {
  public:
    bool same(const Node& a, const Node& b) {
        if (&a == &b) {
            return true;
        }
        const bool same_values = a.kind == b.kind && a.size == b.size && a.lower == b.lower &&
                                 a.upper == b.upper && a.count == b.count && a.stride == b.stride &&
                                 a.num_blocks == b.num_blocks;
        if (!same_values || a.offsets != b.offsets || a.stream != b.stream) {
            return false;
        }
        return a.kind == Kind::structure ? same_parts(a, b)
                                         : a.children.empty() || same(a.child(0), b.child(0));
    }

  private:
    bool same_parts(const Node& a, const Node& b) {
        if (known_.contains({&a, &b})) {
            return true;
        }
        for (Offset i = 0; i < a.count; ++i) {
            if (!same(a.child(i), b.child(i))) {
                return false;
            }
        }
        known_.insert({&a, &b});
        return true;
    }

    std::set<std::pair<const Node*, const Node*>> known_;
};

}  // namespace

bool same(const Node& a, const Node& b) {
    return Comparison().same(a, b);
}

}  // namespace pario::layout

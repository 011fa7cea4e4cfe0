#include "layout/layout.hpp"

#include <string>
#include <utility>

#include "layout/arithmetic.hpp"
#include "layout/nodes.hpp"

namespace pario::layout {

using Kind = Layout::Node::Kind;

Layout::Layout() = default;

Layout::Layout(std::shared_ptr<const Node> root, Offset shift)
    : root_(std::move(root)), shift_(root_ ? shift : 0) {
    if (root_) {
        checked_add(root_->lower, shift_);
        checked_add(root_->upper, shift_);
    }
}

Layout Layout::shifted(Offset by) const {
    return root_ ? Layout(root_, checked_add(shift_, by)) : Layout();
}

Offset Layout::size() const noexcept {
    return root_ ? root_->size : 0;
}
Offset Layout::lower() const noexcept {
    return root_ ? shift_ + root_->lower : 0;
}
Offset Layout::upper() const noexcept {
    return root_ ? shift_ + root_->upper : 0;
}
Offset Layout::num_blocks() const noexcept {
    return root_ ? root_->num_blocks : 0;
}
bool Layout::is_contiguous() const noexcept {
    return root_ && root_->kind == Kind::block;
}
bool Layout::is_monotone() const noexcept {
    return !root_ || root_->is_monotone;
}

std::size_t Layout::footprint_bytes() const noexcept {
    return sizeof(Layout) + static_cast<std::size_t>(root_ ? root_->footprint : 0);
}

bool operator==(const Layout& a, const Layout& b) {
    if (a.is_empty() || b.is_empty()) {
        return a.is_empty() == b.is_empty();
    }
    return a.shift_ == b.shift_ && same(*a.root_, *b.root_);
}

void check_range(const Layout& layout, Offset begin, Offset end) {
    if (begin < 0 || begin > end || end > layout.size()) {
        throw base::Error(base::Errc::argument,
                          "stream bytes [" + std::to_string(begin) + ", " + std::to_string(end) +
                              ") are not within a layout of " + std::to_string(layout.size()) +
                              " bytes");
    }
}

Piece Layout::piece_at(Offset stream) const {
    check_range(*this, stream, checked_add(stream, 1));
    const Node* node = root_.get();
    Offset at = shift_;
    while (node->kind != Kind::block) {
        const Offset index = node->child_holding(stream);
        at += node->offset_of_child(index);
        stream -= node->stream_of_child(index);
        if (node->kind == Kind::pieces) {
            return {at + stream, node->size_of_child(index) - stream};
        }
        node = &node->child(index);
    }
    return {at + stream, node->size - stream};
}

Offset Layout::offset_of(Offset stream) const {
    return piece_at(stream).offset;
}

namespace {

/// The last child of a monotone node that starts at or below `offset` >= 0.
Offset child_reaching(const Layout::Node& node, Offset offset) {
    if (node.kind == Kind::strided) {
        return std::min(offset / node.stride, node.count - 1);
    }
    return std::ranges::upper_bound(node.offsets, offset) - node.offsets.begin() - 1;
}

}  // namespace

Offset Layout::bytes_below(Offset offset) const {
    if (!is_monotone()) {
        throw base::Error(base::Errc::internal, "bytes_below of a layout that is not monotone");
    }
    if (offset <= lower()) {
        return 0;
    }
    if (offset >= upper()) {
        return size();
    }
    const Node* node = root_.get();
    Offset at = offset - shift_;  // > 0: a monotone layout starts at lower()
    Offset below = 0;
    while (at > 0 && node->kind != Kind::block) {
        const Offset index = child_reaching(*node, at);
        at -= node->offset_of_child(index);
        below += node->stream_of_child(index);
        if (node->kind == Kind::pieces) {
            return below + std::min(at, node->size_of_child(index));
        }
        node = &node->child(index);
    }
    return below + std::min(at, node->size);
}

namespace {

using Node = Layout::Node;

/// Children [first, last) of `node`, where the first stream byte of `node` is at offset 0.
Layout some_children(const Node& node, Offset first, Offset last) {
    const std::span<const Offset> offsets(node.offsets);
    if (node.kind == Kind::strided) {
        return Layout::strided(last - first, node.stride, Layout(node.children[0], 0))
            .shifted(first * node.stride);
    }
    if (node.kind == Kind::indexed) {
        return Layout::indexed(offsets.subspan(static_cast<std::size_t>(first),
                                               static_cast<std::size_t>(last - first)),
                               Layout(node.children[0], 0));
    }
    if (node.kind == Kind::pieces) {
        std::vector<Piece> pieces;
        for (Offset i = first; i < last; ++i) {
            pieces.push_back({node.offset_of_child(i), node.size_of_child(i)});
        }
        return Layout::pieces(pieces);
    }
    std::vector<Part> parts;
    for (Offset i = first; i < last; ++i) {
        parts.push_back(
            {node.offset_of_child(i), Layout(node.children[static_cast<std::size_t>(i)], 0)});
    }
    return Layout::structure(parts);
}

Layout slice_of(const NodePointer& pointer, Offset begin, Offset end) {
    const Node& node = *pointer;
    if (begin == 0 && end == node.size) {
        return Layout(pointer, 0);
    }
    if (node.kind == Kind::block) {
        return Layout::block(end - begin).shifted(begin);
    }
    std::vector<Part> parts;
    split_range(
        node,
        begin,
        end,
        [&](Offset index, Offset part_begin, Offset part_end) {
            const Offset at = node.offset_of_child(index);
            if (node.kind == Kind::pieces) {
                parts.push_back({at + part_begin, Layout::block(part_end - part_begin)});
            } else {
                const auto child = node.kind == Kind::structure ? index : 0;
                parts.push_back(
                    {at,
                     slice_of(
                         node.children[static_cast<std::size_t>(child)], part_begin, part_end)});
            }
        },
        [&](Offset first, Offset last) { parts.push_back({0, some_children(node, first, last)}); });
    return Layout::structure(parts);
}

}  // namespace

Layout Layout::slice(Offset begin, Offset end) const {
    check_range(*this, begin, end);
    return begin == end ? Layout() : slice_of(root_, begin, end).shifted(shift_);
}

namespace {

constexpr int described_levels = 8;
constexpr Offset described_parts = 4;

std::string describe_node(const Node& node, int levels);

std::string describe_parts(const Node& node, int levels) {
    std::string text;
    for (Offset i = 0; i < std::min(node.count, described_parts); ++i) {
        text += i > 0 ? ", " : "";
        text += node.kind == Kind::pieces ? std::to_string(node.size_of_child(i)) + " B"
                                          : describe_node(node.child(i), levels / 2);
        text += " at " + std::to_string(node.offset_of_child(i));
    }
    return text + (node.count > described_parts ? ", ..." : "");
}

std::string describe_node(const Node& node, int levels) {
    if (levels == 0) {
        return "...";
    }
    const std::string count = std::to_string(node.count);
    switch (node.kind) {
        case Kind::block:
            return "block " + std::to_string(node.size) + " B";
        case Kind::strided:
            return "strided(" + count + " x " + std::to_string(node.stride) + " B, " +
                   describe_node(node.child(0), levels - 1) + ")";
        case Kind::indexed:
            return "indexed(" + count + ", " + describe_node(node.child(0), levels - 1) + ")";
        case Kind::pieces:
            return "pieces(" + count + ": " + describe_parts(node, levels) + ")";
        case Kind::structure:
            break;
    }
    return "structure(" + count + ": " + describe_parts(node, levels) + ")";
}

}  // namespace

std::string Layout::describe() const {
    if (is_empty()) {
        return "empty";
    }
    const std::string text = describe_node(*root_, described_levels);
    return shift_ == 0 ? text : text + " at " + std::to_string(shift_);
}

}  // namespace pario::layout

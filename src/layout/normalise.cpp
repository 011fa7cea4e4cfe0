/// The constructors of Layout: each gives the smallest tree it can find for what it was asked.
#include <optional>
#include <string>
#include <utility>

#include "layout/arithmetic.hpp"
#include "layout/nodes.hpp"

namespace pario::layout {

namespace {

using Node = Layout::Node;
using Kind = Node::Kind;

void require_not_negative(Offset value, const char* what) {
    if (value < 0) {
        throw base::Error(base::Errc::argument,
                          std::string(what) + " of a layout is negative: " + std::to_string(value));
    }
}

/// `node` with its first stream byte at `at`.
Layout placed(NodePointer node, Offset at) {
    return Layout(std::move(node), at);
}

/// How many offsets from the start on keep one distance.
std::size_t regular_length(std::span<const Offset> offsets) {
    std::size_t length = 2;
    while (length < offsets.size() && continues_at(offsets[0],
                                                   static_cast<Offset>(length),
                                                   checked_subtract(offsets[1], offsets[0]),
                                                   offsets[length])) {
        ++length;
    }
    return length;
}

/// Whether every group of `length` offsets repeats the distances of the first.
bool repeats(std::span<const Offset> offsets, std::size_t length) {
    if (offsets.size() % length != 0) {
        return false;
    }
    const Offset stride = offsets[1] - offsets[0];
    for (std::size_t i = length; i < offsets.size(); ++i) {
        const std::size_t in_group = i % length;
        if (!continues_at(
                offsets[i - in_group], static_cast<Offset>(in_group), stride, offsets[i])) {
            return false;
        }
    }
    return true;
}

bool any_adjacent(std::span<const Offset> offsets, Offset length) {
    for (std::size_t i = 1; i < offsets.size(); ++i) {
        if (continues_at(offsets[i - 1], 1, length, offsets[i])) {
            return true;
        }
    }
    return false;
}

/// Pieces of one length at offsets that may touch.
Layout merged_blocks(std::span<const Offset> offsets, Offset length, Offset shift) {
    std::vector<Piece> pieces;
    pieces.reserve(offsets.size());
    for (const Offset offset : offsets) {
        pieces.push_back({checked_add(offset, shift), length});
    }
    return Layout::pieces(pieces);
}

Layout irregular(std::span<const Offset> offsets, const Layout& child) {
    std::vector<Offset> moved;
    moved.reserve(offsets.size());
    for (const Offset offset : offsets) {
        moved.push_back(checked_subtract(offset, offsets[0]));
    }
    return placed(make_indexed(std::move(moved), child.root()),
                  checked_add(offsets[0], child.shift()));
}

/// Drops empty pieces and joins those that touch.
std::vector<Piece> joined(std::span<const Piece> pieces) {
    std::vector<Piece> result;
    result.reserve(pieces.size());
    for (const Piece& piece : pieces) {
        require_not_negative(piece.length, "a piece");
        if (piece.length == 0) {
            continue;
        }
        if (!result.empty() &&
            continues_at(result.back().offset, 1, result.back().length, piece.offset)) {
            result.back().length = checked_add(result.back().length, piece.length);
        } else {
            result.push_back(piece);
        }
    }
    return result;
}

}  // namespace

Layout Layout::block(Offset bytes) {
    require_not_negative(bytes, "the length");
    return bytes == 0 ? Layout() : placed(make_block(bytes), 0);
}

Layout Layout::strided(Offset count, Offset stride, const Layout& child) {
    require_not_negative(count, "the count");
    if (count == 0 || child.is_empty()) {
        return {};
    }
    if (count == 1) {
        return child;
    }
    const Node& node = *child.root_;
    if (node.kind == Kind::block && node.size == stride) {
        return placed(make_block(checked_multiply(count, stride)), child.shift_);
    }
    if (node.kind == Kind::strided && continues_at(0, node.count, node.stride, stride)) {
        return placed(
            make_strided(checked_multiply(count, node.count), node.stride, node.children[0]),
            child.shift_);
    }
    return placed(make_strided(count, stride, child.root_), child.shift_);
}

Layout Layout::indexed(std::span<const Offset> offsets, const Layout& child) {
    if (offsets.empty() || child.is_empty()) {
        return {};
    }
    if (offsets.size() == 1) {
        return child.shifted(offsets[0]);
    }
    if (child.is_contiguous() && any_adjacent(offsets, child.size())) {
        return merged_blocks(offsets, child.size(), child.shift_);
    }
    const std::size_t length = regular_length(offsets);
    if (!repeats(offsets, length)) {
        return irregular(offsets, child);
    }
    const Layout group =
        strided(static_cast<Offset>(length), checked_subtract(offsets[1], offsets[0]), child);
    std::vector<Offset> starts;
    for (std::size_t i = 0; i < offsets.size(); i += length) {
        starts.push_back(offsets[i]);
    }
    return indexed(starts, group);
}

Layout Layout::pieces(std::span<const Piece> pieces) {
    const std::vector<Piece> list = joined(pieces);
    if (list.empty()) {
        return {};
    }
    if (list.size() == 1) {
        return block(list[0].length).shifted(list[0].offset);
    }
    const auto has_first_length = [&](const Piece& piece) {
        return piece.length == list[0].length;
    };
    if (!std::ranges::all_of(list, has_first_length)) {
        return placed(make_pieces(list), list[0].offset);
    }
    std::vector<Offset> offsets;
    offsets.reserve(list.size());
    for (const Piece& piece : list) {
        offsets.push_back(piece.offset);
    }
    return indexed(offsets, block(list[0].length));
}

Layout Layout::tiled(const Layout& child, Offset extent) {
    if (extent <= 0) {
        throw base::Error(base::Errc::argument,
                          "the extent of a tile is not positive: " + std::to_string(extent));
    }
    if (child.is_empty()) {
        return {};
    }
    const Offset room = checked_subtract(tiled_limit, std::max<Offset>(child.upper(), 0));
    const Offset by_offset = room < 0 ? 1 : room / extent + 1;
    const Offset by_size = std::max<Offset>(1, tiled_limit / child.size());
    return strided(std::min(by_offset, by_size), extent, child);
}

namespace {

/// A part on its way into a structure; a block as long as `node` is null.
struct Item {
    Offset offset;
    Offset length;
    NodePointer node;
};

/// Nodes narrower than this are taken apart when they become parts of a structure, so that their
/// pieces can join their neighbours'. Wider ones stay shared.
constexpr Offset flat_width = 16;

/// Collects parts and joins each with the one before where they continue each other.
class PartList {
  public:
    void append(const NodePointer& node, Offset at) {
        const bool is_flat = node->count <= flat_width;
        const bool has_blocks =
            node->kind == Kind::pieces ||
            (node->kind == Kind::indexed && node->children[0]->kind == Kind::block);
        if (node->kind == Kind::block) {
            push({at, node->size, nullptr});
        } else if (is_flat && has_blocks) {
            for (Offset i = 0; i < node->count; ++i) {
                push({at + node->offset_of_child(i), node->size_of_child(i), nullptr});
            }
        } else if (is_flat && node->kind == Kind::structure) {
            for (Offset i = 0; i < node->count; ++i) {
                append(node->children[static_cast<std::size_t>(i)], at + node->offset_of_child(i));
            }
        } else {
            push({at, 0, node});
        }
    }

    /// All that was collected, as one layout.
    Layout assemble() && {
        PartList grouped;
        for (std::size_t i = 0; i < items_.size();) {
            i = group_from(i, grouped);
        }
        return grouped.as_layout();
    }

  private:
    void push(Item item) {
        items_.push_back(std::move(item));
        while (items_.size() > 1 && join_last_two()) {
        }
    }

    bool join_last_two() {
        const Item& a = items_[items_.size() - 2];
        const Item& b = items_.back();
        std::optional<Item> joined = a.node || b.node ? join_copies(a, b) : join_blocks(a, b);
        if (joined) {
            items_.pop_back();
            items_.back() = std::move(*joined);
        }
        return joined.has_value();
    }

    static std::optional<Item> join_blocks(const Item& a, const Item& b) {
        if (!continues_at(a.offset, 1, a.length, b.offset)) {
            return std::nullopt;
        }
        return Item{a.offset, checked_add(a.length, b.length), nullptr};
    }

    /// Two strided parts, or one and a further copy of its child, that make one longer.
    static std::optional<Item> join_copies(const Item& a, const Item& b) {
        const bool a_is_copies = a.node && a.node->kind == Kind::strided;
        const bool b_is_copies = b.node && b.node->kind == Kind::strided;
        if (a_is_copies && continues_at(a.offset, a.node->count, a.node->stride, b.offset)) {
            const NodePointer& child = a.node->children[0];
            if (is_shape(b, *child)) {
                return more_copies(a, *a.node, 1);
            }
            if (b_is_copies && a.node->stride == b.node->stride &&
                same(*child, *b.node->children[0])) {
                return more_copies(a, *a.node, b.node->count);
            }
        }
        if (b_is_copies && continues_at(a.offset, 1, b.node->stride, b.offset) &&
            is_shape(a, *b.node->children[0])) {
            return more_copies(a, *b.node, 1);
        }
        return std::nullopt;
    }

    static Item more_copies(const Item& first, const Node& copies, Offset more) {
        return {first.offset,
                0,
                make_strided(checked_add(copies.count, more), copies.stride, copies.children[0])};
    }

    static bool is_shape(const Item& item, const Node& node) {
        return item.node ? same(*item.node, node)
                         : node.kind == Kind::block && node.size == item.length;
    }

    /// Moves the item at `i`, with all blocks that follow a block, to `grouped`.
    std::size_t group_from(std::size_t i, PartList& grouped) {
        std::size_t end = i;
        std::vector<Piece> blocks;
        while (end < items_.size() && !items_[end].node) {
            blocks.push_back({items_[end].offset, items_[end].length});
            ++end;
        }
        if (blocks.size() < 2) {
            grouped.push(std::move(items_[i]));
            return i + 1;
        }
        const Layout group = Layout::pieces(blocks);
        grouped.push({group.shift(), 0, group.root()});
        return end;
    }

    Layout as_layout() {
        if (items_.empty()) {
            return {};
        }
        std::vector<Offset> offsets;
        std::vector<NodePointer> nodes;
        for (Item& item : items_) {
            offsets.push_back(item.offset);
            nodes.push_back(item.node ? std::move(item.node) : make_block(item.length));
        }
        const auto is_first = [&](const NodePointer& node) { return same(*node, *nodes[0]); };
        if (std::ranges::all_of(nodes, is_first)) {
            return Layout::indexed(offsets, placed(nodes[0], 0));
        }
        const Offset at = offsets[0];
        for (Offset& offset : offsets) {
            offset = checked_subtract(offset, at);
        }
        return placed(make_structure(std::move(offsets), std::move(nodes)), at);
    }

    std::vector<Item> items_;
};

}  // namespace

Layout Layout::structure(std::span<const Part> parts) {
    PartList list;
    for (const Part& part : parts) {
        if (!part.layout.is_empty()) {
            const Layout moved = part.layout.shifted(part.offset);
            list.append(moved.root_, moved.shift_);
        }
    }
    return std::move(list).assemble();
}

}  // namespace pario::layout

/// The tree behind a Layout, and the walk over it. Included by layout.hpp.
///
/// Every node is placed so that its first stream byte is at offset 0: what moves it is the offset
/// that its parent (or the Layout) keeps. So equal shapes are equal nodes wherever they lie.
#pragma once

#include <algorithm>

#include "layout/layout.hpp"

namespace pario::layout {

struct Layout::Node {
    /// block       one contiguous piece
    /// strided     `count` copies of one child, `stride` apart
    /// indexed     copies of one child at `offsets`
    /// pieces      contiguous pieces of various lengths at `offsets`
    /// structure   one child for each of `offsets`
    enum class Kind : std::uint8_t { block, strided, indexed, pieces, structure };
    using Pointer = std::shared_ptr<const Node>;

    Kind kind = Kind::block;
    bool is_monotone = true;
    int depth = 1;
    Offset size = 0;
    Offset lower = 0;  ///< <= 0: the first stream byte is at 0
    Offset upper = 0;
    Offset num_blocks = 1;
    Offset footprint = 0;  ///< bytes, with all children, saturating
    Offset count = 0;      ///< of copies, pieces or parts; 0 for a block
    Offset stride = 0;
    std::vector<Offset> offsets;
    std::vector<Offset> stream;     ///< pieces, structure: first stream byte of each; then `size`
    std::vector<Pointer> children;  ///< strided, indexed: one; structure: one for each part

    const Node& child(Offset index) const {
        return *children[kind == Kind::structure ? static_cast<std::size_t>(index) : 0];
    }
    Offset offset_of_child(Offset index) const {
        return kind == Kind::strided ? index * stride : offsets[static_cast<std::size_t>(index)];
    }
    bool has_equal_children() const { return kind == Kind::strided || kind == Kind::indexed; }
    Offset stream_of_child(Offset index) const {
        return has_equal_children() ? index * children[0]->size
                                    : stream[static_cast<std::size_t>(index)];
    }
    Offset size_of_child(Offset index) const {
        const auto i = static_cast<std::size_t>(index);
        return has_equal_children() ? children[0]->size : stream[i + 1] - stream[i];
    }
    /// The child that holds stream byte `at`.
    Offset child_holding(Offset at) const {
        if (has_equal_children()) {
            return at / children[0]->size;
        }
        return std::upper_bound(stream.begin(), stream.end(), at) - stream.begin() - 1;
    }
};

/// Cuts stream bytes [begin, end) of a node that is no block, begin < end, at its children's
/// borders, in stream order: on_part(index, begin, end) for a child that is cut (bytes of that
/// child), on_whole(first, last) for the children [first, last) between.
template <typename OnPart, typename OnWhole>
void split_range(
    const Layout::Node& node, Offset begin, Offset end, OnPart&& on_part, OnWhole&& on_whole) {
    Offset first = node.child_holding(begin);
    const Offset last = node.child_holding(end - 1);
    const Offset begin_in_first = begin - node.stream_of_child(first);
    const Offset end_in_last = end - node.stream_of_child(last);
    const bool last_is_cut = end_in_last < node.size_of_child(last);
    if (first == last && (begin_in_first > 0 || last_is_cut)) {
        on_part(first, begin_in_first, end_in_last);
        return;
    }
    if (begin_in_first > 0) {
        on_part(first, begin_in_first, node.size_of_child(first));
        ++first;
    }
    const Offset whole_end = last_is_cut ? last : last + 1;
    if (first < whole_end) {
        on_whole(first, whole_end);
    }
    if (last_is_cut) {
        on_part(last, 0, end_in_last);
    }
}

/// `count` equal runs, `stride` bytes apart: two loops that a kernel can run without coming back.
struct Grid {
    Run run;
    Offset stride;
    Offset count;
};

/// Walks a stream range in order and hands the sink pieces in the largest units the tree has:
///     sink.grid(const Grid&)
///     sink.list(Offset at, std::span<const Offset> offsets, Offset length): equal pieces
///     bool sink.copies(const Node& strided, Offset at, Offset count): optional; takes `count`
///         copies of the child of a strided node at once, or returns false to get them one by one
template <typename Sink>
class Walk {
  public:
    explicit Walk(Sink& sink) : sink_(sink) {}

    /// Stream bytes [begin, end), begin < end, of `node` placed at offset `at`.
    void range(const Layout::Node& node, Offset at, Offset begin, Offset end) {
        if (node.kind == Kind::block) {
            piece(at + begin, end - begin);
            return;
        }
        split_range(
            node,
            begin,
            end,
            [&](Offset index, Offset part_begin, Offset part_end) {
                const Offset child_at = at + node.offset_of_child(index);
                if (node.kind == Kind::pieces) {
                    piece(child_at + part_begin, part_end - part_begin);
                } else {
                    range(node.child(index), child_at, part_begin, part_end);
                }
            },
            [&](Offset first, Offset last) { children(node, at, first, last); });
    }

  private:
    using Kind = Layout::Node::Kind;

    void piece(Offset at, Offset length) { sink_.grid(Grid{{at, length, length, 1}, 0, 1}); }

    void whole(const Layout::Node& node, Offset at) {
        if (node.kind == Kind::block) {
            piece(at, node.size);
        } else {
            children(node, at, 0, node.count);
        }
    }

    void children(const Layout::Node& node, Offset at, Offset first, Offset last) {
        if (node.kind == Kind::strided) {
            copies(node, at + first * node.stride, last - first);
        } else if (node.kind == Kind::indexed && node.children[0]->kind == Kind::block) {
            const std::span<const Offset> offsets(node.offsets);
            sink_.list(at,
                       offsets.subspan(static_cast<std::size_t>(first),
                                       static_cast<std::size_t>(last - first)),
                       node.children[0]->size);
        } else if (node.kind == Kind::pieces) {
            for (Offset i = first; i < last; ++i) {
                piece(at + node.offset_of_child(i), node.size_of_child(i));
            }
        } else {
            for (Offset i = first; i < last; ++i) {
                whole(node.child(i), at + node.offset_of_child(i));
            }
        }
    }

    /// `count` copies of a strided node's child, the first at `at`.
    void copies(const Layout::Node& node, Offset at, Offset count) {
        const Layout::Node& child = *node.children[0];
        if (child.kind == Kind::block) {
            sink_.grid(Grid{{at, child.size, node.stride, count}, 0, 1});
        } else if (taken_at_once(node, at, count)) {
            return;
        } else if (child.kind == Kind::strided && child.children[0]->kind == Kind::block) {
            const Run run{at, child.children[0]->size, child.stride, child.count};
            sink_.grid(Grid{run, node.stride, count});
        } else {
            for (Offset i = 0; i < count; ++i) {
                whole(child, at + i * node.stride);
            }
        }
    }

    bool taken_at_once(const Layout::Node& node, Offset at, Offset count) {
        if constexpr (requires { sink_.copies(node, at, count); }) {
            return sink_.copies(node, at, count);
        } else {
            return false;
        }
    }

    Sink& sink_;
};

/// Throws base::Error(argument) unless 0 <= begin <= end <= size().
void check_range(const Layout& layout, Offset begin, Offset end);

/// Walks stream bytes [begin, end) of `layout`.
template <typename Sink>
void walk(const Layout& layout, Offset begin, Offset end, Sink& sink) {
    check_range(layout, begin, end);
    if (begin < end) {
        Walk<Sink>(sink).range(*layout.root(), layout.shift(), begin, end);
    }
}

/// Takes grids and lists apart into runs.
template <typename Visit>
class RunSink {
  public:
    RunSink(Visit& visit, Offset stream) : visit_(visit), stream_(stream) {}

    void grid(const Grid& grid) {
        Run run = grid.run;
        for (Offset i = 0; i < grid.count; ++i) {
            run.offset = grid.run.offset + i * grid.stride;
            emit(run);
        }
    }
    void list(Offset at, std::span<const Offset> offsets, Offset length) {
        for (const Offset offset : offsets) {
            emit(Run{at + offset, length, length, 1});
        }
    }

  private:
    void emit(const Run& run) {
        visit_(run, stream_);
        stream_ += run.length * run.count;
    }

    Visit& visit_;
    Offset stream_;
};

template <typename Visit>
void Layout::visit_runs(Offset begin, Offset end, Visit&& visit) const {
    RunSink<std::remove_reference_t<Visit>> sink(visit, begin);
    walk(*this, begin, end, sink);
}

}  // namespace pario::layout

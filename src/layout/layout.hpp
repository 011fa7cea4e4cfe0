/// Room `layout`: where the bytes of a stream live. Knows offsets and counts; knows nothing of
/// MPI, files or ranks.
///
/// A layout maps a *stream* (bytes 0, 1, 2, … size()-1, in typemap order) to *offsets* (in a file
/// or in memory). It is a small immutable tree, never a list of its pieces: its cost is that of
/// the tree, not of the data.
///
///     strided(count 3, stride 8, block(4))
///     offsets   0       8       16
///               |####....|####....|####
///     stream     0..3     4..7     8..11
///
/// Trees are normalised on construction: adjacent contiguous pieces merge, nested equal strides
/// collapse, regular offset lists become strided, single children lose their parent, empty parts
/// vanish. Two layouts that were built differently but normalise alike compare equal.
///
/// Every constructor throws base::Error(argument) where an offset or size would leave 63 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pario::layout {

using Offset = std::int64_t;

class Layout;

/// `length` contiguous bytes at `offset`.
struct Piece {
    Offset offset;
    Offset length;
};

/// A child layout whose offsets are moved by `offset`.
struct Part;

/// `count` pieces of `length` bytes, `stride` bytes from start to start: what kernels work on.
/// The stream passes through the pieces in order.
struct Run {
    Offset offset;
    Offset length;
    Offset stride;
    Offset count;
};

class Layout {
  public:
    struct Node;

    /// The empty layout: size 0.
    Layout();

    /// `bytes` >= 0 contiguous bytes at offset 0.
    static Layout block(Offset bytes);

    /// `count` >= 0 copies of `child`, `stride` bytes apart (any sign).
    static Layout strided(Offset count, Offset stride, const Layout& child);

    /// Copies of `child` at the given offsets, in this order.
    static Layout indexed(std::span<const Offset> offsets, const Layout& child);

    /// Contiguous pieces of any lengths, in this order.
    static Layout pieces(std::span<const Piece> pieces);

    /// Parts one after another in the stream.
    static Layout structure(std::span<const Part> parts);

    /// `child` repeated every `extent` > 0 bytes, as far as 63-bit offsets and sizes reach: an
    /// MPI file view (MPI 4.1, section 14.3). A contiguous child with extent == size gives one
    /// block.
    static Layout tiled(const Layout& child, Offset extent);

    /// Every offset and size of a tiled layout stays below this, so that it can still be shifted.
    static constexpr Offset tiled_limit = Offset{1} << 62;

    /// Deeper trees are refused with base::Error(argument).
    static constexpr int max_depth = 256;

    /// This layout with every offset moved by `by`.
    Layout shifted(Offset by) const;

    /// The part of this layout that holds stream bytes [begin, end), as a layout of its own with
    /// size end - begin. Cost O(depth + width of irregular nodes cut).
    Layout slice(Offset begin, Offset end) const;

    Offset size() const noexcept;        ///< bytes in the stream
    Offset lower() const noexcept;       ///< smallest offset; 0 where empty
    Offset upper() const noexcept;       ///< one past the largest offset; 0 where empty
    Offset num_blocks() const noexcept;  ///< contiguous pieces (after normalisation), saturating
    bool is_empty() const noexcept { return size() == 0; }

    /// One contiguous piece. An empty layout is not.
    bool is_contiguous() const noexcept;

    /// Offsets strictly increase along the stream: file order is stream order and no byte appears
    /// twice. Exact. Computed once, at construction, in O(tree).
    bool is_monotone() const noexcept;

    /// The offset of stream byte `stream` (0 <= stream < size()). O(depth log width).
    Offset offset_of(Offset stream) const;

    /// From stream byte `stream` to the end of the contiguous piece that holds it.
    /// O(depth log width).
    Piece piece_at(Offset stream) const;

    /// How many stream bytes lie at offsets below `offset`. Needs is_monotone().
    /// O(depth log width). This splits a stream between aggregators without listing offsets.
    Offset bytes_below(Offset offset) const;

    /// Calls visit(Run, Offset stream) for stream bytes [begin, end), in stream order, in as few
    /// runs as the tree allows: one for each innermost strided node, plus partial first and last
    /// blocks. `stream` is the run's first stream byte. Starts in O(depth log width); no
    /// allocation.
    template <typename Visit>
    void visit_runs(Offset begin, Offset end, Visit&& visit) const;

    /// Bytes of memory that the tree occupies; a node that is shared counts each time.
    std::size_t footprint_bytes() const noexcept;

    /// A self-contained byte string (drawn in serialise.cpp), and back. parse() throws
    /// base::Error(argument) on any malformed input (it is fuzzed) and never reads past `bytes`.
    std::vector<std::byte> serialise() const;
    static Layout parse(std::span<const std::byte> bytes);

    /// One line for people: "strided(65536 x 8 B, block 4 B)".
    std::string describe() const;

    friend bool operator==(const Layout& a, const Layout& b);

    /// For this room only: a normalised tree, moved by `shift`.
    Layout(std::shared_ptr<const Node> root, Offset shift);
    const std::shared_ptr<const Node>& root() const noexcept { return root_; }
    Offset shift() const noexcept { return shift_; }

  private:
    std::shared_ptr<const Node> root_;  ///< null where empty
    Offset shift_ = 0;                  ///< offset of the first stream byte; 0 where empty
};

struct Part {
    Offset offset;
    Layout layout;
};

}  // namespace pario::layout

#include "layout/layout_impl.hpp"  // Node and visit_runs

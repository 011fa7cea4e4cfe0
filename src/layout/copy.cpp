#include "layout/copy.hpp"

#include <array>

#include "layout/kernels.hpp"

namespace pario::layout {

namespace {

/// Fits the first-level cache together with what is moved through it.
constexpr Offset buffer_bytes = 16 << 10;

/// An array of small structures is moved field by field, this many bytes of it at a time, so that
/// one kernel runs over many structures and they stay in the cache from field to field.
constexpr Offset column_bytes = 8 << 10;
constexpr Offset max_columns = 16;
constexpr Offset min_copies = 4;

/// From here on a row of equal pieces is worth a kernel of its own.
constexpr Offset long_row = 8;

/// The pieces of one structure.
struct Columns {
    std::array<Piece, max_columns> pieces;
    std::size_t count = 0;
};

Columns columns_of(const Layout::Node& node) {
    Columns columns;
    const auto add = [&](const Run& run, Offset) {
        for (Offset i = 0; i < run.count; ++i) {
            columns.pieces[columns.count++] = {run.offset + i * run.stride, run.length};
        }
    };
    RunSink sink(add, 0);
    Walk(sink).range(node, 0, 0, node.size);
    return columns;
}

/// Walk's receiver: moves each unit with the kernel for its piece length.
template <Direction direction>
class TransferSink {
  public:
    using Spread = typename Sides<direction>::Spread;
    using Dense = typename Sides<direction>::Dense;

    TransferSink(Spread base, Dense dense) : base_(base), dense_(dense) {}

    void grid(const Grid& grid) {
        with_move_for(static_cast<std::size_t>(grid.run.length), [&](auto move) {
            Kernel<direction, decltype(move)>::grid(base_, grid, dense_);
        });
        dense_ += grid.run.length * grid.run.count * grid.count;
    }

    void list(Offset at, std::span<const Offset> offsets, Offset length) {
        with_move_for(static_cast<std::size_t>(length), [&](auto move) {
            Kernel<direction, decltype(move)>::list(
                place(base_, at), offsets, static_cast<std::size_t>(length), dense_);
        });
        dense_ += length * static_cast<Offset>(offsets.size());
    }

    /// Fields may be moved in another order than the stream's only where none overlap.
    bool copies(const Layout::Node& strided, Offset at, Offset count) {
        const Layout::Node& child = strided.child(0);
        const bool keeps_order = direction == Direction::gather || strided.is_monotone;
        const bool has_rows = child.kind == Layout::Node::Kind::strided && child.count >= long_row;
        if (child.num_blocks > max_columns || has_rows || count < min_copies || !keeps_order) {
            return false;
        }
        const Columns columns = columns_of(child);
        const Offset span = std::max(child.upper - child.lower, child.size);
        const Offset at_a_time = std::max(min_copies, column_bytes / span);
        for (Offset done = 0; done < count; done += at_a_time) {
            const Offset some = std::min(at_a_time, count - done);
            move_columns(
                columns, at + done * strided.stride, {0, 0, strided.stride, some}, child.size);
        }
        return true;
    }

  private:
    /// `copy.count` structures of `dense_stride` packed bytes each, from offset `at` on.
    void move_columns(const Columns& columns, Offset at, Run copy, Offset dense_stride) {
        Dense dense = dense_;
        for (const Piece& piece : std::span(columns.pieces).first(columns.count)) {
            copy.length = piece.length;
            with_move_for(static_cast<std::size_t>(piece.length), [&](auto move) {
                Kernel<direction, decltype(move)>::column(
                    place(base_, at + piece.offset), copy, dense, dense_stride);
            });
            dense += piece.length;
        }
        dense_ += dense_stride * copy.count;
    }

    Spread base_;
    Dense dense_;
};

/// Where `bytes` stream bytes from `stream` on lie, if in one piece; null otherwise.
template <typename Pointer>
Pointer contiguous_range(Pointer base, const Layout& layout, Offset stream, Offset bytes) {
    const Piece piece = layout.piece_at(stream);
    return piece.length >= bytes ? place(base, piece.offset) : nullptr;
}

}  // namespace

void pack(const std::byte* base, const Layout& source, Offset begin, Offset end, std::byte* out) {
    TransferSink<Direction::gather> sink(base, out);
    walk(source, begin, end, sink);
}

void unpack(const std::byte* in, std::byte* base, const Layout& target, Offset begin, Offset end) {
    TransferSink<Direction::scatter> sink(base, in);
    walk(target, begin, end, sink);
}

void copy(ConstEnd from, End to, Offset bytes) {
    check_range(from.layout, from.stream, from.stream + bytes);
    check_range(to.layout, to.stream, to.stream + bytes);
    if (bytes == 0) {
        return;
    }
    if (const std::byte* in = contiguous_range(from.base, from.layout, from.stream, bytes)) {
        unpack(in, to.base, to.layout, to.stream, to.stream + bytes);
        return;
    }
    if (std::byte* out = contiguous_range(to.base, to.layout, to.stream, bytes)) {
        pack(from.base, from.layout, from.stream, from.stream + bytes, out);
        return;
    }
    alignas(64) std::array<std::byte, buffer_bytes> buffer;
    for (Offset done = 0; done < bytes;) {
        const Offset step = std::min(buffer_bytes, bytes - done);
        const Offset source = from.stream + done;
        const Offset target = to.stream + done;
        pack(from.base, from.layout, source, source + step, buffer.data());
        unpack(buffer.data(), to.base, to.layout, target, target + step);
        done += step;
    }
}

}  // namespace pario::layout

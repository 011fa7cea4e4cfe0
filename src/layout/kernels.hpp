/// Loops that move equal pieces between a spread-out and a dense place. Only copy.cpp uses these.
///
/// A piece of up to 128 bytes is moved by one or two fixed-size moves (the second overlaps the
/// first where the length is no power of two), never by a call of memcpy.
#pragma once

#include <cstdint>
#include <cstring>

#include "layout/layout.hpp"

namespace pario::layout {

enum class Direction { gather, scatter };

/// The two sides of a transfer: `spread` is where the layout points, `dense` the packed stream.
template <Direction direction>
struct Sides;
template <>
struct Sides<Direction::gather> {
    using Spread = const std::byte*;
    using Dense = std::byte*;
};
template <>
struct Sides<Direction::scatter> {
    using Spread = std::byte*;
    using Dense = const std::byte*;
};

/// Moves `bytes` bytes, a constant.
template <std::size_t bytes>
struct ExactMove {
    static constexpr std::size_t length = bytes;
    static constexpr bool is_small = bytes <= 4;
    static void move(const std::byte* from, std::byte* to, std::size_t) {
        std::memcpy(to, from, bytes);
    }
};

/// Moves `half` < length < 2 * half bytes.
template <std::size_t half>
struct OverlappingMove {
    static constexpr bool is_small = false;
    static void move(const std::byte* from, std::byte* to, std::size_t length) {
        std::byte first[half];
        std::byte last[half];
        std::memcpy(first, from, half);
        std::memcpy(last, from + length - half, half);
        std::memcpy(to, first, half);
        std::memcpy(to + length - half, last, half);
    }
};

struct VariableMove {
    static constexpr bool is_small = false;
    static void move(const std::byte* from, std::byte* to, std::size_t length) {
        std::memcpy(to, from, length);
    }
};

/// `base + offset` where `base` may be null and `offset` an address (MPI_BOTTOM).
template <typename Pointer>
Pointer place(Pointer base, Offset offset) {
    return reinterpret_cast<Pointer>(reinterpret_cast<std::uintptr_t>(base) +
                                     static_cast<std::uintptr_t>(offset));
}

/// Moves pieces of one length with one kind of Move.
template <Direction direction, typename Move>
class Kernel {
  public:
    using Spread = typename Sides<direction>::Spread;
    using Dense = typename Sides<direction>::Dense;

    /// Moves all pieces of `grid`, whose offsets are relative to `base`.
    static void grid(Spread base, const Grid& grid, Dense dense) {
        const auto length = static_cast<std::size_t>(grid.run.length);
        const auto row_bytes = length * static_cast<std::size_t>(grid.run.count);
        for (Offset i = 0; i < grid.count; ++i) {
            row(place(base, grid.run.offset + i * grid.stride), grid.run, dense);
            dense += row_bytes;
        }
    }

    static void list(Spread base,
                     std::span<const Offset> offsets,
                     std::size_t length,
                     Dense dense) {
        for (const Offset offset : offsets) {
            one(place(base, offset), dense, length);
            dense += length;
        }
    }

    /// `count` pieces that are spread on the dense side, too.
    static void column(Spread spread, const Run& run, Dense dense, Offset dense_stride) {
        for (Offset i = 0; i < run.count; ++i) {
            one(spread, dense, static_cast<std::size_t>(run.length));
            spread = place(spread, run.stride);
            dense = place(dense, dense_stride);
        }
    }

  private:
    static void row(Spread spread, const Run& run, Dense dense) {
        Offset count = run.count;
        if constexpr (Move::is_small) {
            for (; count >= 4; count -= 4) {
                four(spread, run.stride, dense);
                spread = place(spread, 4 * run.stride);
                dense += 4 * Move::length;
            }
        }
        column(spread, {0, run.length, run.stride, count}, dense, run.length);
    }

    /// Four pieces that are one load or store on the dense side; measured 1.5 times as fast as
    /// one by one.
    static void four(Spread spread, Offset stride, Dense dense) {
        constexpr std::size_t length = Move::length;
        std::byte values[4 * length];
        if constexpr (direction == Direction::gather) {
            std::memcpy(values, spread, length);
            std::memcpy(values + length, place(spread, stride), length);
            std::memcpy(values + 2 * length, place(spread, 2 * stride), length);
            std::memcpy(values + 3 * length, place(spread, 3 * stride), length);
            std::memcpy(dense, values, sizeof values);
        } else {
            std::memcpy(values, dense, sizeof values);
            std::memcpy(spread, values, length);
            std::memcpy(place(spread, stride), values + length, length);
            std::memcpy(place(spread, 2 * stride), values + 2 * length, length);
            std::memcpy(place(spread, 3 * stride), values + 3 * length, length);
        }
    }

    static void one(Spread spread, Dense dense, std::size_t length) {
        if constexpr (direction == Direction::gather) {
            Move::move(spread, dense, length);
        } else {
            Move::move(dense, spread, length);
        }
    }
};

/// Calls use(Move{}) with the Move for pieces of `length` > 0 bytes.
template <typename Use>
void with_move_for(std::size_t length, Use&& use) {
    switch (length) {
        case 1:
            return use(ExactMove<1>{});
        case 2:
            return use(ExactMove<2>{});
        case 4:
            return use(ExactMove<4>{});
        case 8:
            return use(ExactMove<8>{});
        case 16:
            return use(ExactMove<16>{});
        case 32:
            return use(ExactMove<32>{});
        case 64:
            return use(ExactMove<64>{});
        case 128:
            return use(ExactMove<128>{});
        default:
            break;
    }
    if (length > 128) {
        use(VariableMove{});
    } else if (length > 64) {
        use(OverlappingMove<64>{});
    } else if (length > 32) {
        use(OverlappingMove<32>{});
    } else if (length > 16) {
        use(OverlappingMove<16>{});
    } else if (length > 8) {
        use(OverlappingMove<8>{});
    } else if (length > 4) {
        use(OverlappingMove<4>{});
    } else {
        use(OverlappingMove<2>{});
    }
}

}  // namespace pario::layout

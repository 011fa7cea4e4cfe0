/// A proof, cheap enough for every collective call, that the pieces of all ranks together cover a
/// byte range exactly once: no holes and no overlaps.
///
/// Each rank's set of offsets S is summed up as the polynomial  sum over s in S of x^s  at two
/// points x of the prime field p = 2^61 - 1. A strided node is a geometric series, so the value
/// costs O(tree log count), not O(blocks). Sums of ranks add up. The multiset of all ranks'
/// bytes is {begin, …, end-1}, each once, if and only if the polynomials are equal; two different
/// ones of degree n agree at a random point with probability at most n / p (Schwartz-Zippel), at
/// two independent points at most (n / p)^2, below 2^-42 for ranges up to 2^40 bytes.
#pragma once

#include <array>
#include <cstdint>

#include "layout/layout.hpp"

namespace pario::layout {

/// The values at the two points. Adds like a group.
struct Coverage {
    std::array<std::uint64_t, 2> value{};
    Coverage& operator+=(const Coverage& other);
    friend bool operator==(const Coverage&, const Coverage&) = default;
};

/// The two points; the same on all ranks. `from_seed` spreads any seed to two valid points.
struct CoveragePoints {
    std::array<std::uint64_t, 2> x;
    static CoveragePoints from_seed(std::uint64_t seed);
};

/// Of stream bytes [begin, end) of `layout`, relative to `origin` (every offset must be >= origin).
Coverage coverage_of(
    const Layout& layout, Offset begin, Offset end, Offset origin, const CoveragePoints& points);

/// Of the contiguous bytes [0, length): what full coverage of a range of `length` bytes sums to.
Coverage full_coverage(Offset length, const CoveragePoints& points);

}  // namespace pario::layout

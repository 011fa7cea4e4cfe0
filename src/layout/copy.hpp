/// Kernels that move a stream between two layouts, near memory bandwidth at every grain.
#pragma once

#include <cstddef>

#include "layout/layout.hpp"

namespace pario::layout {

/// Gathers stream bytes [begin, end) of `source` (offsets relative to `base`) into `out`,
/// contiguously. `out` must not overlap the source.
void pack(const std::byte* base, const Layout& source, Offset begin, Offset end, std::byte* out);

/// Scatters `in` (end - begin contiguous bytes) to stream bytes [begin, end) of `target`.
void unpack(const std::byte* in, std::byte* base, const Layout& target, Offset begin, Offset end);

/// One end of a copy: stream byte `stream` of `layout`, whose offset 0 is at `base`.
struct ConstEnd {
    const std::byte* base;
    const Layout& layout;
    Offset stream;
};
struct End {
    std::byte* base;
    const Layout& layout;
    Offset stream;
};

/// Copies `bytes` stream bytes from one layout to another: straight where one side is
/// contiguous in that range, through a small buffer that stays in the first-level cache where
/// neither is. No allocation.
void copy(ConstEnd from, End to, Offset bytes);

}  // namespace pario::layout

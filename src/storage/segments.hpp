/// Checking and joining the pieces of a list transfer. No system calls here.
#pragma once

#include <climits>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "storage/storage.hpp"
#include <sys/uio.h>

namespace pario::storage {

/// The most that one system call is asked to move. Linux moves 2 GiB less a page at the most; a
/// power of two below that keeps the cuts of a large transfer on block and stripe boundaries.
inline constexpr Offset max_call_bytes = Offset{1} << 30;

/// Pieces of memory that meet one contiguous range of the file. Holds at most IOV_MAX pieces, and
/// more than max_call_bytes only in a single piece.
struct Run {
    Offset offset = 0;
    Offset length = 0;
    std::vector<iovec> pieces;
};

/// Throws Error(argument) unless [offset, offset + length) is a range that a file can have.
inline void check_range(Offset offset, Offset length) {
    if (offset < 0 || length < 0 || offset > std::numeric_limits<Offset>::max() - length) {
        throw base::Error(base::Errc::argument,
                          "no file has the range of " + std::to_string(length) +
                              " bytes from offset " + std::to_string(offset));
    }
}

/// Throws Error(argument) unless [begin, end) is a range that a file can have.
inline void check_limits(Offset begin, Offset end) {
    check_range(begin, 0);
    check_range(end, 0);
    check_range(begin, end - begin);
}

/// Adds `segment` at the end of `run` where it continues it in the file (and there is room).
/// Neighbours in memory become one piece.
template <typename Segment>
bool extend(Run& run, const Segment& segment) {
    const bool continues = segment.offset == run.offset + run.length;
    if (!continues || segment.length > max_call_bytes - run.length) {
        return false;
    }
    auto* memory = const_cast<std::byte*>(segment.memory);  // iovec knows no const
    auto& last = run.pieces.back();
    if (static_cast<std::byte*>(last.iov_base) + last.iov_len == memory) {
        last.iov_len += static_cast<std::size_t>(segment.length);
    } else if (run.pieces.size() == IOV_MAX) {
        return false;
    } else {
        run.pieces.push_back({memory, static_cast<std::size_t>(segment.length)});
    }
    run.length += segment.length;
    return true;
}

/// Joins segments into runs, in order, and calls `work(run)` for each; `work` may consume it.
/// Throws Error(argument) at a segment that no file can have; those before may be done by then.
/// Cost: O(segments), memory O(IOV_MAX).
template <typename Segment, typename Work>
void for_each_run(std::span<const Segment> segments, const Work& work) {
    Run run;
    for (const auto& segment : segments) {
        check_range(segment.offset, segment.length);
        if (segment.length == 0 || (!run.pieces.empty() && extend(run, segment))) {
            continue;
        }
        if (!run.pieces.empty()) {
            work(run);
        }
        run.offset = segment.offset;
        run.length = segment.length;
        run.pieces.clear();
        run.pieces.push_back(
            {const_cast<std::byte*>(segment.memory), static_cast<std::size_t>(segment.length)});
    }
    if (!run.pieces.empty()) {
        work(run);
    }
}

}  // namespace pario::storage

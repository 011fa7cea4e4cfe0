/// Room `plan`: the inspector. It decides who moves what, and when, from what each rank said about
/// its access. Pure: no communicator, no file; a plan for 10,000 ranks is built in a unit test.
///
/// A collective transfer is worked off in *chunks* of the file. The range that all ranks touch
/// together is cut into *domains*, one for each aggregator, and each domain into chunks:
///
///     file    begin                                                         end
///             |----------- domain 0 -----------|----------- domain 1 ---------|
///     chunks  |  0  |  1  |  2  |  3  |  4  |  |  0  |  1  |  2  |  3  |  4   |
///
/// Round k works on chunk k of every domain. For each chunk a rank's share is one contiguous part
/// of its stream (Layout::bytes_below of the chunk's ends), so no list of offsets is ever made.
/// After paper 001, section 13.4.2 (two-phase I/O) and paper 004, section 3 (inspector).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/hints.hpp"
#include "layout/coverage.hpp"
#include "layout/layout.hpp"

namespace pario::plan {

using layout::Offset;

enum class Direction { read, write };

/// What one rank says about its part of a collective transfer. Travels between ranks as it is.
struct Access {
    Offset begin = 0;   ///< first file byte touched
    Offset end = 0;     ///< one past the last
    Offset bytes = 0;   ///< 0: this rank has nothing to move
    Offset blocks = 0;  ///< contiguous pieces in the file, about
    layout::Coverage coverage;  ///< of the file bytes, relative to offset 0
    bool is_monotone = true;    ///< stream order is file order
    friend bool operator==(const Access&, const Access&) = default;
};

/// Describes stream bytes [begin, end) of `view`.
Access describe_access(const layout::Layout& view, Offset begin, Offset end,
                       const layout::CoveragePoints& points);

/// Where the ranks are, and what the file system needs.
struct Machine {
    std::span<const int> node_of_rank;  ///< 0, 1, 2, …
    Offset alignment = 4096;            ///< cuts between domains and chunks lie on multiples
    bool can_modify = true;  ///< holes can be read, and written back under a lock
    bool is_atomic = false;  ///< MPI's atomic mode: overlapping accesses may not mix
};

enum class Way {
    nothing,  ///< no rank has anything to move
    direct,   ///< each rank accesses the file by itself
    staged,   ///< through staging buffers, chunk by chunk
};

/// How bytes reach the staging buffer of a chunk.
enum class Locality {
    node,  ///< ranks of the aggregator's node share it; the others send messages
    rank,  ///< everybody but the aggregator sends messages: two-phase as in paper 001
};

struct Domain {
    Offset begin;
    Offset end;
    int aggregator;  ///< rank in whose node the chunks of this domain are staged
};

struct Chunk {
    Offset begin;
    Offset end;
};

struct Plan {
    Way way = Way::nothing;
    Locality locality = Locality::node;
    bool is_covered = false;  ///< every byte of [begin, end) is accessed by exactly one rank
    Offset begin = 0;
    Offset end = 0;
    Offset chunk_bytes = 0;
    std::vector<Domain> domains;
    std::string reason;  ///< why this way, for people

    Offset rounds_of(int domain) const;
    Chunk chunk(int domain, Offset round) const;
    Offset staging_bytes_per_node(int domains_on_node) const;
};

/// Chunks of a domain that may be under way at the same time: one is filled while another is
/// written.
inline constexpr int chunks_in_flight = 2;

/// \param accesses  one for each rank, in order of rank; the same on all ranks, as is all else
/// Cost: O(ranks).
Plan make_plan(Direction direction, std::span<const Access> accesses, const base::Hints& hints,
               const Machine& machine, const layout::CoveragePoints& points);

/// "shared: small pieces": the way and the reason.
std::string summary(const Plan& plan);

/// A table of what the plan does, for people.
std::string describe(const Plan& plan);

}  // namespace pario::plan

/// The executor of a staged plan: works off all chunks of all domains.
///
/// For each chunk that is staged on its own node a rank does three things, in this order:
///
///   prepare   the first rank with data there reads the chunk from the file, where the plan needs
///             its old contents (reading; writing with holes)
///   visit     every rank copies its share between its memory and the chunk
///   finish    when the last rank has left it, the slot is free again; writing, a rank that has
///             nothing left to fill writes the chunk first, one rank of the node at a time
///
/// Nobody waits for a particular rank: whoever comes first reads, whoever is idle writes, and a rank that
/// finds a chunk not ready turns to another domain. Ranks start at different domains, so that two
/// of them seldom touch the same cache lines. A rank's share of chunks that are staged elsewhere
/// travels as one message a chunk, to or from the domain's aggregator, which visits for it.
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "exchange/team.hpp"
#include "layout/user_memory.hpp"
#include "plan/plan.hpp"

namespace pario::exchange {

/// Moves chunks between staging and file. Both may throw base::Error.
class ChunkStore {
  public:
    virtual ~ChunkStore() = default;
    /// \return bytes read; less than asked for only at the end of the file
    virtual Offset read(std::span<std::byte> chunk, Offset offset) = 0;
    virtual void write(std::span<const std::byte> chunk, Offset offset) = 0;
};

/// The part [begin, end) of a rank's stream that is being moved, and where it lies in the file.
struct Share {
    layout::Layout view;
    Offset begin = 0;
    Offset end = 0;
};

struct Outcome {
    std::optional<base::Error> failure;
    /// Smallest file offset at which a read came to the end of the file.
    Offset end_of_file = std::numeric_limits<Offset>::max();
    std::chrono::nanoseconds waited{0};  ///< asleep, with nothing to do
};

/// Collective. Never throws between its first and its last message: what fails on this rank is
/// kept in the outcome, and the rank goes on serving the others.
struct RoundsTask {
    plan::Direction direction;
    const plan::Plan& plan;
    const Share& mine;
    /// Of every rank, in order of rank; empty where all ranks share this rank's staging.
    std::span<const Share> all;
    layout::UserMemory memory;  ///< mine.end - mine.begin bytes
};
Outcome run_rounds(Team& team, const RoundsTask& task, ChunkStore& store);

/// Whether some rank's share has to travel as messages, so that RoundsTask::all is needed.
bool needs_messages(const Team& team, const plan::Plan& plan);

}  // namespace pario::exchange

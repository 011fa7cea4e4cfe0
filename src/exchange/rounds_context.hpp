/// What the parts of the executor (rounds.cpp) share; not for other rooms.
#pragma once

#include <algorithm>
#include <new>
#include <utility>

#include "exchange/rounds.hpp"
#include "layout/copy.hpp"

namespace pario::exchange {

/// A part [begin, end) of a rank's stream.
struct Part {
    Offset begin = 0;
    Offset end = 0;
    bool is_empty() const { return begin >= end; }
    Offset bytes() const { return end - begin; }
};

/// What of a rank's share lies in file bytes [begin, end).
inline Part part_within(const Share& share, Offset begin, Offset end) {
    if (share.begin == share.end) {
        return {share.begin, share.begin};
    }
    return {std::max(share.begin, share.view.bytes_below(begin)),
            std::min(share.end, share.view.bytes_below(end))};
}

/// Keeps what goes wrong on this rank, so that it can go on serving the others; the first failure
/// counts.
class Guard {
  public:
    explicit Guard(Outcome& outcome) : outcome_(outcome) {}

    /// Runs `step`; false where it failed.
    template <typename Step>
    bool run(Step&& step) {
        try {
            std::forward<Step>(step)();
            return true;
        } catch (const base::Error& error) {
            keep(error);
        } catch (const std::bad_alloc&) {
            keep(base::Error(base::Errc::memory, "out of memory in a collective transfer"));
        }
        return false;
    }

  private:
    void keep(const base::Error& error) {
        if (!outcome_.failure) {
            outcome_.failure = error;
        }
    }

    Outcome& outcome_;
};

/// One transfer, as all its domains see it.
struct Context {
    Team& team;
    const RoundsTask& task;
    ChunkStore& store;
    Staging& staging;
    int group_size;  ///< ranks that share the staging
    Outcome& outcome;
    Guard guard;

    bool is_write() const { return task.direction == plan::Direction::write; }
    bool needs_old_contents() const { return !is_write() || !task.plan.is_covered; }

    bool is_local(int rank) const {
        return task.plan.locality == plan::Locality::node
                   ? team.node_of_rank()[rank] == team.node()
                   : rank == team.rank();
    }

    Part own_part(plan::Chunk chunk) const {
        return part_within(task.mine, chunk.begin, chunk.end);
    }

    /// A part of the own share as a part of the stream in the user's memory.
    Part in_memory(Part part) const {
        return {part.begin - task.mine.begin, part.end - task.mine.begin};
    }

    /// Copies `part` of the own share between the user's memory and a chunk at `bytes`.
    void copy_own(Part part, plan::Chunk chunk, std::byte* bytes) const {
        const layout::UserMemory& memory = task.memory;
        const layout::Layout in_chunk = task.mine.view.shifted(-chunk.begin);
        const Offset start = in_memory(part).begin;
        if (is_write()) {
            layout::copy({memory.base(), memory.layout(), start},
                         {bytes, in_chunk, part.begin},
                         part.bytes());
        } else {
            layout::copy({bytes, in_chunk, part.begin},
                         {memory.base(), memory.layout(), start},
                         part.bytes());
        }
    }
};

/// One domain, as this rank sees it.
class DomainTask {
  public:
    virtual ~DomainTask() = default;
    /// Does the next thing that can be done without waiting. \return whether there was one
    virtual bool advance() = 0;
    virtual bool is_done() = 0;

    /// Writing: chunks that all ranks have left wait to be written to the file.
    virtual bool has_full() const { return false; }
    /// Writes them; the caller is the node's only writer. \return whether there was one
    virtual bool write_full() { return false; }
};

}  // namespace pario::exchange

/// What the sources of the engine share of an open file; not for other rooms.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/agreement.hpp"
#include "engine/file.hpp"
#include "engine/independent.hpp"
#include "exchange/rounds.hpp"
#include "exchange/team.hpp"
#include "trace/statistics.hpp"

namespace pario::engine {

/// Runs `step` and keeps what it throws, so that the rank can still take part in an agreement.
template <typename Step>
std::optional<base::Error> outcome_of(Step&& step) {
    try {
        step();
        return std::nullopt;
    } catch (const base::Error& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return base::Error(base::Errc::memory, "out of memory");
    }
}

/// The last collective plan, for as long as the ranks' accesses stay the same.
struct PlanCache {
    plan::Direction direction{};
    std::vector<plan::Access> accesses;
    std::optional<plan::Plan> plan;
};

/// What this rank said of its access last time: reused while view and stream range stay.
struct AccessCache {
    Offset begin = -1;
    Offset end = -1;
    plan::Access access;
};

struct File::Impl {
    std::shared_ptr<exchange::Team> team;
    std::string path;
    OpenOptions options;
    std::unique_ptr<storage::Storage> storage;
    layout::Layout view;
    base::Hints hints;
    bool is_atomic = false;
    /// A file may be sieved, that is read, changed and written back, through one open handle only:
    /// the one whose rank 0 holds a lock on a byte beyond all data. Handles without it write under
    /// range locks, which the one that sieves respects; the handle that has it need not lock as
    /// long as it does not sieve itself (exchange::Gate).
    std::unique_ptr<storage::RangeLock> sieving_right;
    bool holds_sieving_right = false;  ///< the same on all ranks
    layout::CoveragePoints points;
    AccessCache access_cache;
    PlanCache plan_cache;
    std::optional<std::vector<layout::Layout>> views;  ///< of all ranks, where they are needed
    trace::Counters counters;
    bool explains = false;
    std::map<std::string, std::int64_t> reasons;

    /// One agreement; `local` may throw what this rank has to say first.
    std::span<const Proposal> agree(const Call& call, const Proposal& mine,
                                    const std::optional<base::Error>& failure = std::nullopt) {
        return engine::agree(*team, call.name, path, mine, failure ? failure : call.refused);
    }

    /// Nobody outside this node sieves this file, nor through another handle.
    bool is_alone() const { return holds_sieving_right && team->num_nodes() == 1; }

    Offset transfer_alone(plan::Direction direction, Offset begin, Memory memory);
    Offset transfer_together(const Call& call, plan::Direction direction, Offset begin,
                             Memory memory);

  private:
    /// What came of a transfer on this rank.
    struct Moved {
        std::optional<base::Error> failure;
        Offset bytes = 0;  ///< where every rank helped itself
        Offset end_of_file = std::numeric_limits<Offset>::max();  ///< where a read met it
    };

    const plan::Access& describe(Offset begin, Offset end);
    const plan::Plan& plan_for(plan::Direction direction, std::span<const Proposal> all);
    Moved carry_out(const plan::Plan& plan, plan::Direction direction, Offset begin,
                    Memory memory);
    std::optional<Moved> carry_out_staged(const plan::Plan& plan, plan::Direction direction,
                                          Offset begin, Memory memory);
    std::vector<exchange::Share> shares_of_all();
    std::unique_ptr<storage::RangeLock> lock_for_holes(const Call& call, const plan::Plan& plan,
                                                       plan::Direction direction);
    Offset bytes_before(Offset end_of_file, Offset begin, Offset bytes) const;
};

}  // namespace pario::engine

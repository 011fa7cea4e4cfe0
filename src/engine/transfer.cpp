/// Transfers of an open file: the independent ones, and the collective ones from the agreement at
/// their beginning to the one at their end.
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/file_impl.hpp"

namespace pario::engine {

namespace {

using base::Error;
using plan::Direction;
using plan::Way;

/// Chunks of a collective transfer as the storage sees them.
class FileChunks : public exchange::ChunkStore {
  public:
    /// \param must_lock  somebody outside this call may sieve where the chunks are written
    FileChunks(storage::Storage& storage, trace::Counters& counters, bool must_lock)
        : storage_(storage), counters_(counters), must_lock_(must_lock) {}

    Offset read(std::span<std::byte> chunk, Offset offset) override {
        const trace::Span span(counters_, trace::Activity::file);
        return storage_.read(chunk, offset);
    }
    void write(std::span<const std::byte> chunk, Offset offset) override {
        const trace::Span span(counters_, trace::Activity::file);
        std::unique_ptr<storage::RangeLock> lock;
        if (must_lock_) {
            lock = storage_.lock(
                offset, offset + std::ssize(chunk), storage::LockMode::shared);
        }
        storage_.write(chunk, offset);
    }

  private:
    storage::Storage& storage_;
    trace::Counters& counters_;
    bool must_lock_;
};

Step step_of(Direction direction) {
    return direction == Direction::write ? Step::write : Step::read;
}

/// Where a staged write has holes, their contents are read and written back.
bool needs_lock(const plan::Plan& plan, Direction direction) {
    return plan.way == Way::staged && direction == Direction::write && !plan.is_covered;
}

bool is_same(std::span<const plan::Access> cached, std::span<const Proposal> all) {
    return cached.size() == all.size() &&
           std::equal(cached.begin(), cached.end(), all.begin(), [](const auto& a, const auto& b) {
               return a == b.access;
           });
}

}  // namespace

Offset File::Impl::transfer_alone(Direction direction, Offset begin, Memory memory) {
    return transfer_independently(
        {.direction = direction,
         .view = view,
         .begin = begin,
         .end = begin + memory.size(),
         .memory = memory,
         .protection = {.is_atomic = is_atomic,
                        .may_sieve = holds_sieving_right,
                        .gate = is_alone() ? &team->gate() : nullptr}},
        hints,
        *storage,
        counters);
}

/// What this rank says of its access; repeated calls of the same shape inspect nothing.
const plan::Access& File::Impl::describe(Offset begin, Offset end) {
    AccessCache& cache = access_cache;
    if (cache.begin != begin || cache.end != end) {
        cache = {begin, end, plan::describe_access(view, begin, end, points)};
    }
    return cache.access;
}

const plan::Plan& File::Impl::plan_for(Direction direction, std::span<const Proposal> all) {
    PlanCache& cache = plan_cache;
    if (cache.plan && cache.direction == direction && is_same(cache.accesses, all)) {
        ++counters.plans_reused;
        return *cache.plan;
    }
    cache.direction = direction;
    cache.accesses.clear();
    for (const Proposal& proposal : all) {
        cache.accesses.push_back(proposal.access);
    }
    const bool can_modify =
        std::all_of(all.begin(), all.end(), [](const Proposal& p) { return p.can_modify; });
    cache.plan = plan::make_plan(direction,
                                 cache.accesses,
                                 hints,
                                 {.node_of_rank = team->node_of_rank(),
                                  .can_modify = can_modify,
                                  .is_atomic = is_atomic},
                                 points);
    ++counters.plans_made;
    return *cache.plan;
}

Offset File::Impl::transfer_together(const Call& call, Direction direction, Offset begin,
                                     Memory memory) {
    Proposal mine{.step = step_of(direction),
                  .can_modify = holds_sieving_right && storage->facts().has_range_locks};
    auto failure = call.refused;
    const plan::Plan* plan = nullptr;
    {
        const trace::Span span(counters, trace::Activity::plan);
        if (!failure) {
            failure = outcome_of([&] { mine.access = describe(begin, begin + memory.size()); });
        }
        plan = &plan_for(direction, agree(call, mine, failure));
    }
    if (explains) {
        ++reasons[plan::summary(*plan)];
    }
    if (plan->way == Way::nothing) {
        return 0;
    }
    const auto lock = lock_for_holes(call, *plan, direction);
    const Moved moved = carry_out(*plan, direction, begin, memory);
    const trace::Span span(counters, trace::Activity::wait);
    const auto all = agree(call, {.end_of_file = moved.end_of_file}, moved.failure);
    if (plan->way == Way::direct) {
        return moved.bytes;
    }
    Offset end_of_file = moved.end_of_file;
    for (const Proposal& proposal : all) {
        end_of_file = std::min(end_of_file, proposal.end_of_file);
    }
    return bytes_before(end_of_file, begin, memory.size());
}

/// How many of `bytes` stream bytes from `begin` on lie before the end of the file.
Offset File::Impl::bytes_before(Offset end_of_file, Offset begin, Offset bytes) const {
    if (end_of_file == std::numeric_limits<Offset>::max()) {
        return bytes;
    }
    return std::clamp<Offset>(view.bytes_below(end_of_file) - begin, 0, bytes);
}

/// One rank locks the whole range for all: a call that holds just one lock cannot be part of a deadlock.
std::unique_ptr<storage::RangeLock> File::Impl::lock_for_holes(const Call& call,
                                                               const plan::Plan& plan,
                                                               Direction direction) {
    std::unique_ptr<storage::RangeLock> lock;
    if (!needs_lock(plan, direction)) {
        return lock;
    }
    const auto failure = team->rank() == 0
                             ? outcome_of([&] { lock = storage->lock(plan.begin, plan.end); })
                             : std::nullopt;
    agree(call, {}, failure);
    return lock;
}

File::Impl::Moved File::Impl::carry_out(const plan::Plan& plan, Direction direction, Offset begin,
                                        Memory memory) {
    if (plan.way == Way::staged) {
        if (const auto staged = carry_out_staged(plan, direction, begin, memory)) {
            return *staged;
        }
    }
    Moved moved;
    moved.failure = outcome_of([&] { moved.bytes = transfer_alone(direction, begin, memory); });
    if (plan.way == Way::staged && moved.bytes < memory.size() && !moved.failure) {
        moved.end_of_file = view.offset_of(begin + moved.bytes);
    }
    return moved;
}

/// Nothing where the node has no memory for staging: then every rank helps itself.
std::optional<File::Impl::Moved> File::Impl::carry_out_staged(const plan::Plan& plan,
                                                              Direction direction, Offset begin,
                                                              Memory memory) {
    const exchange::Share mine{view, begin, begin + memory.size()};
    std::vector<exchange::Share> all;
    if (exchange::needs_messages(*team, plan)) {
        all = shares_of_all();
    }
    FileChunks chunks(*storage, counters, !holds_sieving_right);
    const auto start = std::chrono::steady_clock::now();
    const auto in_file = counters.time_in(trace::Activity::file);
    exchange::Outcome outcome;
    try {
        outcome = exchange::run_rounds(*team,
                                       {.direction = direction,
                                        .plan = plan,
                                        .mine = mine,
                                        .all = all,
                                        .memory = memory},
                                       chunks);
    } catch (const Error& error) {
        ++reasons["every rank for itself: " + error.cause()];
        return std::nullopt;
    }
    counters.spend(trace::Activity::wait, outcome.waited);
    counters.spend(trace::Activity::exchange,
                   std::chrono::steady_clock::now() - start - outcome.waited -
                       (counters.time_in(trace::Activity::file) - in_file));
    counters.count(direction == Direction::write ? trace::Flow::write : trace::Flow::read,
                   plan.locality == plan::Locality::node ? trace::Path::shared
                                                         : trace::Path::two_phase,
                   memory.size());
    return Moved{outcome.failure, 0, outcome.end_of_file};
}

/// Collective: which part of its stream each rank moves. Views travel once after they were set.
std::vector<exchange::Share> File::Impl::shares_of_all() {
    if (!views) {
        views.emplace();
        for (const auto& blob : team->comm().gather_blobs(view.serialise())) {
            views->push_back(layout::Layout::parse(blob));
        }
    }
    std::vector<exchange::Share> shares;
    shares.reserve(views->size());
    for (std::size_t rank = 0; rank < views->size(); ++rank) {
        const plan::Access& access = plan_cache.accesses[rank];
        const layout::Layout& there = (*views)[rank];
        const Offset begin = access.bytes == 0 ? 0 : there.bytes_below(access.begin);
        shares.push_back({there, begin, begin + access.bytes});
    }
    return shares;
}

}  // namespace pario::engine

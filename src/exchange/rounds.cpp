#include "exchange/rounds.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include "exchange/remote_shares.hpp"
#include "exchange/rounds_context.hpp"

namespace pario::exchange {

namespace {

using namespace std::chrono_literals;
using plan::Chunk;
using plan::chunks_in_flight;

int lane_of(Offset round) { return static_cast<int>(round % chunks_in_flight); }

/// A domain whose chunks are staged in memory that this rank shares.
class StagedDomain : public DomainTask {
  public:
    /// \param first_slot  chunks_in_flight slots belong to this domain
    StagedDomain(Context& context, int domain, int first_slot)
        : context_(context),
          domain_(domain),
          first_slot_(first_slot),
          rounds_(context.task.plan.rounds_of(domain)) {
        const int aggregator = context.task.plan.domains[domain].aggregator;
        if (aggregator == context.team.rank() && !context.task.all.empty()) {
            remote_ = std::make_unique<RemoteShares>(context);
        }
        for (int lane = 0; lane < chunks_in_flight; ++lane) {
            std::uint64_t& next = context.staging.next_ticket(first_slot + lane);
            first_ticket_[lane] = next;
            next += (rounds_ - lane + chunks_in_flight - 1) / chunks_in_flight;
        }
    }

    bool is_done() override {
        if (round_ < rounds_) {
            return false;
        }
        for (int lane = 0; remote_ && lane < chunks_in_flight; ++lane) {
            if (!remote_->have_ended(lane)) {
                return false;
            }
        }
        return true;
    }

    bool advance() override {
        if (round_ == rounds_ || !open_remote()) {
            return false;
        }
        const int lane = lane_of(round_);
        Slot& slot = context_.staging.slot(first_slot_ + lane);
        if (slot.ticket.load(std::memory_order_acquire) !=
            first_ticket_[lane] + round_ / chunks_in_flight) {
            return false;
        }
        const Chunk chunk = context_.task.plan.chunk(domain_, round_);
        std::byte* bytes =
            context_.staging.chunk(first_slot_ + lane, context_.task.plan.chunk_bytes);
        const Part part = context_.own_part(chunk);
        const bool has_share = !part.is_empty() || (remote_ && remote_->has_any(lane));
        if (has_share) {
            if (!is_prepared(slot, chunk, bytes) || !have_arrived(lane)) {
                return false;
            }
            visit(slot, chunk, bytes, part);
        }
        leave(slot);
        ++round_;
        return true;
    }

    bool has_full() const override {
        for (int lane = 0; lane < chunks_in_flight; ++lane) {
            if (context_.staging.slot(first_slot_ + lane).phase.load() == Phase::full) {
                return true;
            }
        }
        return false;
    }

    bool write_full() override {
        bool has_written = false;
        for (int lane = 0; lane < chunks_in_flight; ++lane) {
            Slot& slot = context_.staging.slot(first_slot_ + lane);
            if (slot.phase.load() == Phase::full) {
                write(slot, lane);
                has_written = true;
            }
        }
        return has_written;
    }

  private:
    void write(Slot& slot, int lane) {
        const auto turn = static_cast<Offset>(slot.ticket.load() - first_ticket_[lane]);
        const Chunk chunk = context_.task.plan.chunk(domain_, turn * chunks_in_flight + lane);
        context_.guard.run([&] {
            context_.store.write(
                {context_.staging.chunk(first_slot_ + lane, context_.task.plan.chunk_bytes),
                 static_cast<std::size_t>(chunk.end - chunk.begin)},
                chunk.begin);
        });
        release(slot);
    }

    /// Opens the lanes of the chunks in flight. \return whether this round's is open
    bool open_remote() {
        while (remote_ && opened_ < std::min(rounds_, round_ + chunks_in_flight)) {
            if (!context_.is_write() && !remote_->have_ended(lane_of(opened_))) {
                break;
            }
            remote_->open(context_.task.plan.chunk(domain_, opened_), lane_of(opened_));
            ++opened_;
        }
        return !remote_ || round_ < opened_;
    }

    /// Writing, messages have to be here before the chunk can be visited for their senders.
    bool have_arrived(int lane) {
        return !remote_ || !context_.is_write() || remote_->have_ended(lane);
    }

    /// Makes sure that the chunk holds its old contents, where the plan needs them; false where
    /// another rank is just reading them.
    bool is_prepared(Slot& slot, Chunk chunk, std::byte* bytes) {
        if (!context_.needs_old_contents()) {
            return true;
        }
        Phase phase = Phase::empty;
        if (slot.phase.compare_exchange_strong(phase, Phase::preparing)) {
            prepare(slot, chunk, bytes);
            slot.phase.store(Phase::ready, std::memory_order_release);
            context_.staging.event().notify();
            return true;
        }
        return phase == Phase::ready;
    }

    void prepare(Slot& slot, Chunk chunk, std::byte* bytes) {
        const Offset length = chunk.end - chunk.begin;
        Offset valid = -1;
        context_.guard.run([&] {
            valid = context_.store.read({bytes, static_cast<std::size_t>(length)}, chunk.begin);
        });
        slot.valid_bytes.store(valid, std::memory_order_relaxed);
        if (context_.is_write() && valid >= 0) {
            std::fill(bytes + valid, bytes + length, std::byte{0});
        }
    }

    void visit(Slot& slot, Chunk chunk, std::byte* bytes, Part part) {
        if (context_.is_write()) {
            if (remote_) {
                remote_->scatter(chunk, bytes, lane_of(round_));
            }
        } else {
            const Offset valid = slot.valid_bytes.load(std::memory_order_relaxed);
            if (valid >= 0 && valid < chunk.end - chunk.begin) {
                const Offset end = chunk.begin + valid;
                context_.outcome.end_of_file = std::min(context_.outcome.end_of_file, end);
                part.end = std::min(part.end, part_within(context_.task.mine, 0, end).end);
            } else if (valid < 0) {
                part.end = part.begin;
            }
            if (remote_) {
                context_.guard.run(
                    [&] { remote_->send(chunk, bytes, valid, lane_of(round_)); });
            }
        }
        if (!part.is_empty()) {
            context_.copy_own(part, chunk, bytes);
        }
    }

    /// The last rank to leave hands the slot on: to the next chunk, or to whoever writes.
    void leave(Slot& slot) {
        const int before = static_cast<int>(slot.visitors.fetch_add(1));
        if (before + 1 < context_.group_size) {
            return;
        }
        if (context_.is_write() && may_write(slot)) {
            slot.phase.store(Phase::full);
            context_.staging.event().notify();
        } else {
            release(slot);
        }
    }

    void release(Slot& slot) {
        slot.visitors.store(0, std::memory_order_relaxed);
        slot.phase.store(Phase::empty, std::memory_order_relaxed);
        slot.ticket.fetch_add(1, std::memory_order_release);
        context_.staging.event().notify();
    }

    /// Not where nobody had anything there, nor where the old contents could not be read.
    bool may_write(const Slot& slot) const {
        return !context_.needs_old_contents() ||
               (slot.phase.load(std::memory_order_acquire) == Phase::ready &&
                slot.valid_bytes.load(std::memory_order_relaxed) >= 0);
    }

    Context& context_;
    int domain_;
    int first_slot_;
    Offset rounds_;
    Offset round_ = 0;
    Offset opened_ = 0;
    std::array<std::uint64_t, chunks_in_flight> first_ticket_{};
    std::unique_ptr<RemoteShares> remote_;
};

/// A domain that is staged where this rank cannot reach: its share travels as messages.
class DistantDomain : public DomainTask {
  public:
    DistantDomain(Context& context, int domain)
        : context_(context), domain_(domain), rounds_(context.task.plan.rounds_of(domain)) {}

    bool is_done() override {
        return round_ == rounds_ &&
               std::all_of(lanes_.begin(), lanes_.end(), [](Message& message) {
                   return mpi::Comm::done(message.request);
               });
    }

    bool advance() override {
        if (round_ == rounds_) {
            return false;
        }
        return context_.is_write() ? send_next() : receive_next();
    }

  private:
    int aggregator() const { return context_.task.plan.domains[domain_].aggregator; }

    Part part_of(Offset round) const {
        return context_.own_part(context_.task.plan.chunk(domain_, round));
    }

    /// The bytes of `part` where they lie together in the user's memory; else a buffer for them.
    std::span<std::byte> bytes_of(Message& message, Part part) const {
        const layout::UserMemory& memory = context_.task.memory;
        if (memory.is_contiguous()) {
            const Part here = context_.in_memory(part);
            return memory.contiguous(here.begin, here.end);
        }
        message.bytes.resize(part.bytes());
        return message.bytes;
    }

    bool send_next() {
        Message& message = lanes_[lane_of(round_)];
        if (!mpi::Comm::done(message.request)) {
            return false;
        }
        const Part part = part_of(round_++);
        if (part.is_empty()) {
            return true;
        }
        const std::span<std::byte> bytes = bytes_of(message, part);
        if (!context_.task.memory.is_contiguous()) {
            context_.task.memory.gather(context_.in_memory(part).begin, bytes);
        }
        message.request = context_.team.comm().send(bytes, aggregator());
        return true;
    }

    bool receive_next() {
        for (; posted_ < std::min(rounds_, round_ + chunks_in_flight); ++posted_) {
            Message& message = lanes_[lane_of(posted_)];
            message.part = part_of(posted_);
            if (!message.part.is_empty()) {
                message.request = context_.team.comm().receive(bytes_of(message, message.part),
                                                               aggregator());
            }
        }
        Message& message = lanes_[lane_of(round_)];
        if (message.part.is_empty()) {
            ++round_;
            return true;
        }
        mpi::Bytes received = 0;
        if (!mpi::Comm::done(message.request, &received)) {
            return false;
        }
        take(message, received);
        ++round_;
        return true;
    }

    void take(const Message& message, Offset received) {
        if (!context_.task.memory.is_contiguous()) {
            context_.task.memory.scatter(context_.in_memory(message.part).begin,
                                         std::span(message.bytes).first(received));
        }
    }

    Context& context_;
    int domain_;
    Offset rounds_;
    Offset round_ = 0;
    Offset posted_ = 0;
    std::array<Message, chunks_in_flight> lanes_;
};

using Tasks = std::vector<std::unique_ptr<DomainTask>>;

/// All domains, those first that this rank should begin with: ranks that share staging begin at
/// different ones.
Tasks make_tasks(Context& context) {
    const plan::Plan& plan = context.task.plan;
    Tasks tasks;
    int slot = 0;
    for (int domain = 0; domain < std::ssize(plan.domains); ++domain) {
        if (context.is_local(plan.domains[domain].aggregator)) {
            tasks.push_back(std::make_unique<StagedDomain>(context, domain, slot));
            slot += chunks_in_flight;
        } else {
            tasks.push_back(std::make_unique<DistantDomain>(context, domain));
        }
    }
    const auto start = std::ssize(tasks) * context.team.rank() / context.team.size();
    std::rotate(tasks.begin(), tasks.begin() + start, tasks.end());
    return tasks;
}

/// Writes what is full, unless another rank of the node is at it: a local file system lets one
/// writer into a file at a time, and a rank that would wait there can better fill the next chunk.
/// \return whether there was something to write
bool write_full_chunks(Context& context, const Tasks& tasks) {
    std::atomic<std::uint32_t>& is_writing = context.staging.is_writing();
    const auto has_full = [&] {
        return std::any_of(
            tasks.begin(), tasks.end(), [](const auto& task) { return task->has_full(); });
    };
    bool has_written = false;
    // Looks again after stepping down: a chunk may have become full too late to be seen, and its
    // last rank found the place of the writer taken.
    while (has_full() && is_writing.exchange(1) == 0) {
        for (const auto& task : tasks) {
            has_written = task->write_full() || has_written;
        }
        is_writing.store(0);
    }
    return has_written;
}

void work_off(Context& context, const Tasks& tasks) {
    Event& event = context.staging.event();
    const bool has_messages = !context.task.all.empty();
    const auto longest_sleep = has_messages ? 50us : 1000us;
    while (true) {
        const std::uint32_t seen = event.read();
        bool has_advanced = false;
        bool is_done = true;
        for (const auto& task : tasks) {
            has_advanced = task->advance() || has_advanced;
            is_done = task->is_done() && is_done;
        }
        // Filling comes before writing: it gives others something to write.
        if (!has_advanced || is_done) {
            has_advanced = write_full_chunks(context, tasks);
        }
        if (is_done) {
            return;
        }
        if (!has_advanced) {
            const auto start = std::chrono::steady_clock::now();
            event.sleep(seen, longest_sleep);
            context.team.comm().progress();
            context.outcome.waited += std::chrono::steady_clock::now() - start;
        }
    }
}

/// The largest number of domains on any one node; the same on all ranks.
int most_domains_together(const Team& team, const plan::Plan& plan) {
    std::vector<int> domains_on_node(team.num_nodes());
    int most = 1;
    for (const plan::Domain& domain : plan.domains) {
        most = std::max(most, ++domains_on_node[team.node_of_rank()[domain.aggregator]]);
    }
    return most;
}

}  // namespace

bool needs_messages(const Team& team, const plan::Plan& plan) {
    return plan.locality == plan::Locality::rank ? team.size() > 1 : team.num_nodes() > 1;
}

Outcome run_rounds(Team& team, const RoundsTask& task, ChunkStore& store) {
    const bool is_shared = task.plan.locality == plan::Locality::node;
    const int num_slots =
        chunks_in_flight * (is_shared ? most_domains_together(team, task.plan) : 1);
    Staging& staging = is_shared ? team.shared_staging(num_slots, task.plan.chunk_bytes)
                                 : team.private_staging(num_slots, task.plan.chunk_bytes);
    Outcome outcome;
    Context context{.team = team,
                    .task = task,
                    .store = store,
                    .staging = staging,
                    .group_size = is_shared ? static_cast<int>(team.node_ranks().size()) : 1,
                    .outcome = outcome,
                    .guard = Guard(outcome)};
    const Tasks tasks = make_tasks(context);
    work_off(context, tasks);
    return outcome;
}

}  // namespace pario::exchange

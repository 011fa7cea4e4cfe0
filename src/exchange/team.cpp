#include "exchange/team.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace pario::exchange {

using namespace std::chrono_literals;

/// At the start of the control memory; two tables of records follow. A table is written in one
/// epoch, read until the next begins, and written again in the one after that: by then everybody
/// has arrived at the epoch between and so has finished reading.
struct alignas(Team::record_bytes) Team::Control {
    Event event;
    Gate gate;
    alignas(64) std::atomic<std::uint32_t> arrived{0};
    alignas(64) std::atomic<std::uint64_t> published{0};
};

Team::Team(MPI_Comm comm) : comm_(mpi::Comm::duplicate(comm)) {
    find_nodes();
    make_control();
}

void Team::find_nodes() {
    node_comm_ = comm_.split_by_node();
    node_rank_ = node_comm_.rank();
    leaders_ = comm_.split(leads_node() ? 0 : -1);
    // A node is named by the rank of its leader first, then numbered in that order.
    int leader = rank();
    node_comm_.broadcast(std::as_writable_bytes(std::span(&leader, 1)), 0);
    const std::vector<int> leader_of_rank = comm_.gather_ints(leader);
    std::vector<int> leaders = leader_of_rank;
    std::sort(leaders.begin(), leaders.end());
    leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
    num_nodes_ = static_cast<int>(leaders.size());
    for (int r = 0; r < size(); ++r) {
        const auto place = std::lower_bound(leaders.begin(), leaders.end(), leader_of_rank[r]);
        node_of_rank_.push_back(static_cast<int>(place - leaders.begin()));
        if (leader_of_rank[r] == leader) {
            node_ranks_.push_back(r);
        }
    }
}

void Team::make_control() {
    control_memory_ = share(sizeof(Control) + 2 * size() * record_bytes);
    // The memory is zeroed and Control's members are zero at first: every rank may construct it.
    static_assert(std::is_trivially_destructible_v<Control>);
    control_ = reinterpret_cast<Control*>(control_memory_.data());
}

/// Collective over the whole team, so that all fail together.
SharedMemory Team::share(std::size_t bytes) {
    if (node_ranks_.size() == 1) {
        comm_.minimum(1);
        return SharedMemory::anonymous(bytes);
    }
    std::array<char, 64> name{};
    SharedMemory memory;
    std::string failure;
    const auto attempt = [&](auto&& make) {
        try {
            memory = make();
        } catch (const base::Error& error) {
            failure = error.cause();
        }
    };
    if (leads_node()) {
        const std::string fresh = SharedMemory::fresh_name();
        std::copy(fresh.begin(), fresh.end(), name.begin());
        attempt([&] { return SharedMemory::create(fresh, bytes); });
    }
    node_comm_.broadcast(std::as_writable_bytes(std::span(name)), 0);
    if (!leads_node()) {
        attempt([&] { return SharedMemory::attach(name.data(), bytes); });
    }
    const bool all_have_it = comm_.minimum(failure.empty() ? 1 : 0) == 1;
    if (leads_node()) {
        SharedMemory::forget(name.data());
    }
    if (!all_have_it) {
        throw base::Error(base::Errc::memory,
                          failure.empty() ? "another rank could not share memory" : failure);
    }
    return memory;
}

Staging& Team::shared_staging(int num_slots, Offset chunk_bytes) {
    if (!shared_staging_.fits(num_slots, chunk_bytes)) {
        shared_staging_ =
            Staging(share(Staging::bytes_needed(num_slots, chunk_bytes)), num_slots);
    }
    return shared_staging_;
}

Staging& Team::private_staging(int num_slots, Offset chunk_bytes) {
    if (!private_staging_.fits(num_slots, chunk_bytes)) {
        private_staging_ = Staging(
            SharedMemory::anonymous(Staging::bytes_needed(num_slots, chunk_bytes)), num_slots);
    }
    return private_staging_;
}

Gate& Team::gate() const { return control_->gate; }

std::byte* Team::table(std::uint64_t epoch) const {
    return control_memory_.data() + sizeof(Control) + (epoch & 1) * size() * record_bytes;
}

const std::byte* Team::exchange_records(const void* mine) {
    const std::uint64_t epoch = ++epoch_;
    std::byte* records = table(epoch);
    std::memcpy(records + rank() * record_bytes, mine, record_bytes);
    const bool is_last = control_->arrived.fetch_add(1) + 1 == node_ranks_.size();
    const bool publishes = num_nodes_ == 1 ? is_last : leads_node();
    if (!publishes) {
        if (is_last) {
            control_->event.notify();
        }
        wait_until(control_->event, [&] { return control_->published.load() >= epoch; });
        return records;
    }
    wait_until(control_->event, [&] { return control_->arrived.load() == node_ranks_.size(); });
    publish(records);
    control_->arrived.store(0);
    control_->published.store(epoch);
    control_->event.notify();
    return records;
}

/// Leaders exchange the records of their nodes.
void Team::publish(std::byte* records) {
    if (num_nodes_ == 1) {
        return;
    }
    std::vector<int> counts(num_nodes_);
    for (const int node : node_of_rank_) {
        counts[node] += static_cast<int>(record_bytes);
    }
    std::vector<std::byte> mine;
    for (const int r : node_ranks_) {
        mine.insert(mine.end(), records + r * record_bytes, records + (r + 1) * record_bytes);
    }
    std::vector<std::byte> all(size() * record_bytes);
    leaders_.gather_pieces(mine, all, counts);
    std::vector<std::size_t> next(num_nodes_);
    for (int node = 1; node < num_nodes_; ++node) {
        next[node] = next[node - 1] + counts[node - 1];
    }
    for (int r = 0; r < size(); ++r) {
        std::size_t& place = next[node_of_rank_[r]];
        std::memcpy(records + r * record_bytes, all.data() + place, record_bytes);
        place += record_bytes;
    }
}

void Team::wait_until(Event& event, const std::function<bool()>& is_true) const {
    constexpr auto between_progress = 1000us;
    while (true) {
        const std::uint32_t seen = event.read();
        if (is_true()) {
            return;
        }
        event.sleep(seen, between_progress);
        comm_.progress();
    }
}

/// The free teams of a communicator. It hangs on the communicator as an attribute, and so dies with
/// it; a team that comes back later is destroyed.
struct Team::Pool {
    std::mutex mutex;
    std::vector<std::shared_ptr<Team>> free;
};

namespace {

using PoolHandle = std::shared_ptr<Team::Pool>;

std::atomic<bool> is_finalizing{false};

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else.
int note_finalize(MPI_Comm, int, void*, void*) {
    is_finalizing = true;
    return MPI_SUCCESS;
}

/// Inside MPI_Finalize communicators can no longer be freed: what is left then stays.
int drop_pool(MPI_Comm, int, void* pool, void*) {
    if (!is_finalizing) {
        delete static_cast<PoolHandle*>(pool);
    }
    return MPI_SUCCESS;
}

int make_keyval(MPI_Comm_delete_attr_function* on_delete) {
    int keyval = MPI_KEYVAL_INVALID;
    mpi::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, nullptr),
               "MPI_Comm_create_keyval");
    return keyval;
}

int pool_keyval() {
    static const int keyval = [] {
        const int finalize_keyval = make_keyval(note_finalize);
        mpi::check(MPI_Comm_set_attr(MPI_COMM_SELF, finalize_keyval, nullptr), "MPI_Comm_set_attr");
        return make_keyval(drop_pool);
    }();
    return keyval;
}

PoolHandle pool_of(MPI_Comm comm) {
    PoolHandle* pool = nullptr;
    int found = 0;
    mpi::check(MPI_Comm_get_attr(comm, pool_keyval(), &pool, &found), "MPI_Comm_get_attr");
    if (!found) {
        pool = new PoolHandle(std::make_shared<Team::Pool>());
        mpi::check(MPI_Comm_set_attr(comm, pool_keyval(), pool), "MPI_Comm_set_attr");
    }
    return *pool;
}

}  // namespace

std::shared_ptr<Team> Team::acquire(MPI_Comm comm) {
    const PoolHandle pool = pool_of(comm);
    {
        const std::lock_guard lock(pool->mutex);
        if (!pool->free.empty()) {
            std::shared_ptr<Team> team = std::move(pool->free.back());
            pool->free.pop_back();
            return team;
        }
    }
    auto team = std::make_shared<Team>(comm);
    team->pool_ = pool;
    return team;
}

void Team::release(std::shared_ptr<Team> team) {
    if (const PoolHandle pool = team->pool_.lock()) {
        const std::lock_guard lock(pool->mutex);
        pool->free.push_back(std::move(team));
    }
}

}  // namespace pario::exchange

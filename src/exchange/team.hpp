/// Room `exchange`: how bytes get from rank to rank. Knows ranks, nodes and shared memory; knows
/// nothing of files (but for calling back a ChunkStore) and nothing of MPI_File handles.
///
/// A Team is the ranks of a communicator, what they know of one another, and the means to agree.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "exchange/event.hpp"
#include "exchange/gate.hpp"
#include "exchange/shared_memory.hpp"
#include "exchange/staging.hpp"
#include "mpi/comm.hpp"

namespace pario::exchange {

class Team {
  public:
    /// Collective over `comm`. Teams are dear to make and are kept: the next file on the same
    /// communicator gets the team of one that was closed.
    static std::shared_ptr<Team> acquire(MPI_Comm comm);

    /// Gives the team back for the next file. Collective in effect: all ranks do it in the same
    /// order.
    static void release(std::shared_ptr<Team> team);

    explicit Team(MPI_Comm comm);  ///< use acquire()
    struct Pool;

    const mpi::Comm& comm() const { return comm_; }
    int rank() const { return comm_.rank(); }
    int size() const { return comm_.size(); }
    std::span<const int> node_of_rank() const { return node_of_rank_; }
    int node() const { return node_of_rank_[rank()]; }
    int num_nodes() const { return num_nodes_; }
    /// The ranks of this node, ascending; the first one leads.
    std::span<const int> node_ranks() const { return node_ranks_; }
    int node_rank() const { return node_rank_; }
    bool leads_node() const { return node_rank_ == 0; }

    /// Collective: every rank's `mine`, in order of rank. The result lies in memory that the node
    /// shares and is valid until the next call of agree().
    /// Cost: no message inside a node; one all-gather among the nodes' leaders.
    template <typename T>
    std::span<const T> agree(const T& mine) {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) == record_bytes,
                      "one size for all, so that ranks in different calls can still be told so");
        return {reinterpret_cast<const T*>(exchange_records(&mine)),
                static_cast<std::size_t>(size())};
    }

    /// Collective: staging with at least so many slots, shared by all ranks of the node. All
    /// arguments agree on all ranks. Kept for the next time. Throws Error(memory) on all ranks
    /// where any node has not enough.
    Staging& shared_staging(int num_slots, Offset chunk_bytes);

    /// The same for this rank alone; not collective.
    Staging& private_staging(int num_slots, Offset chunk_bytes);

    /// Shared by the ranks of this node.
    Gate& gate() const;

    /// Sleeps until `is_true`, which is looked at again whenever a rank of this node has notified
    /// `event`. Gives MPI a chance to move the program's messages meanwhile.
    void wait_until(Event& event, const std::function<bool()>& is_true) const;

    static constexpr std::size_t record_bytes = 256;

  private:
    struct Control;

    void find_nodes();
    void make_control();
    const std::byte* exchange_records(const void* mine);
    void publish(std::byte* records);
    SharedMemory share(std::size_t bytes);
    std::byte* table(std::uint64_t epoch) const;

    mpi::Comm comm_;
    mpi::Comm node_comm_;
    mpi::Comm leaders_;
    std::vector<int> node_of_rank_;
    std::vector<int> node_ranks_;
    int num_nodes_ = 1;
    int node_rank_ = 0;
    std::uint64_t epoch_ = 0;
    SharedMemory control_memory_;
    Staging shared_staging_;
    Staging private_staging_;
    Control* control_ = nullptr;
    std::weak_ptr<Pool> pool_;
};

}  // namespace pario::exchange

/// Room `mpi`: the only one that makes MPI calls for the engine. One call, one check.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pario::mpi {

/// Throws Error(communication) with MPI's own text where `return_code` is not MPI_SUCCESS.
void check(int return_code, std::string_view mpi_call);

using Bytes = std::int64_t;

/// A communicator of our own: messages in it never meet the program's. Errors are returned by MPI
/// and thrown here.
class Comm {
  public:
    Comm() = default;
    /// Takes over `comm`, which freed() or the destructor frees.
    explicit Comm(MPI_Comm owned);
    ~Comm();
    Comm(Comm&& other) noexcept;
    Comm& operator=(Comm&& other) noexcept;
    Comm(const Comm&) = delete;
    Comm& operator=(const Comm&) = delete;

    /// Collective over `comm`.
    static Comm duplicate(MPI_Comm comm);
    /// Collective: the ranks that can share memory.
    Comm split_by_node() const;
    /// Collective: the ranks with the same `color` >= 0; an empty Comm for color < 0.
    Comm split(int color) const;

    explicit operator bool() const { return comm_ != MPI_COMM_NULL; }
    MPI_Comm handle() const { return comm_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

    void broadcast(std::span<std::byte> bytes, int root) const;
    std::int64_t minimum(std::int64_t value) const;
    /// `mine` of every rank, in order of rank.
    std::vector<int> gather_ints(int mine) const;
    /// Blobs of any size from every rank, in order of rank.
    std::vector<std::vector<std::byte>> gather_blobs(std::span<const std::byte> mine) const;
    /// Equal pieces: `counts[i]` bytes from rank i end to end in `all`.
    void gather_pieces(std::span<const std::byte> mine, std::span<std::byte> all,
                       std::span<const int> counts) const;

    /// Messages of at most 2 GiB - 1; the buffers stay the caller's until done() says so.
    MPI_Request send(std::span<const std::byte> message, int destination) const;
    MPI_Request receive(std::span<std::byte> message, int source) const;
    /// True where `request` has ended (it is then null). Null requests have ended.
    /// \param bytes  where given, set to the length of a message that was received
    static bool done(MPI_Request& request, Bytes* bytes = nullptr);

    /// Lets MPI move whatever messages of the program are under way. A rank that waits inside
    /// Pario for another must call this now and then: the other may be waiting for one of them.
    void progress() const;

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace pario::mpi

#include "mpi/comm.hpp"

#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace pario::mpi {

using base::checked_cast;

void check(int return_code, std::string_view mpi_call) {
    if (return_code == MPI_SUCCESS) {
        return;
    }
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(return_code, text, &length);
    throw base::Error(base::Errc::communication,
                      std::string(mpi_call) + " failed: " + std::string(text, length));
}

Comm::Comm(MPI_Comm owned) : comm_(owned) {
    if (comm_ != MPI_COMM_NULL) {
        check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
        check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    }
}

Comm::~Comm() {
    int finalized = 0;
    if (comm_ != MPI_COMM_NULL && MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized) {
        MPI_Comm_free(&comm_);
    }
}

Comm::Comm(Comm&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Comm& Comm::operator=(Comm&& other) noexcept {
    std::swap(comm_, other.comm_);
    std::swap(rank_, other.rank_);
    std::swap(size_, other.size_);
    return *this;
}

Comm Comm::duplicate(MPI_Comm comm) {
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
    return Comm(copy);
}

Comm Comm::split_by_node() const {
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
    return Comm(node);
}

Comm Comm::split(int color) const {
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(comm_, color < 0 ? MPI_UNDEFINED : color, rank_, &part),
          "MPI_Comm_split");
    return Comm(part);
}

void Comm::broadcast(std::span<std::byte> bytes, int root) const {
    check(MPI_Bcast(bytes.data(), checked_cast<int>(bytes.size()), MPI_BYTE, root, comm_),
          "MPI_Bcast");
}

std::int64_t Comm::minimum(std::int64_t value) const {
    std::int64_t least = value;
    check(MPI_Allreduce(&value, &least, 1, MPI_INT64_T, MPI_MIN, comm_), "MPI_Allreduce");
    return least;
}

std::vector<int> Comm::gather_ints(int mine) const {
    std::vector<int> all(size_);
    check(MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm_), "MPI_Allgather");
    return all;
}

void Comm::gather_pieces(std::span<const std::byte> mine, std::span<std::byte> all,
                         std::span<const int> counts) const {
    std::vector<int> starts(counts.size());
    std::int64_t start = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        starts[i] = checked_cast<int>(start);
        start += counts[i];
    }
    check(MPI_Allgatherv(mine.data(),
                         checked_cast<int>(mine.size()),
                         MPI_BYTE,
                         all.data(),
                         counts.data(),
                         starts.data(),
                         MPI_BYTE,
                         comm_),
          "MPI_Allgatherv");
}

std::vector<std::vector<std::byte>> Comm::gather_blobs(std::span<const std::byte> mine) const {
    const std::vector<int> counts = gather_ints(checked_cast<int>(mine.size()));
    std::size_t total = 0;
    for (const int count : counts) {
        total += static_cast<std::size_t>(count);
    }
    std::vector<std::byte> all(total);
    gather_pieces(mine, all, counts);
    std::vector<std::vector<std::byte>> blobs;
    blobs.reserve(counts.size());
    auto next = all.begin();
    for (const int count : counts) {
        blobs.emplace_back(next, next + count);
        next += count;
    }
    return blobs;
}

namespace {
constexpr int message_tag = 1;
}

MPI_Request Comm::send(std::span<const std::byte> message, int destination) const {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(message.data(),
                    checked_cast<int>(message.size()),
                    MPI_BYTE,
                    destination,
                    message_tag,
                    comm_,
                    &request),
          "MPI_Isend");
    return request;
}

MPI_Request Comm::receive(std::span<std::byte> message, int source) const {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(message.data(),
                    checked_cast<int>(message.size()),
                    MPI_BYTE,
                    source,
                    message_tag,
                    comm_,
                    &request),
          "MPI_Irecv");
    return request;
}

bool Comm::done(MPI_Request& request, Bytes* bytes) {
    const bool was_null = request == MPI_REQUEST_NULL;
    int flag = 0;
    MPI_Status status;
    check(MPI_Test(&request, &flag, &status), "MPI_Test");
    if (flag && bytes != nullptr && !was_null) {
        int count = 0;
        check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
        *bytes = count;
    }
    return flag != 0;
}

void Comm::progress() const {
    int flag = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

}  // namespace pario::mpi

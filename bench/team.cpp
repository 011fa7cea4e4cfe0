#include "team.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <thread>

#include <unistd.h>

namespace pario::bench {
namespace {

int count_nodes(int rank) {
    MPI_Comm node = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
    int rank_in_node = 0;
    check(MPI_Comm_rank(node, &rank_in_node), "MPI_Comm_rank");
    check(MPI_Comm_free(&node), "MPI_Comm_free");
    const int leads = rank_in_node == 0 ? 1 : 0;
    int num_nodes = 0;
    check(MPI_Allreduce(&leads, &num_nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    return num_nodes;
}

/// All ranks run under one kernel, whatever nodes the MPI makes of it, and so read one clock.
bool all_on_one_kernel() {
    std::string boot_id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot_id;
    std::array<char, 64> mine{};
    boot_id.copy(mine.data(), mine.size() - 1);
    std::array<char, 64> first = mine;
    check(MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD),
          "MPI_Bcast");
    const int same = !boot_id.empty() && first == mine ? 1 : 0;
    int all_same = 0;
    check(MPI_Allreduce(&same, &all_same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), "MPI_Allreduce");
    return all_same == 1;
}

/// The larger of each value over all ranks; waits asleep.
std::array<double, 2> max_asleep(const std::array<double, 2>& mine) {
    std::array<double, 2> largest = {};
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(
              mine.data(), largest.data(), 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request),
          "MPI_Iallreduce");
    int is_done = 0;
    while (true) {
        check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
        if (is_done != 0) {
            return largest;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

}  // namespace

void fail(const std::string& message) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "pario_bench: rank %d: %s\n", rank, message.c_str());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    std::abort();
}

void check(int code, const char* call) {
    if (code == MPI_SUCCESS) {
        return;
    }
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    fail(std::string(call) + ": " + text.data());
}

int to_count(std::int64_t count) {
    if (count > std::numeric_limits<int>::max()) {
        fail("more than 2^31 - 1 elements for one rank: use more ranks or fewer --bytes");
    }
    return static_cast<int>(count);
}

Team::Team() {
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    num_nodes_ = count_nodes(rank_);
    run_number_ = getpid();
    check(MPI_Bcast(&run_number_, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
    has_one_clock_ = all_on_one_kernel();
}

std::int64_t Team::max(std::int64_t value) const {
    std::int64_t largest = 0;
    check(MPI_Allreduce(&value, &largest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD),
          "MPI_Allreduce");
    return largest;
}

void Team::start_together() const {
    constexpr double until_all_know_s = 2e-3;
    const double start_s = max_asleep({now_s(), 0})[0] + until_all_know_s;
    if (has_one_clock_) {
        std::this_thread::sleep_for(std::chrono::duration<double>(start_s - now_s()));
    }
}

double Team::slowest(double begin_s, double end_s) const {
    const double origin_s = has_one_clock_ ? 0.0 : begin_s;
    const std::array<double, 2> mine = {origin_s - begin_s, end_s - origin_s};
    const std::array<double, 2> latest = max_asleep(mine);
    return latest[0] + latest[1];
}

}  // namespace pario::bench

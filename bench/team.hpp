/// The ranks that measure together: checked MPI calls, one clock, agreement on times.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <mpi.h>

namespace pario::bench {

/// Prints the message with the rank and ends all ranks with exit status 1. A benchmark has
/// nothing to recover: files are left where they are, so that they can be looked at.
[[noreturn]] void fail(const std::string& message);

/// Ends the run when an MPI call did not succeed.
/// \param call  its name, "MPI_File_open"
void check(int code, const char* call);

/// A count as MPI's calls of every version take it; ends the run where it does not fit.
int to_count(std::int64_t count);

/// A derived datatype, committed and owned.
class Datatype {
  public:
    explicit Datatype(MPI_Datatype type) : type_(type) {
        check(MPI_Type_commit(&type_), "MPI_Type_commit");
    }
    Datatype(Datatype&& other) noexcept : type_(other.type_) { other.type_ = MPI_DATATYPE_NULL; }
    Datatype& operator=(Datatype&&) = delete;
    Datatype(const Datatype&) = delete;
    Datatype& operator=(const Datatype&) = delete;
    ~Datatype() {
        if (type_ != MPI_DATATYPE_NULL) {
            MPI_Type_free(&type_);
        }
    }
    MPI_Datatype get() const { return type_; }

  private:
    MPI_Datatype type_;
};

/// All ranks of MPI_COMM_WORLD.
class Team {
  public:
    /// Collective.
    Team();

    int rank() const { return rank_; }
    int size() const { return size_; }
    bool is_first() const { return rank_ == 0; }
    /// Number of distinct shared-memory communicators.
    int num_nodes() const { return num_nodes_; }
    /// A number that keeps the files of this run apart from those of others: rank 0's process.
    int run_number() const { return run_number_; }

    /// Collective.
    void barrier() const { check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }

    /// Runs `body` on all ranks at once. Collective.
    /// \return seconds from the moment the first rank began to the moment the last one returned;
    ///         where the ranks have no clock in common, the longest time of one rank. The same on
    ///         all ranks.
    ///
    /// The waiting before and after sleeps. An MPI waits by spinning: where ranks outnumber
    /// processors, ranks that spin in a barrier would leave it some milliseconds apart, and those
    /// that are done would take the processor from those that are not.
    template <typename Body>
    double time(Body&& body) const {
        start_together();
        const double begin_s = now_s();
        body();
        return slowest(begin_s, now_s());
    }

    /// Collective; the largest value of all ranks, on all ranks.
    std::int64_t max(std::int64_t value) const;

  private:
    static double now_s() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }
    void start_together() const;
    double slowest(double begin_s, double end_s) const;

    int rank_ = 0;
    int size_ = 1;
    int num_nodes_ = 1;
    int run_number_ = 0;
    bool has_one_clock_ = true;
};

}  // namespace pario::bench

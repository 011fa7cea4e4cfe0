/// How a datatype was made: the arguments of its constructor, read back from MPI. Knows which
/// MPI has the large-count calls; knows nothing of layouts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

namespace pario::mpi {

/// MPI_COMBINER_VALUE_INDEX; before MPI 4.1 a value that no datatype has.
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
inline constexpr int value_index_combiner = MPI_COMBINER_VALUE_INDEX;
#else
inline constexpr int value_index_combiner = -1;
#endif

/// A handle that MPI_Type_get_contents gave: freed at the end, unless it is predefined.
class ContainedType {
  public:
    explicit ContainedType(MPI_Datatype handle);
    ContainedType(ContainedType&& other) noexcept;
    ContainedType(const ContainedType&) = delete;
    ContainedType& operator=(const ContainedType&) = delete;
    ContainedType& operator=(ContainedType&&) = delete;
    ~ContainedType();

    MPI_Datatype handle() const noexcept { return handle_; }

  private:
    MPI_Datatype handle_;
    bool must_be_freed_;
};

/// The constructor of a datatype and its arguments.
struct TypeContents {
    /// MPI_COMBINER_*; the removed MPI-1 names (…_INTEGER) appear as their successors.
    int combiner = MPI_COMBINER_NAMED;

    /// The numbers in the order of the constructor's argument list, counts, displacements and
    /// options alike, whether MPI keeps them as int, address or large count.
    std::vector<std::int64_t> numbers;

    std::vector<ContainedType> types;
};

struct TypeBounds {
    std::int64_t lower_bound;
    std::int64_t extent;
    std::int64_t size;
};

/// Throws Error(type) naming the MPI call where `result` is not MPI_SUCCESS.
void check_type_call(int result, const char* call);

/// The MPI_COMBINER_* of a datatype: one MPI call, no handles to free.
int combiner_of(MPI_Datatype type);

/// Types that MPI owns: they are never freed, and their handles never mean another type.
bool is_predefined(int combiner);

/// Empty lists for predefined types; they have no contents to ask for.
TypeContents contents_of(MPI_Datatype type);

TypeBounds bounds_of(MPI_Datatype type);

/// "MPI_COMBINER_DARRAY", for error texts.
std::string combiner_name(int combiner);

}  // namespace pario::mpi

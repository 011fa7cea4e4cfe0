#include "mpi/datatype_contents.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace pario::mpi {

namespace {

// What the calls that MPI 3.0 removed leave behind. Open MPI renames the three names where it
// leaves those calls out; the standard ABI has no such types.
#if defined(OMPI_OMIT_MPI1_COMPAT_DECLS) && OMPI_OMIT_MPI1_COMPAT_DECLS
constexpr int old_hvector = OMPI_WAS_MPI_COMBINER_HVECTOR_INTEGER;
constexpr int old_hindexed = OMPI_WAS_MPI_COMBINER_HINDEXED_INTEGER;
constexpr int old_struct = OMPI_WAS_MPI_COMBINER_STRUCT_INTEGER;
#elif !defined(MPI_H_ABI)
constexpr int old_hvector = MPI_COMBINER_HVECTOR_INTEGER;
constexpr int old_hindexed = MPI_COMBINER_HINDEXED_INTEGER;
constexpr int old_struct = MPI_COMBINER_STRUCT_INTEGER;
#else
constexpr int old_hvector = -2;
constexpr int old_hindexed = -3;
constexpr int old_struct = -4;
#endif

struct Envelope {
    int combiner = MPI_COMBINER_NAMED;
    std::int64_t num_integers = 0;
    std::int64_t num_addresses = 0;
    std::int64_t num_large_counts = 0;
    std::int64_t num_types = 0;
};

struct RawContents {
    explicit RawContents(const Envelope& envelope)
        : integers(envelope.num_integers),
          addresses(envelope.num_addresses),
          large_counts(envelope.num_large_counts),
          types(envelope.num_types, MPI_DATATYPE_NULL) {}

    std::vector<int> integers;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Count> large_counts;
    std::vector<MPI_Datatype> types;
};

#if MPI_VERSION >= 4

Envelope envelope_of(MPI_Datatype type) {
    Envelope envelope;
    MPI_Count integers = 0;
    MPI_Count addresses = 0;
    MPI_Count large_counts = 0;
    MPI_Count types = 0;
    check_type_call(MPI_Type_get_envelope_c(
                        type, &integers, &addresses, &large_counts, &types, &envelope.combiner),
                    "MPI_Type_get_envelope_c");
    envelope.num_integers = integers;
    envelope.num_addresses = addresses;
    envelope.num_large_counts = large_counts;
    envelope.num_types = types;
    return envelope;
}

RawContents raw_contents_of(MPI_Datatype type, const Envelope& envelope) {
    RawContents raw(envelope);
    check_type_call(MPI_Type_get_contents_c(type,
                                            envelope.num_integers,
                                            envelope.num_addresses,
                                            envelope.num_large_counts,
                                            envelope.num_types,
                                            raw.integers.data(),
                                            raw.addresses.data(),
                                            raw.large_counts.data(),
                                            raw.types.data()),
                    "MPI_Type_get_contents_c");
    return raw;
}

#else

Envelope envelope_of(MPI_Datatype type) {
    Envelope envelope;
    int integers = 0;
    int addresses = 0;
    int types = 0;
    check_type_call(MPI_Type_get_envelope(type, &integers, &addresses, &types, &envelope.combiner),
                    "MPI_Type_get_envelope");
    envelope.num_integers = integers;
    envelope.num_addresses = addresses;
    envelope.num_types = types;
    return envelope;
}

RawContents raw_contents_of(MPI_Datatype type, const Envelope& envelope) {
    RawContents raw(envelope);
    check_type_call(MPI_Type_get_contents(type,
                                          base::checked_cast<int>(envelope.num_integers),
                                          base::checked_cast<int>(envelope.num_addresses),
                                          base::checked_cast<int>(envelope.num_types),
                                          raw.integers.data(),
                                          raw.addresses.data(),
                                          raw.types.data()),
                    "MPI_Type_get_contents");
    return raw;
}

#endif

int modern(int combiner) {
    switch (combiner) {
        case old_hvector:
            return MPI_COMBINER_HVECTOR;
        case old_hindexed:
            return MPI_COMBINER_HINDEXED;
        case old_struct:
            return MPI_COMBINER_STRUCT;
        default:
            return combiner;
    }
}

/// How many integers stand before the large counts in the constructor's argument list (MPI 4.1,
/// section 5.1.13): subarrays and darrays keep their options as integers in every form.
std::size_t num_leading_integers(int combiner) {
    switch (combiner) {
        case MPI_COMBINER_SUBARRAY:
            return 1;  // ndims | sizes, subsizes, starts | order
        case MPI_COMBINER_DARRAY:
            return 3;  // size, rank, ndims | gsizes | distribs, dargs, psizes, order
        default:
            return 0;
    }
}

std::vector<std::int64_t> in_argument_order(int combiner, const RawContents& raw) {
    std::vector<std::int64_t> numbers;
    numbers.reserve(raw.integers.size() + raw.addresses.size() + raw.large_counts.size());
    const auto append = [&numbers](const auto& values) {
        numbers.insert(numbers.end(), values.begin(), values.end());
    };
    const std::span integers(raw.integers);
    const std::size_t num_leading = std::min(num_leading_integers(combiner), integers.size());
    append(integers.first(num_leading));
    append(raw.large_counts);
    append(integers.subspan(num_leading));
    append(raw.addresses);
    return numbers;
}

}  // namespace

ContainedType::ContainedType(MPI_Datatype handle)
    : handle_(handle), must_be_freed_(!is_predefined(combiner_of(handle))) {}

ContainedType::ContainedType(ContainedType&& other) noexcept
    : handle_(other.handle_), must_be_freed_(std::exchange(other.must_be_freed_, false)) {}

ContainedType::~ContainedType() {
    if (must_be_freed_) {
        MPI_Type_free(&handle_);
    }
}

void check_type_call(int result, const char* call) {
    if (result == MPI_SUCCESS) {
        return;
    }
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(result, text, &length);
    throw base::Error(base::Errc::type, std::string(call) + " failed: " + text);
}

int combiner_of(MPI_Datatype type) {
    return modern(envelope_of(type).combiner);
}

bool is_predefined(int combiner) {
    switch (combiner) {
        case MPI_COMBINER_NAMED:
        case MPI_COMBINER_F90_REAL:
        case MPI_COMBINER_F90_COMPLEX:
        case MPI_COMBINER_F90_INTEGER:
        case value_index_combiner:
            return true;
        default:
            return false;
    }
}

TypeContents contents_of(MPI_Datatype type) {
    const Envelope envelope = envelope_of(type);
    TypeContents contents;
    contents.combiner = modern(envelope.combiner);
    if (contents.combiner == MPI_COMBINER_NAMED) {
        return contents;  // MPI forbids to ask
    }
    contents.types.reserve(envelope.num_types);
    const RawContents raw = raw_contents_of(type, envelope);
    for (const MPI_Datatype handle : raw.types) {
        contents.types.emplace_back(handle);
    }
    contents.numbers = in_argument_order(contents.combiner, raw);
    return contents;
}

TypeBounds bounds_of(MPI_Datatype type) {
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    MPI_Count size = 0;
#if MPI_VERSION >= 4
    check_type_call(MPI_Type_get_extent_c(type, &lower_bound, &extent), "MPI_Type_get_extent_c");
    check_type_call(MPI_Type_size_c(type, &size), "MPI_Type_size_c");
#else
    check_type_call(MPI_Type_get_extent_x(type, &lower_bound, &extent), "MPI_Type_get_extent_x");
    check_type_call(MPI_Type_size_x(type, &size), "MPI_Type_size_x");
#endif
    return {lower_bound, extent, size};
}

std::string combiner_name(int combiner) {
    static const std::map<int, std::string> names = {
        {MPI_COMBINER_NAMED, "MPI_COMBINER_NAMED"},
        {MPI_COMBINER_DUP, "MPI_COMBINER_DUP"},
        {MPI_COMBINER_CONTIGUOUS, "MPI_COMBINER_CONTIGUOUS"},
        {MPI_COMBINER_VECTOR, "MPI_COMBINER_VECTOR"},
        {MPI_COMBINER_HVECTOR, "MPI_COMBINER_HVECTOR"},
        {MPI_COMBINER_INDEXED, "MPI_COMBINER_INDEXED"},
        {MPI_COMBINER_HINDEXED, "MPI_COMBINER_HINDEXED"},
        {MPI_COMBINER_INDEXED_BLOCK, "MPI_COMBINER_INDEXED_BLOCK"},
        {MPI_COMBINER_HINDEXED_BLOCK, "MPI_COMBINER_HINDEXED_BLOCK"},
        {MPI_COMBINER_STRUCT, "MPI_COMBINER_STRUCT"},
        {MPI_COMBINER_SUBARRAY, "MPI_COMBINER_SUBARRAY"},
        {MPI_COMBINER_DARRAY, "MPI_COMBINER_DARRAY"},
        {MPI_COMBINER_F90_REAL, "MPI_COMBINER_F90_REAL"},
        {MPI_COMBINER_F90_COMPLEX, "MPI_COMBINER_F90_COMPLEX"},
        {MPI_COMBINER_F90_INTEGER, "MPI_COMBINER_F90_INTEGER"},
        {MPI_COMBINER_RESIZED, "MPI_COMBINER_RESIZED"},
        {value_index_combiner, "MPI_COMBINER_VALUE_INDEX"},
    };
    const auto found = names.find(combiner);
    return found != names.end() ? found->second
                                : "MPI_Datatype combiner " + std::to_string(combiner);
}

}  // namespace pario::mpi

/// Datatypes with their bytes listed one by one: the oracle of the datatype tests. Each maker
/// calls the MPI constructor and writes the same typemap out as a list, straight from the
/// standard's definition; it shares no code with Pario. MPI_Pack is the second oracle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

namespace naive {

using Offsets = std::vector<std::int64_t>;

/// Frees a derived datatype with its last user.
class Handle {
  public:
    Handle(MPI_Datatype value, bool is_derived) : value_(value), is_derived_(is_derived) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (is_derived_) {
            MPI_Type_free(&value_);
        }
    }
    MPI_Datatype value() const { return value_; }

  private:
    MPI_Datatype value_;
    bool is_derived_;
};

struct Type {
    std::shared_ptr<Handle> handle;
    Offsets offsets;  ///< of each byte, in typemap order
    std::int64_t extent = 0;
    std::string text;

    MPI_Datatype mpi() const { return handle->value(); }
    std::int64_t size() const { return static_cast<std::int64_t>(offsets.size()); }
};

/// The extent that MPI states: an implementation may pad a structure as it likes.
inline std::int64_t mpi_extent(MPI_Datatype type) {
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    MPI_Type_get_extent_x(type, &lower_bound, &extent);
    return extent;
}

/// The MPI did not make a datatype that the standard allows.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws Refused where the constructor left no type.
inline Type finished(MPI_Datatype type, Offsets offsets, std::string text) {
    if (type == MPI_DATATYPE_NULL) {
        throw Refused(text);
    }
    MPI_Type_commit(&type);
    return {std::make_shared<Handle>(type, true),
            std::move(offsets),
            mpi_extent(type),
            std::move(text)};
}

/// A predefined type without gaps but, where given, before its second member.
inline Type named(MPI_Datatype type,
                  std::string text,
                  std::int64_t gap_at = 0,
                  std::int64_t gap_length = 0) {
    int size = 0;
    MPI_Type_size(type, &size);
    Offsets offsets;
    for (std::int64_t i = 0; i < size; ++i) {
        offsets.push_back(gap_at > 0 && i >= gap_at ? i + gap_length : i);
    }
    return {std::make_shared<Handle>(type, false), offsets, mpi_extent(type), std::move(text)};
}

inline Type int_type() {
    return named(MPI_INT, "INT");
}

inline Type short_int() {
    struct Pair {
        short value;
        int index;
    };
    return named(MPI_SHORT_INT, "SHORT_INT", sizeof(short), offsetof(Pair, index) - sizeof(short));
}

/// Appends `count` children, their extent apart, from byte `start`.
inline void append(Offsets& offsets, const Type& child, std::int64_t start, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        for (const std::int64_t offset : child.offsets) {
            offsets.push_back(start + i * child.extent + offset);
        }
    }
}

inline Offsets repeated(const Type& type, std::int64_t count) {
    Offsets offsets;
    append(offsets, type, 0, count);
    return offsets;
}

template <typename Numbers>
std::string list(const Numbers& numbers) {
    std::string text = "[";
    for (const auto number : numbers) {
        text += (text.size() > 1 ? " " : "") + std::to_string(number);
    }
    return text + "]";
}

inline std::string call(const std::string& name, const std::string& arguments, const Type& child) {
    return name + "(" + arguments + (arguments.empty() ? "" : ", ") + child.text + ")";
}

enum class Form { small, large };  ///< the int calls, or the _c ones where the MPI has them

#if MPI_VERSION >= 4
constexpr bool has_large_forms = true;
#define NAIVE_LARGE(statement) statement
#else
constexpr bool has_large_forms = false;
#define NAIVE_LARGE(statement)
#endif

inline Type dup(const Type& child) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_dup(child.mpi(), &type);
    return finished(type, child.offsets, call("dup", "", child));
}

inline Type resized(const Type& child, std::int64_t lower_bound, std::int64_t extent, Form form) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (form == Form::small) {
        MPI_Type_create_resized(child.mpi(), lower_bound, extent, &type);
    } else {
        NAIVE_LARGE(MPI_Type_create_resized_c(child.mpi(), lower_bound, extent, &type);)
    }
    return finished(
        type, child.offsets, call("resized", list(std::vector{lower_bound, extent}), child));
}

inline Type contiguous(const Type& child, int count, Form form) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (form == Form::small) {
        MPI_Type_contiguous(count, child.mpi(), &type);
    } else {
        NAIVE_LARGE(MPI_Type_contiguous_c(count, child.mpi(), &type);)
    }
    return finished(
        type, repeated(child, count), call("contiguous", list(std::vector{count}), child));
}

enum class Unit { extents, bytes };  ///< of strides and displacements

inline Type vector(const Type& child, int count, int length, int stride, Unit unit, Form form) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    if (unit == Unit::extents && form == Form::small) {
        MPI_Type_vector(count, length, stride, child.mpi(), &type);
    } else if (unit == Unit::bytes && form == Form::small) {
        MPI_Type_create_hvector(count, length, stride, child.mpi(), &type);
    } else if (unit == Unit::extents) {
        NAIVE_LARGE(MPI_Type_vector_c(count, length, stride, child.mpi(), &type);)
    } else {
        NAIVE_LARGE(MPI_Type_create_hvector_c(count, length, stride, child.mpi(), &type);)
    }
    Offsets offsets;
    for (std::int64_t i = 0; i < count; ++i) {
        append(offsets, child, i * stride * (unit == Unit::extents ? child.extent : 1), length);
    }
    return finished(type,
                    offsets,
                    call(unit == Unit::extents ? "vector" : "hvector",
                         list(std::vector{count, length, stride}),
                         child));
}

inline Offsets block_offsets(const Type& child,
                             const std::vector<int>& lengths,
                             const std::vector<int>& displacements,
                             Unit unit) {
    Offsets offsets;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const std::int64_t scale = unit == Unit::extents ? child.extent : 1;
        append(offsets, child, displacements[i] * scale, lengths[i]);
    }
    return offsets;
}

inline Type indexed(const Type& child,
                    const std::vector<int>& lengths,
                    const std::vector<int>& displacements,
                    Unit unit,
                    Form form) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int count = static_cast<int>(lengths.size());
    const std::vector<MPI_Aint> addresses(displacements.begin(), displacements.end());
    if (unit == Unit::extents && form == Form::small) {
        MPI_Type_indexed(count, lengths.data(), displacements.data(), child.mpi(), &type);
    } else if (unit == Unit::bytes && form == Form::small) {
        MPI_Type_create_hindexed(count, lengths.data(), addresses.data(), child.mpi(), &type);
    } else {
        NAIVE_LARGE(const std::vector<MPI_Count> a(lengths.begin(), lengths.end());
                    const std::vector<MPI_Count> b(displacements.begin(), displacements.end());
                    const auto create =
                        unit == Unit::extents ? MPI_Type_indexed_c : MPI_Type_create_hindexed_c;
                    create(count, a.data(), b.data(), child.mpi(), &type);)
    }
    return finished(type,
                    block_offsets(child, lengths, displacements, unit),
                    call(unit == Unit::extents ? "indexed" : "hindexed",
                         list(lengths) + ", " + list(displacements),
                         child));
}

inline Type indexed_block(
    const Type& child, int length, const std::vector<int>& displacements, Unit unit, Form form) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int count = static_cast<int>(displacements.size());
    const std::vector<MPI_Aint> addresses(displacements.begin(), displacements.end());
    if (unit == Unit::extents && form == Form::small) {
        MPI_Type_create_indexed_block(count, length, displacements.data(), child.mpi(), &type);
    } else if (unit == Unit::bytes && form == Form::small) {
        MPI_Type_create_hindexed_block(count, length, addresses.data(), child.mpi(), &type);
    } else {
        NAIVE_LARGE(const std::vector<MPI_Count> b(displacements.begin(), displacements.end());
                    const auto create = unit == Unit::extents ? MPI_Type_create_indexed_block_c
                                                              : MPI_Type_create_hindexed_block_c;
                    create(count, length, b.data(), child.mpi(), &type);)
    }
    const std::vector<int> lengths(displacements.size(), length);
    return finished(type,
                    block_offsets(child, lengths, displacements, unit),
                    call(unit == Unit::extents ? "indexed_block" : "hindexed_block",
                         std::to_string(length) + ", " + list(displacements),
                         child));
}

inline Type structure(const std::vector<Type>& children,
                      const std::vector<int>& lengths,
                      const std::vector<int>& displacements,
                      Form form) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int count = static_cast<int>(children.size());
    const std::vector<MPI_Aint> addresses(displacements.begin(), displacements.end());
    std::vector<MPI_Datatype> types;
    Offsets offsets;
    std::string text = "struct(" + list(lengths) + ", " + list(displacements);
    for (std::size_t i = 0; i < children.size(); ++i) {
        types.push_back(children[i].mpi());
        append(offsets, children[i], displacements[i], lengths[i]);
        text += ", " + children[i].text;
    }
    if (form == Form::small) {
        MPI_Type_create_struct(count, lengths.data(), addresses.data(), types.data(), &type);
    } else {
        NAIVE_LARGE(const std::vector<MPI_Count> a(lengths.begin(), lengths.end());
                    const std::vector<MPI_Count> b(displacements.begin(), displacements.end());
                    MPI_Type_create_struct_c(count, a.data(), b.data(), types.data(), &type);)
    }
    return finished(type, offsets, text + ")");
}

/// Calls visit(linear index, indices) for every element of an array, in storage order.
template <typename Visit>
void for_each_element(const std::vector<int>& sizes, int order, Visit&& visit) {
    std::vector<int> indices(sizes.size(), 0);
    std::int64_t total = 1;
    for (const int size : sizes) {
        total *= size;
    }
    for (std::int64_t linear = 0; linear < total; ++linear) {
        std::int64_t rest = linear;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const std::size_t d = order == MPI_ORDER_FORTRAN ? i : sizes.size() - 1 - i;
            indices[d] = static_cast<int>(rest % sizes[d]);
            rest /= sizes[d];
        }
        visit(linear, indices);
    }
}

inline Type subarray(const Type& child,
                     const std::vector<int>& sizes,
                     const std::vector<int>& subsizes,
                     const std::vector<int>& starts,
                     int order,
                     Form form) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int num_dimensions = static_cast<int>(sizes.size());
    if (form == Form::small) {
        MPI_Type_create_subarray(num_dimensions,
                                 sizes.data(),
                                 subsizes.data(),
                                 starts.data(),
                                 order,
                                 child.mpi(),
                                 &type);
    } else {
        NAIVE_LARGE(const std::vector<MPI_Count> a(sizes.begin(), sizes.end());
                    const std::vector<MPI_Count> b(subsizes.begin(), subsizes.end());
                    const std::vector<MPI_Count> c(starts.begin(), starts.end());
                    MPI_Type_create_subarray_c(
                        num_dimensions, a.data(), b.data(), c.data(), order, child.mpi(), &type);)
    }
    Offsets offsets;
    for_each_element(sizes, order, [&](std::int64_t linear, const std::vector<int>& indices) {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (indices[i] < starts[i] || indices[i] >= starts[i] + subsizes[i]) {
                return;
            }
        }
        append(offsets, child, linear * child.extent, 1);
    });
    return finished(type,
                    offsets,
                    call("subarray",
                         list(sizes) + ", " + list(subsizes) + ", " + list(starts) +
                             (order == MPI_ORDER_C ? ", C" : ", F"),
                         child));
}

struct Darray {
    std::vector<int> sizes, distributions, arguments, grid;
    int order = MPI_ORDER_C;

    int num_processes() const {
        int product = 1;
        for (const int extent : grid) {
            product *= extent;
        }
        return product;
    }
};

/// The coordinate of the process that owns `index` of dimension `d`.
inline int owner(const Darray& array, std::size_t d, int index) {
    const int num_processes = array.grid[d];
    const bool is_default = array.arguments[d] == MPI_DISTRIBUTE_DFLT_DARG;
    if (array.distributions[d] == MPI_DISTRIBUTE_NONE) {
        return 0;
    }
    if (array.distributions[d] == MPI_DISTRIBUTE_BLOCK) {
        const int even = (array.sizes[d] + num_processes - 1) / num_processes;
        return index / (is_default ? even : array.arguments[d]);
    }
    return index / (is_default ? 1 : array.arguments[d]) % num_processes;
}

inline bool owns(const Darray& array, int rank, const std::vector<int>& indices) {
    for (std::size_t d = array.sizes.size(); d-- > 0;) {
        if (owner(array, d, indices[d]) != rank % array.grid[d]) {
            return false;
        }
        rank /= array.grid[d];
    }
    return true;
}

inline Type darray(const Type& child, const Darray& array, int rank, Form form) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    const int num_dimensions = static_cast<int>(array.sizes.size());
    if (form == Form::small) {
        MPI_Type_create_darray(array.num_processes(),
                               rank,
                               num_dimensions,
                               array.sizes.data(),
                               array.distributions.data(),
                               array.arguments.data(),
                               array.grid.data(),
                               array.order,
                               child.mpi(),
                               &type);
    } else {
        NAIVE_LARGE(const std::vector<MPI_Count> sizes(array.sizes.begin(), array.sizes.end());
                    MPI_Type_create_darray_c(array.num_processes(),
                                             rank,
                                             num_dimensions,
                                             sizes.data(),
                                             array.distributions.data(),
                                             array.arguments.data(),
                                             array.grid.data(),
                                             array.order,
                                             child.mpi(),
                                             &type);)
    }
    Offsets offsets;
    for_each_element(
        array.sizes, array.order, [&](std::int64_t linear, const std::vector<int>& indices) {
            if (owns(array, rank, indices)) {
                append(offsets, child, linear * child.extent, 1);
            }
        });
    return finished(type,
                    offsets,
                    call("darray",
                         "rank " + std::to_string(rank) + ", " + list(array.sizes) + ", distribs " +
                             list(array.distributions) + ", " + list(array.arguments) + ", grid " +
                             list(array.grid) + (array.order == MPI_ORDER_C ? ", C" : ", F"),
                         child));
}

}  // namespace naive

#include "mpi/datatype_decode.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/error.hpp"
#include "layout/arithmetic.hpp"
#include "mpi/datatype_array.hpp"

namespace pario::mpi {

using layout::checked_multiply;
using layout::Layout;
using layout::Offset;

namespace {

/// The distance between two neighbours that a constructor counts in: elements or bytes.
enum class Unit { extents, bytes };

Offset unit_bytes(Unit unit, const TypeLayout& child) {
    return unit == Unit::extents ? child.extent : 1;
}

/// `child`s as one block have neither gaps nor another order than their addresses.
bool is_seamless(const TypeLayout& child) {
    return child.layout.is_contiguous() && child.extent == child.size;
}

/// Blocks of `lengths[i]` children, at `displacements[i]` units.
Layout blocks(std::span<const Offset> lengths,
              std::span<const Offset> displacements,
              Unit unit,
              const TypeLayout& child) {
    std::vector<Offset> offsets;
    offsets.reserve(displacements.size());
    for (const Offset displacement : displacements) {
        offsets.push_back(checked_multiply(displacement, unit_bytes(unit, child)));
    }
    if (std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) ==
        lengths.end()) {
        return Layout::indexed(offsets, repeated(lengths.empty() ? 0 : lengths.front(), child));
    }
    if (is_seamless(child)) {
        std::vector<layout::Piece> pieces;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            pieces.push_back({layout::checked_add(offsets[i], child.layout.lower()),
                              checked_multiply(lengths[i], child.size)});
        }
        return Layout::pieces(pieces);
    }
    std::vector<layout::Part> parts;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        parts.push_back({offsets[i], repeated(lengths[i], child)});
    }
    return Layout::structure(parts);
}

Layout vector(Arguments& arguments, Unit unit, const TypeLayout& child) {
    const Offset count = arguments.next();
    const Offset length = arguments.next();
    const Offset stride = checked_multiply(arguments.next(), unit_bytes(unit, child));
    return Layout::strided(count, stride, repeated(length, child));
}

Layout indexed(Arguments& arguments, Unit unit, const TypeLayout& child) {
    const Offset count = arguments.next();
    const auto lengths = arguments.next(count);
    return blocks(lengths, arguments.next(count), unit, child);
}

Layout indexed_block(Arguments& arguments, Unit unit, const TypeLayout& child) {
    const Offset count = arguments.next();
    const std::vector<Offset> lengths(count, arguments.next());
    return blocks(lengths, arguments.next(count), unit, child);
}

Layout structure(Arguments& arguments, std::span<const TypeLayout> children) {
    const Offset count = arguments.next();
    const auto lengths = arguments.next(count);
    const auto displacements = arguments.next(count);
    std::vector<layout::Part> parts;
    for (std::size_t i = 0; i < children.size(); ++i) {
        parts.push_back({displacements[i], repeated(lengths[i], children[i])});
    }
    return Layout::structure(parts);
}

/// struct { value; index; } with C's alignment: MPI 4.1, section 6.9.4.
Layout value_index(const TypeLayout& value, const TypeLayout& index) {
    const Offset gap = (index.size - value.extent % index.size) % index.size;
    const std::vector<layout::Part> parts = {{0, value.layout}, {value.extent + gap, index.layout}};
    return Layout::structure(parts);
}

/// Every named type is one block, but for the one pair that has a gap on machines whose int is
/// wider than their short: a long double or a double fills up to where its int begins.
Layout named(MPI_Datatype type, Offset size) {
    struct ShortInt {
        short value;
        int index;
    };
    if (type != MPI_SHORT_INT) {
        return Layout::block(size);
    }
    const std::vector<layout::Piece> pieces = {{0, sizeof(short)},
                                               {offsetof(ShortInt, index), sizeof(int)}};
    return Layout::pieces(pieces);
}

}  // namespace

Layout repeated(Offset count, const TypeLayout& child) {
    return Layout::strided(count, child.extent, child.layout);
}

Layout decode(MPI_Datatype type,
              const TypeContents& contents,
              const TypeBounds& bounds,
              std::span<const TypeLayout> children) {
    Arguments arguments(contents.numbers);
    switch (contents.combiner) {
        case MPI_COMBINER_NAMED:
            return named(type, bounds.size);
        case MPI_COMBINER_F90_REAL:
        case MPI_COMBINER_F90_COMPLEX:
        case MPI_COMBINER_F90_INTEGER:
            return Layout::block(bounds.size);
        case MPI_COMBINER_STRUCT:
            return structure(arguments, children);
        default:
            break;
    }
    if (children.empty()) {
        throw base::Error(base::Errc::type,
                          combiner_name(contents.combiner) + " has no child type");
    }
    const TypeLayout& child = children.front();
    switch (contents.combiner) {
        case MPI_COMBINER_DUP:
        case MPI_COMBINER_RESIZED:
            return child.layout;
        case MPI_COMBINER_CONTIGUOUS:
            return repeated(arguments.next(), child);
        case MPI_COMBINER_VECTOR:
            return vector(arguments, Unit::extents, child);
        case MPI_COMBINER_HVECTOR:
            return vector(arguments, Unit::bytes, child);
        case MPI_COMBINER_INDEXED:
            return indexed(arguments, Unit::extents, child);
        case MPI_COMBINER_HINDEXED:
            return indexed(arguments, Unit::bytes, child);
        case MPI_COMBINER_INDEXED_BLOCK:
            return indexed_block(arguments, Unit::extents, child);
        case MPI_COMBINER_HINDEXED_BLOCK:
            return indexed_block(arguments, Unit::bytes, child);
        case MPI_COMBINER_SUBARRAY:
            return subarray(arguments, child);
        case MPI_COMBINER_DARRAY:
            return darray(arguments, child);
        case value_index_combiner:
            return value_index(child, children.back());
        default:
            throw base::Error(
                base::Errc::type,
                "cannot decode a datatype made by " + combiner_name(contents.combiner));
    }
}

}  // namespace pario::mpi

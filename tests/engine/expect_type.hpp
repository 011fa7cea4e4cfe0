/// Holds a datatype's layout against the naive list of its bytes, and against MPI_Pack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "layout/copy.hpp"
#include "mpi/datatype.hpp"
#include "naive_type.hpp"
#include <gtest/gtest.h>

#include <mpi.h>

namespace pario::mpi {

using layout::Layout;
using layout::Offset;
using naive::Offsets;

inline constexpr Offset reach = 1 << 21;      // offsets of the tests lie in [-reach, reach)
inline constexpr std::size_t num_planes = 3;  // bytes that number them

/// Memory in which the byte at an offset is byte `plane` of that offset's number: packed once
/// from each plane, the bytes tell where each of them came from.
inline const std::byte* plane(std::size_t number) {
    static const auto planes = [] {
        std::vector<std::vector<std::byte>> result(num_planes);
        for (std::size_t p = 0; p < num_planes; ++p) {
            result[p].resize(2 * reach);
            for (Offset i = 0; i < 2 * reach; ++i) {
                result[p][i] = static_cast<std::byte>(i >> (8 * p));
            }
        }
        return result;
    }();
    return planes[number].data() + reach;
}

/// The offsets that `pack(plane, out)` gathered its `size` bytes from.
inline Offsets gathered(Offset size,
                        const std::function<void(const std::byte*, std::byte*)>& pack) {
    Offsets offsets(size, 0);
    std::vector<std::byte> packed(size + 1);  // Open MPI refuses a null buffer, also for no bytes
    for (std::size_t p = 0; p < num_planes; ++p) {
        pack(plane(p), packed.data());
        for (Offset i = 0; i < size; ++i) {
            offsets[i] |= static_cast<Offset>(packed[i]) << (8 * p);
        }
    }
    for (Offset& offset : offsets) {
        offset -= reach;
    }
    return offsets;
}

inline Offsets layout_offsets(const Layout& layout) {
    return gathered(layout.size(), [&layout](const std::byte* base, std::byte* out) {
        layout::pack(base, layout, 0, layout.size(), out);
    });
}

inline Offsets mpi_offsets(MPI_Datatype type, int count, Offset size) {
    return gathered(size, [=](const std::byte* base, std::byte* out) {
        int position = 0;
        MPI_Pack(base, count, type, out, static_cast<int>(size), &position, MPI_COMM_SELF);
        EXPECT_EQ(position, size);
    });
}

inline void expect_offsets(const Offsets& actual, const Offsets& expected, const std::string& who) {
    ASSERT_EQ(actual.size(), expected.size()) << who;
    const auto [a, e] = std::mismatch(actual.begin(), actual.end(), expected.begin());
    if (a != actual.end()) {
        ADD_FAILURE() << who << ": stream byte " << a - actual.begin() << " at offset " << *a
                      << ", expected " << *e;
    }
}

/// Whose word counts besides the naive list's.
enum class Oracle { naive_and_mpi, naive_only };

inline void expect_same(const naive::Type& type, Oracle oracle = Oracle::naive_and_mpi) {
    SCOPED_TRACE(type.text);
    const TypeLayout& actual = layout_of(type.mpi());
    MPI_Count lower_bound = 0;
    MPI_Count extent = 0;
    MPI_Type_get_extent_x(type.mpi(), &lower_bound, &extent);
    EXPECT_EQ(actual.lower_bound, lower_bound);
    EXPECT_EQ(actual.extent, extent);
    EXPECT_EQ(actual.size, type.size());
    expect_offsets(layout_offsets(actual.layout), type.offsets, "the layout");
    for (const int count : {1, 3}) {
        const Offsets expected = naive::repeated(type, count);
        expect_offsets(layout_offsets(memory_layout(actual, count)), expected, "memory_layout");
        if (oracle == Oracle::naive_and_mpi) {
            expect_offsets(
                mpi_offsets(type.mpi(), count, count * type.size()), expected, "MPI_Pack");
        }
    }
}

}  // namespace pario::mpi

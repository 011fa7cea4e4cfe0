// Every datatype constructor as a layout, held against a naive list of bytes and MPI_Pack.
#include "mpi/datatype.hpp"

#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "expect_type.hpp"
#include "naive_type.hpp"
#include "random_type.hpp"
#include <gtest/gtest.h>

#include <mpi.h>

namespace pario::mpi {
namespace {

using layout::Layout;
using layout::Offset;
using naive::Form;
using naive::Offsets;
using naive::Unit;

std::vector<Form> forms() {
    return naive::has_large_forms ? std::vector{Form::small, Form::large}
                                  : std::vector{Form::small};
}

unsigned environment_or(const char* name, unsigned otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

void expect_random_types(naive::Range range, Oracle oracle) {
    const unsigned first = environment_or("PARIO_TEST_SEED", 1);
    const unsigned count = environment_or("PARIO_TEST_CASES", 1000);
    unsigned num_refused = 0;
    for (unsigned seed = first; seed < first + count; ++seed) {
        SCOPED_TRACE("PARIO_TEST_SEED=" + std::to_string(seed) + " PARIO_TEST_CASES=1");
        try {
            naive::Generator generator(seed, range);
            expect_same(generator.make(1 + static_cast<int>(seed % 4)), oracle);
        } catch (const naive::Refused&) {
            ++num_refused;
        }
    }
    std::cout << "seeds " << first << " to " << first + count - 1 << ", " << num_refused
              << " refused by the MPI\n";
    EXPECT_LE(num_refused, range == naive::Range::plain ? 0 : count / 5);
}

TEST(Datatype, RandomPlainTypes) {
    expect_random_types(naive::Range::plain, Oracle::naive_and_mpi);
}

// No MPI is an oracle here. MPICH 4.0.2 and 5.0.2 pack several instances of a contiguous type of
// negative extents elsewhere than its stated extent says; Open MPI 4.1.4 and 5.0.11 take an
// hvector with a stride of -1 byte for contiguous, and refuse a darray of an empty type.
TEST(Datatype, RandomWildTypes) {
    expect_random_types(naive::Range::wild, Oracle::naive_only);
}

TEST(Datatype, Named) {
    const std::vector<naive::Type> types = {
        naive::named(MPI_BYTE, "BYTE"),
        naive::named(MPI_PACKED, "PACKED"),
        naive::named(MPI_CHAR, "CHAR"),
        naive::named(MPI_WCHAR, "WCHAR"),
        naive::named(MPI_INT, "INT"),
        naive::named(MPI_UNSIGNED_LONG_LONG, "UNSIGNED_LONG_LONG"),
        naive::named(MPI_FLOAT, "FLOAT"),
        naive::named(MPI_LONG_DOUBLE, "LONG_DOUBLE"),
        naive::named(MPI_C_BOOL, "C_BOOL"),
        naive::named(MPI_C_DOUBLE_COMPLEX, "C_DOUBLE_COMPLEX"),
        naive::named(MPI_C_LONG_DOUBLE_COMPLEX, "C_LONG_DOUBLE_COMPLEX"),
        naive::named(MPI_AINT, "AINT"),
        naive::named(MPI_OFFSET, "OFFSET"),
        naive::named(MPI_COUNT, "COUNT"),
        naive::named(MPI_2INT, "2INT"),
        naive::named(MPI_FLOAT_INT, "FLOAT_INT"),
        naive::named(MPI_DOUBLE_INT, "DOUBLE_INT"),
        naive::named(MPI_LONG_INT, "LONG_INT"),
        naive::named(MPI_LONG_DOUBLE_INT, "LONG_DOUBLE_INT"),
        naive::short_int(),
    };
    for (const naive::Type& type : types) {
        expect_same(type);
        EXPECT_TRUE(layout_of(type.mpi()).is_committed_predefined) << type.text;
    }
}

TEST(Datatype, FortranPairs) {
    for (const MPI_Datatype type : {MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_2INTEGER}) {
        if (type != MPI_DATATYPE_NULL) {  // an MPI without Fortran
            expect_same(naive::named(type, "a Fortran pair"));
        }
    }
}

TEST(Datatype, FortranByPrecision) {
    using Create = std::function<int(MPI_Datatype*)>;
    const std::vector<Create> creates = {
        [](MPI_Datatype* type) { return MPI_Type_create_f90_real(6, 30, type); },
        [](MPI_Datatype* type) { return MPI_Type_create_f90_complex(15, 300, type); },
        [](MPI_Datatype* type) { return MPI_Type_create_f90_integer(9, type); },
    };
    for (const Create& create : creates) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        if (create(&type) != MPI_SUCCESS || type == MPI_DATATYPE_NULL) {
            continue;  // an MPI without Fortran
        }
        const naive::Type child = naive::named(type, "a Fortran type by precision");
        expect_same(child);
        expect_same(naive::vector(child, 3, 2, 5, Unit::extents, Form::small));
        expect_same(child);
    }
}

std::vector<naive::Darray> one_dimension(int size) {
    const int none = MPI_DISTRIBUTE_NONE;
    const int block = MPI_DISTRIBUTE_BLOCK;
    const int cyclic = MPI_DISTRIBUTE_CYCLIC;
    const int normal = MPI_DISTRIBUTE_DFLT_DARG;
    return {{{size}, {none}, {normal}, {1}},
            {{size}, {block}, {normal}, {2}},
            {{size}, {block}, {normal}, {3}},
            {{size}, {block}, {size}, {2}},
            {{size}, {cyclic}, {normal}, {2}},
            {{size}, {cyclic}, {2}, {2}},
            {{size}, {cyclic}, {3}, {3}}};
}

naive::Darray crossed(naive::Darray array, const naive::Darray& with) {
    const auto append = [](std::vector<int>& to, const std::vector<int>& from) {
        to.insert(to.end(), from.begin(), from.end());
    };
    append(array.sizes, with.sizes);
    append(array.distributions, with.distributions);
    append(array.arguments, with.arguments);
    append(array.grid, with.grid);
    return array;
}

/// Every rank, both orders, both forms.
void expect_same_everywhere(naive::Darray array, const naive::Type& child) {
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
        array.order = order;
        Offset sum = 0;
        for (int rank = 0; rank < array.num_processes(); ++rank) {
            for (const Form form : forms()) {
                const naive::Type type = naive::darray(child, array, rank, form);
                expect_same(type);
                sum += form == Form::small ? type.size() : 0;
            }
        }
        Offset whole = child.size();
        for (const int size : array.sizes) {
            whole *= size;
        }
        EXPECT_EQ(sum, whole) << "the ranks' shares do not make up the array";
    }
}

TEST(Darray, OneDimension) {
    for (const int size : {1, 2, 5, 6, 7, 12, 13}) {
        for (const naive::Darray& array : one_dimension(size)) {
            expect_same_everywhere(array, naive::int_type());
            expect_same_everywhere(array, naive::short_int());
        }
    }
}

TEST(Darray, TwoDimensionsMixed) {
    for (const naive::Darray& first : one_dimension(7)) {
        for (const naive::Darray& second : one_dimension(5)) {
            expect_same_everywhere(crossed(first, second), naive::int_type());
        }
    }
}

TEST(Darray, ThreeDimensionsMixed) {
    for (const naive::Darray& first : one_dimension(5)) {
        for (const naive::Darray& second : one_dimension(4)) {
            for (const naive::Darray& third : one_dimension(3)) {
                const naive::Darray array = crossed(crossed(first, second), third);
                if (array.grid[1] <= 2 && array.grid[2] <= 2) {
                    expect_same_everywhere(array, naive::named(MPI_SHORT, "SHORT"));
                }
            }
        }
    }
}

TEST(Darray, ExtentIsTheWholeArray) {
    const naive::Darray array = {{7, 5},
                                 {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
                                 {2, MPI_DISTRIBUTE_DFLT_DARG},
                                 {2, 3},
                                 MPI_ORDER_C};
    for (int rank = 0; rank < array.num_processes(); ++rank) {
        const naive::Type type = naive::darray(naive::int_type(), array, rank, Form::small);
        EXPECT_EQ(layout_of(type.mpi()).lower_bound, 0);
        EXPECT_EQ(layout_of(type.mpi()).extent, 7 * 5 * 4);
    }
}

TEST(Subarray, EveryPieceOfASmallArray) {
    const std::vector<int> sizes = {4, 3, 2};
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
        naive::for_each_element(sizes, order, [&](Offset, const std::vector<int>& starts) {
            std::vector<int> rooms;
            for (std::size_t d = 0; d < sizes.size(); ++d) {
                rooms.push_back(sizes[d] - starts[d]);
            }
            naive::for_each_element(rooms, order, [&](Offset, std::vector<int> subsizes) {
                for (int& subsize : subsizes) {
                    ++subsize;
                }
                const Form form = forms().back();
                const auto type =
                    naive::subarray(naive::int_type(), sizes, subsizes, starts, order, form);
                expect_same(type);
                EXPECT_EQ(layout_of(type.mpi()).extent, 4 * 3 * 2 * 4);
            });
        });
    }
}

TEST(Datatype, NegativeStridesAndLowerBounds) {
    for (const Form form : forms()) {
        const naive::Type backwards =
            naive::vector(naive::int_type(), 4, 2, -3, Unit::extents, form);
        expect_same(backwards);
        EXPECT_EQ(layout_of(backwards.mpi()).lower_bound, -36);
        EXPECT_EQ(layout_of(backwards.mpi()).extent, 44);
        expect_same(naive::indexed(backwards, {2, 1}, {-3, 1}, Unit::extents, form));
        expect_same(naive::resized(backwards, -40, -48, form));
        expect_same(naive::contiguous(naive::resized(naive::int_type(), 4, -8, form), 5, form));
        expect_same(naive::contiguous(naive::resized(naive::int_type(), 0, 0, form), 3, form));
    }
}

TEST(Datatype, EmptyTypes) {
    for (const Form form : forms()) {
        const naive::Type none = naive::contiguous(naive::int_type(), 0, form);
        expect_same(none);
        EXPECT_TRUE(layout_of(none.mpi()).layout.is_empty());
        expect_same(naive::vector(naive::int_type(), 0, 4, 9, Unit::extents, form));
        expect_same(naive::indexed(naive::int_type(), {}, {}, Unit::bytes, form));
        expect_same(
            naive::indexed(naive::int_type(), {0, 2, 0}, {1000, 3, -1000}, Unit::extents, form));
        expect_same(naive::structure({}, {}, {}, form));
        expect_same(naive::structure({none, naive::int_type()}, {3, 1}, {64, 8}, form));
    }
}

TEST(Datatype, StructureWithGapsAndDuplicates) {
    for (const Form form : forms()) {
        const naive::Type one = naive::structure(
            {naive::named(MPI_CHAR, "CHAR"), naive::int_type(), naive::named(MPI_DOUBLE, "DOUBLE")},
            {3, 2, 1},
            {0, 4, 16},
            form);
        expect_same(one);
        const naive::Type shuffled =
            naive::structure({one, naive::int_type(), one}, {1, 1, 2}, {64, 4, 128}, form);
        expect_same(shuffled);
        expect_same(naive::dup(naive::resized(shuffled, -8, 256, form)));
    }
}

constexpr std::size_t footprint_limit = 64 << 10;
constexpr int billion = 1'000'000'000;

TEST(Huge, VectorOfABillionPieces) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(billion, 1, 2, MPI_INT, &type);
    const TypeLayout& vector = layout_of(type);
    EXPECT_EQ(vector.size, 4LL * billion);
    EXPECT_EQ(vector.layout.num_blocks(), billion);
    EXPECT_EQ(vector.layout.offset_of(4LL * (billion - 1)), 8LL * (billion - 1));
    EXPECT_LT(vector.layout.footprint_bytes(), footprint_limit);
    MPI_Type_free(&type);
}

TEST(Huge, CyclicDarrayOfABillionPieces) {
    const int size = billion + 1;
    const int processes = 2;
    const int distribution = MPI_DISTRIBUTE_CYCLIC;
    const int argument = MPI_DISTRIBUTE_DFLT_DARG;
    for (const int rank : {0, 1}) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_darray(processes,
                               rank,
                               1,
                               &size,
                               &distribution,
                               &argument,
                               &processes,
                               MPI_ORDER_C,
                               MPI_BYTE,
                               &type);
        const TypeLayout& darray = layout_of(type);
        EXPECT_EQ(darray.size, billion / 2 + (rank == 0 ? 1 : 0));
        EXPECT_EQ(darray.layout.num_blocks(), darray.size);
        EXPECT_EQ(darray.extent, size);
        EXPECT_EQ(darray.layout.offset_of(darray.size - 1), rank == 0 ? billion : billion - 1);
        EXPECT_LT(darray.layout.footprint_bytes(), footprint_limit);
        MPI_Type_free(&type);
    }
}

TEST(Huge, BeyondTwoGiB) {
    const naive::Type chunk = naive::named(MPI_DOUBLE, "DOUBLE");
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Datatype rows = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(1 << 30, chunk.mpi(), &row);
    MPI_Type_create_hvector(3, 1, MPI_Aint{1} << 40, row, &rows);
    EXPECT_EQ(layout_of(row).size, Offset{1} << 33);
    EXPECT_TRUE(layout_of(row).layout.is_contiguous());
    EXPECT_EQ(layout_of(rows).size, Offset{3} << 33);
    EXPECT_EQ(layout_of(rows).layout.offset_of(Offset{2} << 33), Offset{2} << 40);
    EXPECT_EQ(memory_layout(layout_of(row), 1 << 10).size(), Offset{1} << 43);
    MPI_Type_free(&row);
    MPI_Type_free(&rows);
}

#if MPI_VERSION >= 4
TEST(Huge, LargeCountForms) {
    const MPI_Count count = MPI_Count{5} << 31;
    MPI_Datatype bytes = MPI_DATATYPE_NULL;
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    MPI_Datatype part = MPI_DATATYPE_NULL;
    MPI_Type_contiguous_c(count, MPI_BYTE, &bytes);
    MPI_Type_vector_c(count, 2, 3, MPI_INT, &vector);
    const MPI_Count displacements[] = {0, count};
    MPI_Type_create_indexed_block_c(2, count, displacements, MPI_BYTE, &blocks);
    const MPI_Count sizes[] = {count, 4};
    const MPI_Count subsizes[] = {count - 1, 2};
    const MPI_Count starts[] = {1, 2};
    MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_BYTE, &part);
    EXPECT_EQ(layout_of(bytes).size, count);
    EXPECT_EQ(layout_of(vector).size, 8 * count);
    EXPECT_EQ(layout_of(vector).layout.offset_of(8 * (count - 1)), 12 * (count - 1));
    EXPECT_EQ(layout_of(blocks).size, 2 * count);
    EXPECT_TRUE(layout_of(blocks).layout.is_contiguous());
    EXPECT_EQ(layout_of(part).size, 2 * (count - 1));
    EXPECT_EQ(layout_of(part).layout.lower(), 6);
    for (MPI_Datatype* const type : {&bytes, &vector, &blocks, &part}) {
        EXPECT_LT(layout_of(*type).layout.footprint_bytes(), footprint_limit);
        MPI_Type_free(type);
    }
}
#endif

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
TEST(Datatype, ValueIndexPairs) {
    const std::vector<std::pair<MPI_Datatype, MPI_Datatype>> pairs = {
        {MPI_SHORT, MPI_INT},
        {MPI_DOUBLE, MPI_INT},
        {MPI_CHAR, MPI_LONG},
        {MPI_INT, MPI_LONG},
        {MPI_LONG_DOUBLE, MPI_INT},
        {MPI_FLOAT, MPI_SHORT},
    };
    for (const auto& [value, index] : pairs) {
        MPI_Datatype pair = MPI_DATATYPE_NULL;
        MPI_Type_get_value_index(value, index, &pair);
        if (pair == MPI_DATATYPE_NULL) {
            continue;  // the MPI may refuse a pair
        }
        int value_size = 0;
        int index_size = 0;
        MPI_Type_size(value, &value_size);
        MPI_Type_size(index, &index_size);
        const int gap = (index_size - value_size % index_size) % index_size;
        const naive::Type type = naive::named(pair, "a pair", value_size, gap);
        expect_same(type);
        expect_same(naive::contiguous(type, 3, Form::small));
    }
}
#endif

TEST(Cache, SecondLookIsTheFirst) {
    const naive::Type type = naive::vector(naive::int_type(), 3, 1, 2, Unit::extents, Form::small);
    const TypeLayout& first = layout_of(type.mpi());
    EXPECT_EQ(&layout_of(type.mpi()), &first);
    EXPECT_EQ(&layout_of(MPI_INT), &layout_of(MPI_INT));
    EXPECT_FALSE(first.is_committed_predefined);
}

TEST(Cache, ChildStaysUsableAfterItsParentWasDecoded) {
    const naive::Type child = naive::vector(naive::int_type(), 3, 1, 2, Unit::extents, Form::small);
    const naive::Type parent = naive::contiguous(child, 2, Form::small);
    const TypeLayout& before = layout_of(child.mpi());
    layout_of(parent.mpi());
    EXPECT_EQ(&layout_of(child.mpi()), &before);
    expect_same(child);
    expect_same(parent);
}

TEST(Cache, DuplicateOutlivesItsOriginal) {
    std::optional<naive::Type> original =
        naive::vector(naive::int_type(), 3, 1, 2, Unit::extents, Form::small);
    layout_of(original->mpi());
    const naive::Type copy = naive::dup(*original);
    const TypeLayout& layout = layout_of(copy.mpi());
    original.reset();
    EXPECT_EQ(layout.size, 12);
    expect_same(copy);
}

TEST(Cache, HandleValuesMayComeBack) {
    std::vector<MPI_Datatype> seen;
    int num_reused = 0;
    for (int i = 0; i < 1000; ++i) {
        const naive::Type type =
            naive::vector(naive::int_type(), 1 + i % 7, 1, 2 + i % 3, Unit::extents, Form::small);
        num_reused += std::find(seen.begin(), seen.end(), type.mpi()) != seen.end() ? 1 : 0;
        seen.push_back(type.mpi());
        EXPECT_EQ(layout_of(type.mpi()).size, 4 * (1 + i % 7));
        expect_offsets(layout_offsets(layout_of(type.mpi()).layout), type.offsets, type.text);
    }
    EXPECT_GT(num_reused, 0) << "the test did not meet the case that it is for";
}

TEST(Cache, ManyThreadsOneType) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Query_thread(&provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        GTEST_SKIP() << "the MPI has no MPI_THREAD_MULTIPLE";
    }
    const naive::Type child = naive::vector(naive::int_type(), 3, 1, 2, Unit::extents, Form::small);
    const naive::Type type = naive::structure({child, child}, {2, 1}, {0, 100}, Form::small);
    std::vector<const TypeLayout*> found(4);
    std::vector<std::thread> threads;
    for (const TypeLayout*& mine : found) {
        threads.emplace_back([&mine, &type] { mine = &layout_of(type.mpi()); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(std::count(found.begin(), found.end(), found.front()), 4);
    expect_same(type);
}

base::Errc code_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const base::Error& error) {
        return error.code();
    }
    return base::Errc::success;
}

TEST(Errors, NullTypeAndNegativeCount) {
    EXPECT_EQ(code_of([] { layout_of(MPI_DATATYPE_NULL); }), base::Errc::type);
    EXPECT_EQ(code_of([] { memory_layout(layout_of(MPI_INT), -1); }), base::Errc::count);
}

}  // namespace
}  // namespace pario::mpi

int main(int argc, char** argv) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    testing::InitGoogleTest(&argc, argv);
    const int result = RUN_ALL_TESTS();
    MPI_Finalize();
    return result;
}

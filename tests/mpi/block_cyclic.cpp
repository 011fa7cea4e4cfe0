/// Distributed arrays as file views: MPI_Type_create_darray and subarray in 1, 2 and 3 dimensions.
///
/// Every byte of the file belongs to exactly one rank and its value is a function of its offset,
/// so one comparison of the whole file checks every piece of every rank.
#include "mpi_test.hpp"

namespace mpi_test {
namespace {

struct Dimension {
    int size;
    int kind;
    int argument = MPI_DISTRIBUTE_DFLT_DARG;
};

struct Distribution {
    std::vector<Dimension> dimensions;
    int order = MPI_ORDER_C;
    int element_bytes = 1;
};

constexpr int block = MPI_DISTRIBUTE_BLOCK;
constexpr int cyclic = MPI_DISTRIBUTE_CYCLIC;
constexpr int none = MPI_DISTRIBUTE_NONE;

/// A grid of all ranks; 1 in every dimension that is not dealt out.
std::vector<int> grid_for(const Distribution& array) {
    std::vector<int> grid;
    bool dealt = false;
    for (const Dimension& dimension : array.dimensions) {
        grid.push_back(dimension.kind == none ? 1 : 0);
        dealt = dealt || dimension.kind != none;
    }
    EXPECT_TRUE(dealt) << "a test needs one dimension that is dealt out";
    MPI_Dims_create(num_ranks(), static_cast<int>(grid.size()), grid.data());
    return grid;
}

Datatype darray(const Distribution& array, const std::vector<int>& grid) {
    std::vector<int> sizes;
    std::vector<int> kinds;
    std::vector<int> arguments;
    for (const Dimension& dimension : array.dimensions) {
        sizes.push_back(dimension.size);
        kinds.push_back(dimension.kind);
        arguments.push_back(dimension.argument);
    }
    const Datatype element = contiguous(array.element_bytes, MPI_BYTE);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_create_darray(num_ranks(),
                                     rank(),
                                     static_cast<int>(sizes.size()),
                                     sizes.data(),
                                     kinds.data(),
                                     arguments.data(),
                                     grid.data(),
                                     array.order,
                                     element,
                                     &type));
    return Datatype(type);
}

/// Which coordinate of the process grid has `index`, by the rules of HPF.
int owner(const Dimension& dimension, int index, int processes) {
    if (dimension.kind == none) {
        return 0;
    }
    const bool by_default = dimension.argument == MPI_DISTRIBUTE_DFLT_DARG;
    const int usual = dimension.kind == block ? (dimension.size + processes - 1) / processes : 1;
    return index / (by_default ? usual : dimension.argument) % processes;
}

int owner_rank(const Distribution& array, const std::vector<int>& grid, std::int64_t element) {
    const std::size_t rank_of_array = grid.size();
    std::vector<int> coordinates(rank_of_array);
    for (std::size_t step = 0; step < rank_of_array; ++step) {
        const std::size_t d = array.order == MPI_ORDER_C ? rank_of_array - 1 - step : step;
        const int size = array.dimensions[d].size;
        coordinates[d] = owner(array.dimensions[d], static_cast<int>(element % size), grid[d]);
        element /= size;
    }
    int result = 0;
    for (std::size_t d = 0; d < rank_of_array; ++d) {
        result = result * grid[d] + coordinates[d];
    }
    return result;
}

std::int64_t total_bytes(const Distribution& array) {
    std::int64_t bytes = array.element_bytes;
    for (const Dimension& dimension : array.dimensions) {
        bytes *= dimension.size;
    }
    return bytes;
}

/// What this rank holds: its elements in ascending order of their place in the whole array.
Bytes local_part(const Distribution& array, const std::vector<int>& grid) {
    Bytes part;
    for (std::int64_t at = 0; at < total_bytes(array); at += array.element_bytes) {
        if (owner_rank(array, grid, at / array.element_bytes) == rank()) {
            const Bytes element = values(at, array.element_bytes);
            part.insert(part.end(), element.begin(), element.end());
        }
    }
    return part;
}

/// Writes `part` through a view of `type`, checks the file, and reads it back.
void round_trip(const std::string& name,
                MPI_Datatype type,
                int element_bytes,
                const Bytes& part,
                const Bytes& whole) {
    const std::string path = path_of(name);
    const int bytes = static_cast<int>(part.size());
    const Datatype element = contiguous(element_bytes, MPI_BYTE);
    MPI_Status status{};
    {
        File file(path, create_rdwr);
        file.view(0, element, type);
        CHECK_MPI(MPI_File_write_all(file, part.data(), bytes, MPI_BYTE, &status));
        expect_bytes(status, bytes);
    }
    expect_contents(path, whole);
    File file(path, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
    file.view(0, element, type);
    Bytes again(part.size());
    CHECK_MPI(MPI_File_read_all(file, again.data(), bytes, MPI_BYTE, &status));
    expect_bytes(status, bytes);
    EXPECT_TRUE(same_bytes(again, part)) << "read back";
}

void check(const Distribution& array) {
    const std::vector<int> grid = grid_for(array);
    std::string text = "grid";
    for (std::size_t d = 0; d < grid.size(); ++d) {
        text += " " + std::to_string(grid[d]) + ":" + std::to_string(array.dimensions[d].size);
    }
    SCOPED_TRACE(text + " element bytes " + std::to_string(array.element_bytes));
    round_trip("darray",
               darray(array, grid),
               array.element_bytes,
               local_part(array, grid),
               values(0, total_bytes(array)));
}

TEST(BlockCyclic, OneDimensionEveryGrain) {
    for (const int grain : {1, 4, 12, 64, 1000, 4096, 65536}) {
        const int rounds = grain < 64 ? 50 : 3;
        check({{{grain * num_ranks() * rounds + grain / 2 + 1, cyclic, grain}}});
    }
}

TEST(BlockCyclic, OneDimensionOfLongerElements) {
    check({{{1001, cyclic}}, MPI_ORDER_C, 4});
    check({{{333, cyclic, 5}}, MPI_ORDER_C, 12});
    check({{{64, block}}, MPI_ORDER_C, 3000});
}

TEST(BlockCyclic, FewerBlocksThanRanks) {
    check({{{1, block}}, MPI_ORDER_C, 8});
    check({{{2, cyclic}}, MPI_ORDER_C, 8});
    check({{{5, block}}, MPI_ORDER_C, 8});
    check({{{10, cyclic, 6}}, MPI_ORDER_C, 8});
}

TEST(BlockCyclic, TwoDimensions) {
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
        check({{{37, block}, {29, block}}, order, 4});
        check({{{37, cyclic}, {29, cyclic}}, order, 4});
        check({{{37, cyclic, 3}, {29, cyclic, 5}}, order, 8});
        check({{{37, none}, {29, cyclic, 2}}, order, 4});
        check({{{37, block}, {29, none}}, order, 4});
    }
}

/// MPICH once built a wrong type where block and cyclic met in one array.
TEST(BlockCyclic, BlockAndCyclicMixed) {
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
        check({{{37, block}, {29, cyclic}}, order, 4});
        check({{{37, cyclic, 4}, {29, block}}, order, 4});
        check({{{11, block}, {13, cyclic, 2}, {7, none}}, order, 4});
        check({{{11, cyclic, 3}, {13, block}, {7, cyclic}}, order, 2});
    }
}

TEST(BlockCyclic, ThreeDimensions) {
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
        check({{{17, block}, {12, block}, {19, block}}, order, 4});
        check({{{17, cyclic, 2}, {12, cyclic, 3}, {19, cyclic, 4}}, order, 4});
        check({{{17, none}, {12, block}, {19, none}}, order, 16});
    }
}

/// Slabs of the slow dimension and of the fast one, ragged: the last rank has less or nothing.
TEST(BlockCyclic, SubarraySlabs) {
    const std::array<int, 2> sizes{23, 31};
    for (const std::size_t cut : {std::size_t{0}, std::size_t{1}}) {
        const int width = (sizes[cut] + num_ranks() - 1) / num_ranks();
        const int first = std::min(rank() * width, sizes[cut]);
        const int mine = std::min(width, sizes[cut] - first);
        std::array<int, 2> box = sizes;
        std::array<int, 2> start{0, 0};
        box[cut] =
            std::max(mine, 1);  // MPI wants at least one; a rank without a part writes nothing
        start[cut] = std::min(first, sizes[cut] - 1);
        MPI_Datatype type = MPI_DATATYPE_NULL;
        CHECK_MPI(MPI_Type_create_subarray(
            2, sizes.data(), box.data(), start.data(), MPI_ORDER_C, MPI_INT, &type));
        Bytes part;
        for (int row = start[0]; mine > 0 && row < start[0] + box[0]; ++row) {
            const Bytes line = values((row * sizes[1] + start[1]) * 4, box[1] * 4);
            part.insert(part.end(), line.begin(), line.end());
        }
        round_trip("subarray", Datatype(type), 4, part, values(0, sizes[0] * sizes[1] * 4));
    }
}

}  // namespace
}  // namespace mpi_test

#include "request.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace pario::bench {
namespace {

/// `count` words, repeated every `extent_bytes`.
Datatype resized_words(std::int64_t count, std::int64_t extent_bytes) {
    MPI_Datatype words = MPI_DATATYPE_NULL;
    check(MPI_Type_contiguous(to_count(count), MPI_INT32_T, &words), "MPI_Type_contiguous");
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    check(MPI_Type_create_resized(words, 0, static_cast<MPI_Aint>(extent_bytes), &resized),
          "MPI_Type_create_resized");
    check(MPI_Type_free(&words), "MPI_Type_free");
    return Datatype(resized);
}

using Shape = std::array<std::int64_t, 3>;

Datatype box_filetype(const Team& team, const Shape& shape, const std::array<int, 3>& grid) {
    const std::array<int, 3> sizes = {to_count(shape[0]), to_count(shape[1]), to_count(shape[2])};
    const std::array<int, 3> distributions = {
        MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
    const std::array<int, 3> arguments = {
        MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(MPI_Type_create_darray(team.size(),
                                 team.rank(),
                                 3,
                                 sizes.data(),
                                 distributions.data(),
                                 arguments.data(),
                                 grid.data(),
                                 MPI_ORDER_C,
                                 MPI_INT32_T,
                                 &type),
          "MPI_Type_create_darray");
    return Datatype(type);
}

/// The longest edge that fits into `bytes` and that every dimension of the grid divides, so that
/// all ranks have as many rows: level 1 is collective in each of them.
std::int64_t cube_edge(std::int64_t bytes, const std::array<int, 3>& grid) {
    const std::int64_t step = std::lcm(std::lcm(grid[0], grid[1]), grid[2]);
    std::int64_t edge = step;
    while ((edge + step) * (edge + step) * (edge + step) * word_bytes <= bytes) {
        edge += step;
    }
    if (edge * edge * edge * word_bytes > bytes) {
        fail("the smallest cube for these ranks has more than " + std::to_string(bytes) + " bytes");
    }
    return edge;
}

/// The rows of this rank's block; ranks are dealt to the grid in row-major order, as darray does.
Pieces box_pieces(const Team& team, const Shape& shape, const std::array<int, 3>& grid) {
    const Shape block = {shape[0] / grid[0], shape[1] / grid[1], shape[2] / grid[2]};
    const std::int64_t x = team.rank() / (grid[1] * grid[2]) * block[0];
    const std::int64_t y = team.rank() / grid[2] % grid[1] * block[1];
    const std::int64_t z = team.rank() % grid[2] * block[2];
    return {.begin = (x * shape[1] + y) * shape[2] + z,
            .length = block[2],
            .inner_count = block[1],
            .inner_stride = shape[2],
            .outer_count = block[0],
            .outer_stride = shape[1] * shape[2]};
}

}  // namespace

Request cyclic_request(const Team& team,
                       std::int64_t bytes,
                       std::int64_t grain_bytes,
                       std::int64_t memory_stride) {
    const std::int64_t turn_bytes = grain_bytes * team.size();
    const std::int64_t num_turns = bytes / turn_bytes;
    return {.total_bytes = num_turns * turn_bytes,
            .pieces = {.begin = team.rank() * grain_bytes / word_bytes,
                       .length = grain_bytes / word_bytes,
                       .inner_count = num_turns,
                       .inner_stride = turn_bytes / word_bytes},
            .filetype = resized_words(grain_bytes / word_bytes, turn_bytes),
            .displacement_bytes = team.rank() * grain_bytes,
            .element = resized_words(1, memory_stride * word_bytes),
            .memory_stride = memory_stride};
}

std::array<int, 3> cube_grid(const Team& team) {
    std::array<int, 3> grid = {0, 0, 0};
    check(MPI_Dims_create(team.size(), 3, grid.data()), "MPI_Dims_create");
    return grid;
}

Request cube_request(const Team& team,
                     std::int64_t cube_bytes,
                     std::int64_t bytes,
                     const std::array<int, 3>& grid) {
    const std::int64_t edge = cube_edge(cube_bytes, grid);
    const std::int64_t layer_bytes = edge * edge * grid[0] * word_bytes;
    const std::int64_t planes =
        std::clamp<std::int64_t>(bytes / layer_bytes, 1, edge / grid[0]) * grid[0];
    const Shape shape = {planes, edge, edge};
    return {.total_bytes = planes * edge * edge * word_bytes,
            .pieces = box_pieces(team, shape, grid),
            .filetype = box_filetype(team, shape, grid),
            .displacement_bytes = 0,
            .element = resized_words(1, word_bytes),
            .memory_stride = 1};
}

Pieces block_pieces(const Team& team, std::int64_t total_bytes) {
    const std::int64_t words = total_bytes / word_bytes / team.size();
    return {.begin = team.rank() * words, .length = words};
}

}  // namespace pario::bench

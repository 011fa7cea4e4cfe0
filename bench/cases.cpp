#include "cases.hpp"

#include <algorithm>

namespace pario::bench {
namespace {

/// Below this size of a piece in the file or in memory the MPI's own MPI-IO may need minutes for
/// what others move in a tenth of a second; it moves less there.
constexpr std::int64_t small_piece_bytes = 1024;

Case cyclic_case(const Team& team,
                 const Options& options,
                 std::int64_t grain_bytes,
                 std::int64_t memory_stride) {
    const bool is_small = grain_bytes < small_piece_bytes || memory_stride > 1;
    const std::int64_t native_bytes =
        is_small ? std::min(options.native_bytes, options.bytes) : options.bytes;
    if (grain_bytes * team.size() > native_bytes) {
        fail("one grain of " + std::to_string(grain_bytes) + " bytes for each rank is more than " +
             std::to_string(native_bytes) + " bytes");
    }
    return {.bench = memory_stride > 1 ? "memory" : "grain",
            .name = std::to_string(grain_bytes),
            .bytes = options.bytes,
            .native_bytes = native_bytes,
            .request = [&team, grain_bytes, memory_stride](std::int64_t bytes) {
                return cyclic_request(team, bytes, grain_bytes, memory_stride);
            }};
}

/// The share of the cube's planes that the MPI's own MPI-IO moves at a level. Level 1 makes a
/// collective call for every row, which takes it milliseconds where ranks outnumber processors.
/// Fewer planes change nothing in the rows.
constexpr std::int64_t planes_divisor(Level level) {
    return level == Level::piece_collective ? 16 : 1;
}

Case cube_case(const Team& team, const std::string& bench, std::int64_t bytes, Level level) {
    const std::array<int, 3> grid = cube_grid(team);
    const std::string grid_name =
        std::to_string(grid[0]) + "x" + std::to_string(grid[1]) + "x" + std::to_string(grid[2]);
    return {.bench = bench,
            .name = bench == "levels" ? std::to_string(static_cast<int>(level)) : grid_name,
            .level = level,
            .bytes = bytes,
            .native_bytes = bytes / planes_divisor(level),
            .request = [&team, grid, bytes](std::int64_t wanted) {
                return cube_request(team, bytes, wanted, grid);
            }};
}

}  // namespace

std::vector<Case> make_cases(const Team& team, const Options& options) {
    std::vector<Case> cases;
    if (options.has_bench("grain")) {
        for (const std::int64_t grain_bytes : options.grains_bytes) {
            cases.push_back(cyclic_case(team, options, grain_bytes, 1));
        }
    }
    if (options.has_bench("memory")) {
        for (const std::int64_t grain_bytes : {4, 64, 1024}) {
            cases.push_back(cyclic_case(team, options, grain_bytes, 2));
        }
    }
    if (options.has_bench("darray")) {
        cases.push_back(cube_case(team, "darray", options.bytes, Level::view_collective));
    }
    if (options.has_bench("levels")) {
        for (const Level level : {Level::piece_independent,
                                  Level::piece_collective,
                                  Level::view_independent,
                                  Level::view_collective}) {
            cases.push_back(cube_case(team, "levels", options.level_bytes, level));
        }
    }
    return cases;
}

}  // namespace pario::bench

/// The cases of every bench that moves data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "options.hpp"
#include "request.hpp"

namespace pario::bench {

/// One point of a bench: what the ranks ask for, in the size that each contender moves.
struct Case {
    std::string bench;
    std::string name;
    Level level = Level::view_collective;
    std::int64_t bytes = 0;         ///< of all ranks
    std::int64_t native_bytes = 0;  ///< the same for the MPI's own MPI-IO
    std::function<Request(std::int64_t bytes)> request;
};

/// The cases of the benches that were chosen, in the order to run them.
std::vector<Case> make_cases(const Team& team, const Options& options);

}  // namespace pario::bench

/// Bench "view": what setting a file view of 10^9 pieces costs.
#pragma once

#include <string>

#include "file_api.hpp"
#include "report.hpp"

namespace pario::bench {

/// Sets a view of 10^9 pieces for each rank, once by a darray and once by a vector. Collective.
/// \param who  name of the MPI-IO behind `api`
void measure_views(const Team& team,
                   const Options& options,
                   const Report& report,
                   const std::string& who,
                   const FileApi& api);

}  // namespace pario::bench

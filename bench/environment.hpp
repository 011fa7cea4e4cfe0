/// Facts about where a run happens, for the header of its report.
#pragma once

#include <string>

namespace pario::bench {

/// Name and version of the MPI library, one line.
std::string mpi_version();

/// Type of the file system that holds a directory: "ext4"; "unknown" where the system does not
/// tell.
std::string file_system(const std::string& directory);

}  // namespace pario::bench

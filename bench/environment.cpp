#include "environment.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <mpi.h>

namespace pario::bench {
namespace {

bool lies_under(const std::string& path, const std::string& mount) {
    return mount == "/" || path == mount || path.starts_with(mount + "/");
}

}  // namespace

std::string mpi_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string all(text.data());
    // Open MPI goes on with ", package: …" in the same line; MPICH pads with blanks.
    std::istringstream words(all.substr(0, std::min(all.find('\n'), all.find(", package"))));
    std::string version;
    for (std::string word; words >> word;) {
        version += (version.empty() ? "" : " ") + word;
    }
    return version;
}

std::string file_system(const std::string& directory) {
    const std::string path = std::filesystem::canonical(directory);
    std::ifstream mounts("/proc/self/mounts");
    std::string found = "unknown";
    std::string longest;
    std::string line;
    while (std::getline(mounts, line)) {
        std::istringstream fields(line);
        std::string device;
        std::string mount;
        std::string type;
        fields >> device >> mount >> type;
        // A later mount on the same place hides the earlier one.
        if (lies_under(path, mount) && mount.size() >= longest.size()) {
            longest = mount;
            found = type;
        }
    }
    return found;
}

}  // namespace pario::bench

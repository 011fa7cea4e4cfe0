#include "view_bench.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "request.hpp"

namespace pario::bench {
namespace {

constexpr int num_rows = 1000;
constexpr int pieces_in_row = 1'000'000;
constexpr std::int64_t num_pieces = std::int64_t{num_rows} * pieces_in_row;

/// Rows of single integers dealt cyclic(1) to the ranks. Two dimensions, since 10^9 pieces for
/// each rank are more than one dimension of a darray can count.
MPI_Datatype cyclic_darray(const Team& team) {
    const std::array<int, 2> sizes = {num_rows,
                                      to_count(std::int64_t{pieces_in_row} * team.size())};
    const std::array<int, 2> distributions = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC};
    const std::array<int, 2> arguments = {MPI_DISTRIBUTE_DFLT_DARG, 1};
    const std::array<int, 2> grid = {1, team.size()};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(MPI_Type_create_darray(team.size(),
                                 team.rank(),
                                 2,
                                 sizes.data(),
                                 distributions.data(),
                                 arguments.data(),
                                 grid.data(),
                                 MPI_ORDER_C,
                                 MPI_INT32_T,
                                 &type),
          "MPI_Type_create_darray");
    return type;
}

MPI_Datatype vector(const Team& team) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(MPI_Type_vector(to_count(num_pieces), 1, std::max(2, team.size()), MPI_INT32_T, &type),
          "MPI_Type_vector");
    return type;
}

/// Memory of this process that is resident and no file's, in bytes. Other counters of the system
/// lag behind by some hundred pages.
std::int64_t resident_bytes() {
    std::ifstream rollup("/proc/self/smaps_rollup");
    std::string word;
    while (rollup >> word && word != "Anonymous:") {
    }
    std::int64_t kibibytes = 0;
    if (!(rollup >> kibibytes)) {
        fail("/proc/self/smaps_rollup has no line \"Anonymous:\"");
    }
    return kibibytes * 1024;
}

struct ViewCase {
    const char* name;
    MPI_Datatype (*make)(const Team&);
    std::int64_t displacement_bytes;
};

/// Sets the view once, in an open file of its own, and adds time and memory. The datatype is new
/// as well, since an MPI-IO may keep what it learned with the datatype.
void set_view_once(const Team& team,
                   const FileApi& api,
                   const std::string& path,
                   const ViewCase& view,
                   ViewMeasurement& measurement) {
    const Datatype filetype(view.make(team));
    MPI_File file = MPI_FILE_NULL;
    check(api.open(MPI_COMM_WORLD,
                   path.c_str(),
                   MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                   MPI_INFO_NULL,
                   &file),
          "MPI_File_open");
    const std::int64_t before_bytes = resident_bytes();
    measurement.seconds.push_back(team.time([&] {
        check(api.set_view(file,
                           view.displacement_bytes,
                           MPI_INT32_T,
                           filetype.get(),
                           "native",
                           MPI_INFO_NULL),
              "MPI_File_set_view");
    }));
    const std::int64_t grown_bytes = team.max(resident_bytes() - before_bytes);
    measurement.memory_bytes = std::max(measurement.memory_bytes, grown_bytes);
    check(api.close(&file), "MPI_File_close");
}

}  // namespace

void measure_views(const Team& team,
                   const Options& options,
                   const Report& report,
                   const std::string& who,
                   const FileApi& api) {
    const std::array<ViewCase, 2> cases = {ViewCase{"darray", &cyclic_darray, 0},
                                           ViewCase{"vector", &vector, team.rank() * word_bytes}};
    const std::string path =
        options.directory + "/pario_bench." + std::to_string(team.run_number()) + ".view";
    for (const ViewCase& view : cases) {
        report.progress(std::string("view ") + view.name + " " + who);
        ViewMeasurement measurement{
            .name = view.name, .who = who, .pieces = num_pieces, .memory_bytes = 0, .seconds = {}};
        for (int repeat = 0; repeat < options.repeats; ++repeat) {
            set_view_once(team, api, path, view, measurement);
        }
        report.add(measurement);
    }
}

}  // namespace pario::bench

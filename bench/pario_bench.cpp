/// The program behind `pario bench`: Pario, the MPI's own MPI-IO and block I/O side by side, in
/// one process and one run. See --help.
#include <memory>
#include <vector>

#include "cases.hpp"
#include "contender.hpp"
#include "file_api.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "report.hpp"
#include "view_bench.hpp"

#include <mpi.h>

namespace pario::bench {
namespace {

std::vector<std::unique_ptr<Contender>> make_contenders(const Team& team, const Options& options) {
    std::vector<std::unique_ptr<Contender>> contenders;
    if (const auto pario = pario_api(); pario && options.has_contender("pario")) {
        contenders.push_back(make_mpi("pario", *pario));
    }
    if (options.has_contender("native")) {
        contenders.push_back(make_mpi("native", native_api()));
    }
    if (options.has_contender("block")) {
        contenders.push_back(make_block(team));
    }
    return contenders;
}

void run_views(const Team& team, const Options& options, const Report& report) {
    if (const auto pario = pario_api(); pario && options.has_contender("pario")) {
        measure_views(team, options, report, "pario", *pario);
    }
    if (options.native_view && options.has_contender("native")) {
        measure_views(team, options, report, "native", native_api());
    }
}

void run(const Options& options) {
    const Team team;
    const Report report(team);
    report.header(team, options);
    if (!pario_api()) {
        report.progress("linked with the MPI alone: Pario is not measured");
    }
    measure_copying(team, options, report);
    Measurer(team, options, report, make_contenders(team, options)).run(make_cases(team, options));
    if (options.has_bench("view")) {
        run_views(team, options, report);
    }
}

}  // namespace
}  // namespace pario::bench

int main(int argc, char** argv) {
    using namespace pario::bench;
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const Parsed parsed = parse(argc, argv, rank == 0 ? Printing::on : Printing::off);
    if (parsed.options) {
        run(*parsed.options);
    }
    MPI_Finalize();
    return parsed.exit_status;
}

/// The MPI's own MPI-IO stays reachable beside Pario's, in one process.
#include "drop_in.hpp"
#include "mpi_test.hpp"

namespace {

using mpi_test::create_rdwr;
using mpi_test::File;
using mpi_test::path_of;

TEST(Native, BothLibrariesWriteSideBySide) {
    if (!mpi_test::drop_in_present()) {
        GTEST_SKIP() << "nothing stands beside the MPI's own MPI-IO";
    }
    auto* const open = NATIVE(MPI_File_open);
    auto* const close = NATIVE(MPI_File_close);
    auto* const write = NATIVE(MPI_File_write_at_all);
    EXPECT_NE(open, &MPI_File_open);

    File ours(path_of("ours"), create_rdwr);
    MPI_File theirs = MPI_FILE_NULL;
    CHECK_MPI(open(MPI_COMM_WORLD, path_of("theirs").c_str(), create_rdwr, MPI_INFO_NULL, &theirs));
    const MPI_Offset mine = 100 * mpi_test::rank();
    const mpi_test::Bytes data = mpi_test::values(mine, 100);
    CHECK_MPI(write(theirs, mine, data.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_write_at_all(ours, mine, data.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_MPI(close(&theirs));
    ours.close();

    const mpi_test::Bytes all = mpi_test::values(0, 100 * mpi_test::num_ranks());
    mpi_test::expect_contents(path_of("ours"), all);
    mpi_test::expect_contents(path_of("theirs"), all);
}

}  // namespace

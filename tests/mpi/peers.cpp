/// A file written through the drop-in is the same to the MPI's own MPI-IO, and the other way round.
#include "drop_in.hpp"
#include "mpi_test.hpp"

namespace mpi_test {
namespace {

constexpr int turn = 24;
constexpr int num_turns = 200;

/// The functions of one MPI-IO that the tests use.
struct MpiIo {
    decltype(&MPI_File_open) open;
    decltype(&MPI_File_close) close;
    decltype(&MPI_File_set_view) set_view;
    decltype(&MPI_File_write_all) write_all;
    decltype(&MPI_File_read_all) read_all;
};

MpiIo drop_in() {
    return {
        MPI_File_open, MPI_File_close, MPI_File_set_view, MPI_File_write_all, MPI_File_read_all};
}

MpiIo native_io() {
    return {NATIVE(MPI_File_open),
            NATIVE(MPI_File_close),
            NATIVE(MPI_File_set_view),
            NATIVE(MPI_File_write_all),
            NATIVE(MPI_File_read_all)};
}

Bytes part_of_this_rank() {
    Bytes part;
    for (int i = 0; i < num_turns; ++i) {
        const Bytes piece = values(turn * (i * num_ranks() + rank()), turn);
        part.insert(part.end(), piece.begin(), piece.end());
    }
    return part;
}

MPI_File open_with_view(const MpiIo& io, const std::string& path, int amode) {
    MPI_File file = MPI_FILE_NULL;
    const Datatype filetype = turns(turn, num_ranks());
    CHECK_MPI(io.open(MPI_COMM_WORLD, path.c_str(), amode, MPI_INFO_NULL, &file));
    CHECK_MPI(io.set_view(file, turn * rank(), MPI_BYTE, filetype, "native", MPI_INFO_NULL));
    return file;
}

void write_file(const MpiIo& io, const std::string& path) {
    const Bytes part = part_of_this_rank();
    MPI_File file = open_with_view(io, path, create_rdwr);
    CHECK_MPI(io.write_all(
        file, part.data(), static_cast<int>(part.size()), MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_MPI(io.close(&file));
}

void expect_readable(const MpiIo& io, const std::string& path) {
    const Bytes part = part_of_this_rank();
    Bytes again(part.size());
    MPI_File file = open_with_view(io, path, MPI_MODE_RDONLY);
    CHECK_MPI(io.read_all(
        file, again.data(), static_cast<int>(again.size()), MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_MPI(io.close(&file));
    EXPECT_TRUE(same_bytes(again, part));
}

class Peers : public testing::Test {
  protected:
    void SetUp() override {
        if (!drop_in_present()) {
            GTEST_SKIP() << "there is only the MPI's own MPI-IO";
        }
    }
};

TEST_F(Peers, TheFunctionsAreNotTheSame) {
    EXPECT_NE(native_io().open, nullptr);
    EXPECT_NE(native_io().open, drop_in().open) << "the drop-in is not in the way";
}

TEST_F(Peers, NativeReadsWhatTheDropInWrote) {
    write_file(drop_in(), path_of("ours"));
    expect_contents(path_of("ours"), values(0, turn * num_turns * num_ranks()));
    expect_readable(native_io(), path_of("ours"));
}

TEST_F(Peers, DropInReadsWhatNativeWrote) {
    write_file(native_io(), path_of("theirs"));
    expect_contents(path_of("theirs"), values(0, turn * num_turns * num_ranks()));
    expect_readable(drop_in(), path_of("theirs"));
}

TEST_F(Peers, BothOpenInOneProgram) {
    write_file(drop_in(), path_of("both"));
    MPI_File ours = open_with_view(drop_in(), path_of("both"), MPI_MODE_RDONLY);
    MPI_File theirs = open_with_view(native_io(), path_of("both"), MPI_MODE_RDONLY);
    Bytes first(turn);
    Bytes second(turn);
    CHECK_MPI(drop_in().read_all(ours, first.data(), turn, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_MPI(native_io().read_all(theirs, second.data(), turn, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_TRUE(same_bytes(first, second));
    CHECK_MPI(native_io().close(&theirs));
    CHECK_MPI(drop_in().close(&ours));
}

}  // namespace
}  // namespace mpi_test

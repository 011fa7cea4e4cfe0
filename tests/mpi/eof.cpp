/// Reading at and past the end of a file: the status tells the bytes that were there, the memory
/// of missing bytes may be anything, and nothing is an error.
#include "mpi_test.hpp"

namespace mpi_test {
namespace {

constexpr int file_bytes = 1000;

class EndOfFile : public testing::Test {
  protected:
    EndOfFile() : path(path_of("eof")) { store_on_root(path, values(0, file_bytes)); }

    /// Expects that the first bytes of `buffer` are the file's from `offset` on.
    static void expect_prefix(Bytes buffer, int bytes, std::int64_t offset) {
        buffer.resize(static_cast<std::size_t>(bytes));
        EXPECT_TRUE(same_bytes(buffer, values(offset, bytes)));
    }

    std::string path;
};

int bytes_there(MPI_Offset offset, int wanted) {
    return static_cast<int>(std::clamp<MPI_Offset>(file_bytes - offset, 0, wanted));
}

TEST_F(EndOfFile, IndependentContiguous) {
    File file(path, MPI_MODE_RDONLY);
    for (const int offset : {0, 900, 999, 1000, 1001, 5000}) {
        SCOPED_TRACE(offset);
        Bytes buffer(200);
        MPI_Status status{};
        CHECK_MPI(MPI_File_read_at(file, offset, buffer.data(), 200, MPI_BYTE, &status));
        expect_bytes(status, bytes_there(offset, 200));
        expect_prefix(buffer, bytes_there(offset, 200), offset);
    }
}

TEST_F(EndOfFile, CollectiveContiguous) {
    File file(path, MPI_MODE_RDONLY);
    for (const int first : {0, 900, 999, 1000, 5000}) {
        const MPI_Offset offset = first + 50 * rank();
        SCOPED_TRACE(offset);
        Bytes buffer(200);
        MPI_Status status{};
        CHECK_MPI(MPI_File_read_at_all(file, offset, buffer.data(), 200, MPI_BYTE, &status));
        expect_bytes(status, bytes_there(offset, 200));
        expect_prefix(buffer, bytes_there(offset, 200), offset);
    }
}

/// Ranks take turns of 30 bytes; each asks for more turns than the file has.
TEST_F(EndOfFile, CollectiveInterleaved) {
    constexpr int turn = 30;
    constexpr int num_turns = 40;
    Bytes expected;
    for (int i = 0; i < num_turns; ++i) {
        const MPI_Offset at = turn * (i * num_ranks() + rank());
        const Bytes piece = values(at, bytes_there(at, turn));
        expected.insert(expected.end(), piece.begin(), piece.end());
    }
    for (const char* collective : {"enable", "disable"}) {
        SCOPED_TRACE(collective);
        const Info info(Hints{{"romio_cb_read", collective}});
        File file(path, MPI_MODE_RDONLY, info);
        file.view(turn * rank(), MPI_BYTE, turns(turn, num_ranks()), info);
        Bytes buffer(turn * num_turns);
        MPI_Status status{};
        CHECK_MPI(MPI_File_read_all(
            file, buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, &status));
        expect_bytes(status, static_cast<int>(expected.size()));
        buffer.resize(expected.size());
        EXPECT_TRUE(same_bytes(buffer, expected));
    }
}

TEST_F(EndOfFile, IndependentInterleaved) {
    File file(path, MPI_MODE_RDONLY);
    file.view(0, MPI_BYTE, turns(30, 2));
    Bytes buffer(900);
    MPI_Status status{};
    CHECK_MPI(MPI_File_read(file, buffer.data(), 900, MPI_BYTE, &status));
    // Pieces begin at 0, 60, … 960; the last is whole: 17 pieces of 30 bytes.
    expect_bytes(status, 17 * 30);
}

TEST_F(EndOfFile, LastPieceIsPartial) {
    File file(path, MPI_MODE_RDONLY);
    file.view(0, MPI_BYTE, turns(50, 3));
    Bytes buffer(500);
    MPI_Status status{};
    // Pieces begin at 0, 150, … 900, the one at 900 is whole; then from 980 only 20 are there.
    CHECK_MPI(MPI_File_read(file, buffer.data(), 500, MPI_BYTE, &status));
    expect_bytes(status, 7 * 50);
    file.view(80, MPI_BYTE, turns(50, 3));
    CHECK_MPI(MPI_File_read(file, buffer.data(), 500, MPI_BYTE, &status));
    expect_bytes(status, 6 * 50 + 20);
    expect_prefix(Bytes(buffer.begin() + 300, buffer.begin() + 320), 20, 980);
}

/// A count of whole elements where there is one, else MPI_UNDEFINED; elements count the parts.
TEST_F(EndOfFile, CountsOfLongerTypes) {
    File file(path, MPI_MODE_RDONLY);
    std::array<int, 20> buffer{};
    MPI_Status status{};
    int count = -1;
    CHECK_MPI(MPI_File_read_at(file, 960, buffer.data(), 20, MPI_INT, &status));
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 10);
    const Datatype triple = contiguous(3, MPI_INT);
    CHECK_MPI(MPI_File_read_at_all(file, 960, buffer.data(), 5, triple, &status));
    MPI_Get_count(&status, triple, &count);
    EXPECT_EQ(count, MPI_UNDEFINED);
    MPI_Get_elements(&status, triple, &count);
    EXPECT_EQ(count, 10);
}

TEST_F(EndOfFile, StridedMemoryIsFilledInOrder) {
    File file(path, MPI_MODE_RDONLY);
    Bytes buffer(200, 0);
    const Datatype every_second = vector(100, 1, 2, MPI_BYTE);
    MPI_Status status{};
    CHECK_MPI(MPI_File_read_at_all(file, 970, buffer.data(), 1, every_second, &status));
    expect_bytes(status, 30);
    for (int i = 0; i < 30; ++i) {
        EXPECT_EQ(buffer[2 * i], value_at(970 + i));
        EXPECT_EQ(buffer[2 * i + 1], 0) << "a gap in memory was touched";
    }
}

TEST_F(EndOfFile, EmptyFile) {
    store_on_root(path, {});
    File file(path, MPI_MODE_RDWR);
    Bytes buffer(100, 7);
    MPI_Status status{};
    CHECK_MPI(MPI_File_read_all(file, buffer.data(), 100, MPI_BYTE, &status));
    expect_bytes(status, 0);
    CHECK_MPI(MPI_File_read_at(file, 0, buffer.data(), 100, MPI_BYTE, &status));
    expect_bytes(status, 0);
    MPI_Offset size = -1;
    CHECK_MPI(MPI_File_get_size(file, &size));
    EXPECT_EQ(size, 0);
}

TEST_F(EndOfFile, OneRankReadsPastTheEndTheOthersDoNot) {
    File file(path, MPI_MODE_RDONLY);
    const MPI_Offset offset = rank() == num_ranks() - 1 ? 950 : 100;
    Bytes buffer(100);
    MPI_Status status{};
    CHECK_MPI(MPI_File_read_at_all(file, offset, buffer.data(), 100, MPI_BYTE, &status));
    expect_bytes(status, bytes_there(offset, 100));
    expect_prefix(buffer, bytes_there(offset, 100), offset);
}

/// Somebody else cuts the file while it is open here.
TEST_F(EndOfFile, TruncatedByAnotherProgram) {
    File file(path, MPI_MODE_RDONLY);
    Bytes buffer(500);
    MPI_Status status{};
    CHECK_MPI(MPI_File_read_at_all(file, 0, buffer.data(), 500, MPI_BYTE, &status));
    expect_bytes(status, 500);
    barrier();
    if (rank() == 0) {
        EXPECT_EQ(truncate(path.c_str(), 123), 0);
    }
    barrier();
    CHECK_MPI(MPI_File_read_at_all(file, 0, buffer.data(), 500, MPI_BYTE, &status));
    expect_bytes(status, 123);
    expect_prefix(buffer, 123, 0);
    CHECK_MPI(MPI_File_read_at(file, 100, buffer.data(), 500, MPI_BYTE, &status));
    expect_bytes(status, 23);
}

}  // namespace
}  // namespace mpi_test

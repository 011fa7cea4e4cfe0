/// Offsets, extents and counts beyond 2^31 and 2^32.
///
/// The files are sparse and the data small, but for one test that really moves more than 2 GiB
/// and runs only where PARIO_TEST_LARGE is set.
#include <climits>

#include "mpi_test.hpp"

namespace mpi_test {
namespace {

constexpr MPI_Offset gib = MPI_Offset{1} << 30;

/// `bytes` bytes of a file, read by a plain system call.
Bytes bytes_at(const std::string& path, MPI_Offset offset, std::size_t bytes) {
    Bytes buffer(bytes);
    const int file = open(path.c_str(), O_RDONLY);
    const auto got = pread(file, buffer.data(), bytes, offset);
    EXPECT_EQ(got, static_cast<ssize_t>(bytes)) << "offset " << offset;
    ::close(file);
    return buffer;
}

TEST(Large, OffsetsAroundTheLimits) {
    const std::string path = path_of("offsets");
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    for (const MPI_Offset limit : {2 * gib, 4 * gib, 8 * gib}) {
        SCOPED_TRACE(limit);
        const MPI_Offset at = limit - 5 + 10 * rank();
        const Bytes data = values(at, 10);
        CHECK_MPI(MPI_File_write_at_all(file, at, data.data(), 10, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_File_sync(file));
        EXPECT_TRUE(same_bytes(bytes_at(path, at, 10), data));
        Bytes again(10);
        CHECK_MPI(MPI_File_read_at(file, at, again.data(), 10, MPI_BYTE, MPI_STATUS_IGNORE));
        EXPECT_TRUE(same_bytes(again, data));
    }
}

TEST(Large, DisplacementAndPointer) {
    const std::string path = path_of("displacement");
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    file.view(3 * gib, MPI_INT, MPI_INT);
    CHECK_MPI(MPI_File_seek(file, gib + rank(), MPI_SEEK_SET));
    CHECK_MPI(MPI_File_write_all(file, values(0, 4).data(), 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_Offset position = -1;
    CHECK_MPI(MPI_File_get_position(file, &position));
    EXPECT_EQ(position, gib + rank() + 1);
    MPI_Offset byte = -1;
    CHECK_MPI(MPI_File_get_byte_offset(file, position, &byte));
    EXPECT_EQ(byte, 3 * gib + 4 * position);
    barrier();
    EXPECT_TRUE(same_bytes(bytes_at(path, 7 * gib + 4 * rank(), 4), values(0, 4)));
}

/// A filetype whose extent alone is beyond 32 bits.
TEST(Large, ExtentBeyond32Bits) {
    const std::string path = path_of("extent");
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    const Datatype piece = contiguous(8, MPI_BYTE);
    file.view(8 * rank(), MPI_BYTE, resized(piece, 5 * gib));
    const Bytes data = values(rank(), 24);
    CHECK_MPI(MPI_File_write_all(file, data.data(), 24, MPI_BYTE, MPI_STATUS_IGNORE));
    barrier();
    for (int i = 0; i < 3; ++i) {
        const Bytes part(data.begin() + 8 * i, data.begin() + 8 * i + 8);
        EXPECT_TRUE(same_bytes(bytes_at(path, 5 * gib * i + 8 * rank(), 8), part));
    }
}

/// Skips more than 2 GiB of each view: one piece of the filetype is longer than an int.
TEST(Large, PieceOfAViewBeyond2GiB) {
    const std::string path = path_of("piece");
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    const Datatype mebi = contiguous(1 << 20, MPI_BYTE);
    const Datatype piece = contiguous(3 * 1024, mebi);
    file.view(0, MPI_BYTE, resized(piece, 4 * gib));
    const Bytes data = values(rank(), 100);
    // Stream byte 3 GiB is the first of the second tile, which begins at 4 GiB.
    const MPI_Offset stream = 3 * gib - 50 + 1000 * rank();
    CHECK_MPI(MPI_File_write_at_all(file, stream, data.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE));
    barrier();
    if (rank() == 0) {
        EXPECT_TRUE(
            same_bytes(bytes_at(path, 3 * gib - 50, 50), Bytes(data.begin(), data.begin() + 50)));
        EXPECT_TRUE(same_bytes(bytes_at(path, 4 * gib, 50), Bytes(data.begin() + 50, data.end())));
    } else {
        EXPECT_TRUE(same_bytes(bytes_at(path, stream + gib, 100), data));
    }
}

TEST(Large, SizeBeyond32Bits) {
    const std::string path = path_of("size");
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    CHECK_MPI(MPI_File_set_size(file, 6 * gib + 1));
    MPI_Offset size = -1;
    CHECK_MPI(MPI_File_get_size(file, &size));
    EXPECT_EQ(size, 6 * gib + 1);
}

#if MPI_VERSION >= 4
TEST(Large, LargeCountCalls) {
    const std::string path = path_of("large_count");
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    const MPI_Count count = 1000;
    const MPI_Offset at = 1000 * rank();
    const Bytes data = values(at, count);
    Bytes again(data.size());
    MPI_Status status{};
    CHECK_MPI(MPI_File_write_at_all_c(file, at, data.data(), count, MPI_BYTE, &status));
    expect_bytes(status, 1000);
    CHECK_MPI(MPI_File_read_at_c(file, at, again.data(), count, MPI_BYTE, &status));
    EXPECT_TRUE(same_bytes(again, data));
    CHECK_MPI(MPI_File_seek(file, at, MPI_SEEK_SET));
    CHECK_MPI(MPI_File_write_c(file, data.data(), count, MPI_BYTE, &status));
    CHECK_MPI(MPI_File_seek(file, at, MPI_SEEK_SET));
    CHECK_MPI(MPI_File_read_all_c(file, again.data(), count, MPI_BYTE, &status));
    expect_bytes(status, 1000);
    EXPECT_TRUE(same_bytes(again, data));
    CHECK_MPI(MPI_File_write_all_c(file, data.data(), 0, MPI_BYTE, &status));
    CHECK_MPI(MPI_File_read_at_all_c(file, at, again.data(), count, MPI_BYTE, &status));
    CHECK_MPI(MPI_File_write_at_c(file, at, data.data(), count, MPI_BYTE, &status));
    CHECK_MPI(MPI_File_read_c(file, again.data(), 0, MPI_BYTE, &status));
    expect_bytes(status, 0);
}

/// Large-count datatypes as a view and as memory.
TEST(Large, LargeCountDatatypes) {
    const std::string path = path_of("large_types");
    const std::array<MPI_Count, 2> lengths{8, 8};
    const std::array<MPI_Count, 2> offsets{0, 5 * gib};
    MPI_Datatype view = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_create_hindexed_c(2, lengths.data(), offsets.data(), MPI_BYTE, &view));
    const Datatype owned_view(view);
    MPI_Datatype memory = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_vector_c(16, 1, 2, MPI_BYTE, &memory));
    const Datatype owned_memory(memory);
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    file.view(16 * rank(), MPI_BYTE, owned_view);
    const Bytes data = values(rank(), 32);
    CHECK_MPI(MPI_File_write_all_c(file, data.data(), 1, owned_memory, MPI_STATUS_IGNORE));
    barrier();
    Bytes every_second;
    for (std::size_t i = 0; i < 32; i += 2) {
        every_second.push_back(data[i]);
    }
    EXPECT_TRUE(same_bytes(bytes_at(path, 16 * rank(), 8),
                           Bytes(every_second.begin(), every_second.begin() + 8)));
    EXPECT_TRUE(same_bytes(bytes_at(path, 5 * gib + 16 * rank(), 8),
                           Bytes(every_second.begin() + 8, every_second.end())));
}
#endif

/// One rank writes and reads 2 GiB and a bit in one call; the others take part with little.
TEST(Large, TransferBeyond2GiB) {
    if (getenv("PARIO_TEST_LARGE") == nullptr) {
        GTEST_SKIP() << "set PARIO_TEST_LARGE to move more than 2 GiB";
    }
    const std::string path = path_of("transfer");
    const std::int64_t mebibytes = rank() == 0 ? 2 * 1024 + 3 : 1;
    const Datatype mebi = contiguous(1 << 20, MPI_BYTE);
    const MPI_Offset first = rank() == 0 ? 0 : (2 * 1024 + 2 + rank()) * MPI_Offset{1 << 20};
    const Bytes data = values(first, mebibytes << 20);
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Status status{};
    const int count = static_cast<int>(mebibytes);
    CHECK_MPI(MPI_File_write_at_all(file, first, data.data(), count, mebi, &status));
    MPI_Count moved = -1;
    MPI_Get_elements_x(&status, MPI_BYTE, &moved);
    EXPECT_EQ(moved, mebibytes << 20);
    Bytes again(data.size());
    CHECK_MPI(MPI_File_read_at_all(file, first, again.data(), count, mebi, &status));
    EXPECT_TRUE(same_bytes(again, data));
    std::fill(again.begin(), again.end(), 0);
    CHECK_MPI(MPI_File_read_at(file, first, again.data(), count, mebi, &status));
    EXPECT_TRUE(same_bytes(again, data));
}

}  // namespace
}  // namespace mpi_test

/// Views and the individual file pointer, and what a status tells.
#include <cstring>
#include <numeric>
#include <vector>

#include "mpi_test.hpp"

namespace {

using mpi_test::create_rdwr;
using mpi_test::Datatype;
using mpi_test::File;
using mpi_test::path_of;

struct ViewOf {
    explicit ViewOf(MPI_File file) {
        CHECK_MPI(MPI_File_get_view(file, &displacement, &etype, &filetype, datarep));
    }
    MPI_Offset displacement = -1;
    MPI_Datatype etype = MPI_DATATYPE_NULL;
    MPI_Datatype filetype = MPI_DATATYPE_NULL;
    char datarep[MPI_MAX_DATAREP_STRING] = "";
};

MPI_Offset position_of(MPI_File file) {
    MPI_Offset position = -1;
    CHECK_MPI(MPI_File_get_position(file, &position));
    return position;
}

TEST(Views, DefaultIsBytes) {
    File file(path_of("default"), create_rdwr);
    const ViewOf view(file);
    EXPECT_EQ(view.displacement, 0);
    EXPECT_EQ(view.etype, MPI_BYTE);
    EXPECT_EQ(view.filetype, MPI_BYTE);
    EXPECT_STREQ(view.datarep, "native");
}

TEST(Views, GetViewGivesDuplicatesThatOutliveTheOriginals) {
    File file(path_of("duplicates"), create_rdwr);
    file.view(16, MPI_INT, mpi_test::resized(mpi_test::contiguous(2, MPI_INT), 32));
    ViewOf view(file);
    EXPECT_EQ(view.displacement, 16);
    EXPECT_EQ(view.etype, MPI_INT);
    MPI_Aint lower = -1;
    MPI_Aint extent = -1;
    CHECK_MPI(MPI_Type_get_extent(view.filetype, &lower, &extent));
    EXPECT_EQ(extent, 32);
    CHECK_MPI(MPI_Type_free(&view.filetype));
    ViewOf again(file);  // the file's own copy is still there
    CHECK_MPI(MPI_Type_get_extent(again.filetype, &lower, &extent));
    EXPECT_EQ(extent, 32);
    CHECK_MPI(MPI_Type_free(&again.filetype));
}

TEST(Views, InternalIsNative) {
    File file(path_of("internal"), create_rdwr);
    CHECK_MPI(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL));
    EXPECT_STREQ(ViewOf(file).datarep, "internal");
}

TEST(Views, ByteOffsetFollowsTheHoles) {
    File file(path_of("byte_offset"), create_rdwr);
    file.view(100, MPI_INT, mpi_test::resized(mpi_test::contiguous(2, MPI_INT), 40));
    for (const auto& [etype, byte] :
         {std::pair{0, 100}, {1, 104}, {2, 140}, {3, 144}, {20, 100 + 400}}) {
        MPI_Offset offset = -1;
        CHECK_MPI(MPI_File_get_byte_offset(file, etype, &offset));
        EXPECT_EQ(offset, byte) << "etype " << etype;
    }
}

TEST(Views, TypeExtentIsThatOfMemory) {
    File file(path_of("extent"), create_rdwr);
    const Datatype type = mpi_test::resized(MPI_DOUBLE, 24);
    MPI_Aint extent = 0;
    CHECK_MPI(MPI_File_get_type_extent(file, type, &extent));
    EXPECT_EQ(extent, 24);
}

TEST(Pointer, SeekCountsEtypesAndSetViewResets) {
    const std::string path = path_of("seek");
    mpi_test::store_on_root(path, mpi_test::values(0, 1000));
    File file(path, MPI_MODE_RDWR);
    file.view(0, MPI_INT, MPI_INT);
    CHECK_MPI(MPI_File_seek(file, 10, MPI_SEEK_SET));
    CHECK_MPI(MPI_File_seek(file, -3, MPI_SEEK_CUR));
    EXPECT_EQ(position_of(file), 7);
    CHECK_MPI(MPI_File_seek(file, -1, MPI_SEEK_END));
    EXPECT_EQ(position_of(file), 249);
    CHECK_MPI_CLASS(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
    CHECK_MPI_CLASS(MPI_File_seek(file, -8, 4711), MPI_ERR_ARG);
    EXPECT_EQ(position_of(file), 249);
    file.view(0, MPI_INT, MPI_INT);
    EXPECT_EQ(position_of(file), 0);
}

TEST(Pointer, EndOfAViewWithHoles) {
    const std::string path = path_of("end");
    mpi_test::store_on_root(path, mpi_test::values(0, 101));
    File file(path, MPI_MODE_RDWR);
    // bytes 0-3, 10-13, …, 90-93, and of the next piece only byte 100: a partial etype counts
    file.view(0, MPI_INT, mpi_test::hindexed({1}, {0}, mpi_test::resized(MPI_INT, 12)));
    CHECK_MPI(MPI_File_seek(file, 0, MPI_SEEK_END));
    EXPECT_EQ(position_of(file), 9);  // pieces at 0, 12, …, 96
    file.view(98, MPI_BYTE, MPI_BYTE);
    CHECK_MPI(MPI_File_seek(file, 0, MPI_SEEK_END));
    EXPECT_EQ(position_of(file), 3);
    file.view(200, MPI_BYTE, MPI_BYTE);
    CHECK_MPI(MPI_File_seek(file, 0, MPI_SEEK_END));
    EXPECT_EQ(position_of(file), 0);
}

TEST(Pointer, MovesByWhatWasMoved) {
    const std::string path = path_of("moved");
    mpi_test::store_on_root(path, mpi_test::values(0, 40));
    File file(path, MPI_MODE_RDWR);
    file.view(0, MPI_INT, MPI_INT);
    std::vector<int> data(8);
    MPI_Status status;
    CHECK_MPI(MPI_File_read(file, data.data(), 8, MPI_INT, &status));
    EXPECT_EQ(position_of(file), 8);
    CHECK_MPI(MPI_File_read_all(file, data.data(), 8, MPI_INT, &status));
    EXPECT_EQ(position_of(file), 10);
    int count = -1;
    CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
    EXPECT_EQ(count, 2);
    CHECK_MPI(MPI_File_read(file, data.data(), 8, MPI_INT, &status));
    EXPECT_EQ(position_of(file), 10);
    CHECK_MPI(MPI_Get_count(&status, MPI_INT, &count));
    EXPECT_EQ(count, 0);
}

TEST(Pointer, StaysWhereACallFails) {
    File file(path_of("stays"), create_rdwr);
    int value = 1;
    CHECK_MPI(MPI_File_write(file, &value, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_MPI_CLASS(MPI_File_write(file, &value, -4, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    CHECK_MPI_CLASS(MPI_File_write_all(file, &value, -4, MPI_BYTE, MPI_STATUS_IGNORE),
                    MPI_ERR_COUNT);
    EXPECT_EQ(position_of(file), 4);
}

TEST(Status, CountsItemsAndElementsOfDerivedTypes) {
    const std::string path = path_of("status");
    mpi_test::store_on_root(path, mpi_test::values(0, 4 * 7));
    File file(path, MPI_MODE_RDONLY);
    const Datatype pair = mpi_test::contiguous(2, MPI_INT);
    std::vector<int> data(20);
    MPI_Status status;
    std::memset(&status, 0x5a, sizeof status);
    const int untouched = status.MPI_ERROR;
    CHECK_MPI(MPI_File_read_at(file, 0, data.data(), 3, pair, &status));
    int number = -1;
    CHECK_MPI(MPI_Get_count(&status, pair, &number));
    EXPECT_EQ(number, 3);
    CHECK_MPI(MPI_Get_elements(&status, pair, &number));
    EXPECT_EQ(number, 6);
    MPI_Test_cancelled(&status, &number);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(status.MPI_ERROR, untouched);

    CHECK_MPI(MPI_File_read_at_all(file, 0, data.data(), 5, pair, &status));
    CHECK_MPI(MPI_Get_count(&status, pair, &number));
    EXPECT_EQ(number, MPI_UNDEFINED);
    CHECK_MPI(MPI_Get_elements(&status, pair, &number));
    EXPECT_EQ(number, 7);
}

/// A filetype that is longer than its extent: copies of it interleave, here to write the columns of
/// a matrix one after another.
TEST(Views, CopiesOfTheFiletypeMayInterleave) {
    constexpr int n = 8;
    const Datatype column = mpi_test::resized(mpi_test::vector(n, 1, n, MPI_INT), 4);
    std::vector<int> columns(n * n);
    std::iota(columns.begin(), columns.end(), 0);
    std::vector<int> rows(n * n);
    for (int i = 0; i < n * n; ++i) {
        rows[i % n * n + i / n] = i;
    }
    const auto bytes = reinterpret_cast<const unsigned char*>(rows.data());
    const mpi_test::Bytes expected(bytes, bytes + n * n * sizeof(int));
    for (const bool together : {false, true}) {
        const std::string path = path_of(together ? "columns_all" : "columns");
        File file(path, create_rdwr);
        CHECK_MPI(MPI_File_set_view(file, 0, MPI_INT, column, "native", MPI_INFO_NULL));
        const int count = mpi_test::rank() == 0 ? n * n : 0;
        const auto write = together ? MPI_File_write_at_all : MPI_File_write_at;
        const auto read = together ? MPI_File_read_at_all : MPI_File_read_at;
        CHECK_MPI(write(file, 0, columns.data(), count, MPI_INT, MPI_STATUS_IGNORE));
        mpi_test::expect_contents(path, expected);
        std::vector<int> back(n * n);
        CHECK_MPI(read(file, 0, back.data(), n * n, MPI_INT, MPI_STATUS_IGNORE));
        EXPECT_EQ(back, columns);
    }
}

TEST(Buffers, AbsoluteAddressesWithMpiBottom) {
    File file(path_of("bottom"), create_rdwr);
    int source = 4711 + mpi_test::rank();
    int target = 0;
    MPI_Aint address = 0;
    MPI_Get_address(&source, &address);
    const Datatype from = mpi_test::hindexed({1}, {address}, MPI_INT);
    MPI_Get_address(&target, &address);
    const Datatype to = mpi_test::hindexed({1}, {address}, MPI_INT);
    const MPI_Offset mine = 4 * mpi_test::rank();
    CHECK_MPI(MPI_File_write_at_all(file, mine, MPI_BOTTOM, 1, from, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_read_at(file, mine, MPI_BOTTOM, 1, to, MPI_STATUS_IGNORE));
    EXPECT_EQ(target, source);
}

#if MPI_VERSION >= 4
TEST(LargeCounts, MoveTheSameBytes) {
    File file(path_of("large"), create_rdwr);
    const MPI_Offset mine = 8 * mpi_test::rank();
    const double value = 1.5 + mpi_test::rank();
    double back = 0;
    CHECK_MPI(
        MPI_File_write_at_all_c(file, mine, &value, MPI_Count{1}, MPI_DOUBLE, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_read_at_c(file, mine, &back, MPI_Count{1}, MPI_DOUBLE, MPI_STATUS_IGNORE));
    EXPECT_EQ(back, value);
    MPI_Count extent = 0;
    CHECK_MPI(MPI_File_get_type_extent_c(file, MPI_DOUBLE, &extent));
    EXPECT_EQ(extent, 8);
}
#endif

}  // namespace

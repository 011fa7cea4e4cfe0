/// Wrong arguments: the class that the standard names, a text that says what and where, and no
/// rank that waits for ever.
#include <set>
#include <string>
#include <vector>

#include "mpi_test.hpp"

namespace {

using mpi_test::create_rdwr;
using mpi_test::Datatype;
using mpi_test::error_text;
using mpi_test::File;
using mpi_test::path_of;

int open_with(const std::string& path, int amode, MPI_Comm comm = MPI_COMM_WORLD) {
    MPI_File file = MPI_FILE_NULL;
    const int code = MPI_File_open(comm, path.c_str(), amode, MPI_INFO_NULL, &file);
    if (code == MPI_SUCCESS) {
        MPI_File_close(&file);
    }
    EXPECT_EQ(file, MPI_FILE_NULL);
    return code;
}

testing::AssertionResult names(int code, const std::vector<std::string>& parts) {
    const std::string text = error_text(code);
    for (const std::string& part : parts) {
        if (text.find(part) == std::string::npos) {
            return testing::AssertionFailure() << "'" << text << "' does not say '" << part << "'";
        }
    }
    return testing::AssertionSuccess();
}

TEST(Open, ForbiddenModes) {
    const std::string path = path_of("amode");
    for (const int amode : {0,
                            MPI_MODE_RDONLY | MPI_MODE_WRONLY,
                            MPI_MODE_RDONLY | MPI_MODE_RDWR,
                            int{MPI_MODE_CREATE},
                            MPI_MODE_RDONLY | MPI_MODE_CREATE,
                            MPI_MODE_RDONLY | MPI_MODE_EXCL,
                            MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
                            1 << 20 | MPI_MODE_RDWR}) {
        CHECK_MPI_CLASS(open_with(path, amode), MPI_ERR_AMODE) << "amode " << amode;
    }
}

TEST(Open, MissingFileNamesCallAndFile) {
    const std::string path = path_of("nowhere/at/all");
    const int code = open_with(path, MPI_MODE_RDONLY);
    CHECK_MPI_CLASS(code, MPI_ERR_NO_SUCH_FILE);
    EXPECT_TRUE(names(code, {"MPI_File_open", "nowhere/at/all"}));
}

TEST(Open, EveryRankHearsOfOneRanksMistake) {
    if (mpi_test::num_ranks() == 1) {
        GTEST_SKIP() << "needs two ranks";
    }
    const bool mistaken = mpi_test::rank() == mpi_test::num_ranks() - 1;
    CHECK_MPI_CLASS(open_with(path_of("differs"), mistaken ? MPI_MODE_RDWR : create_rdwr),
                    MPI_ERR_NOT_SAME);
    EXPECT_NE(open_with(mistaken ? "" : path_of("empty"), create_rdwr), MPI_SUCCESS);
}

TEST(Open, NullArguments) {
    MPI_File file = MPI_FILE_NULL;
    CHECK_MPI_CLASS(MPI_File_open(MPI_COMM_WORLD, nullptr, create_rdwr, MPI_INFO_NULL, &file),
                    MPI_ERR_ARG);
    CHECK_MPI_CLASS(MPI_File_open(MPI_COMM_NULL, "x", create_rdwr, MPI_INFO_NULL, &file),
                    MPI_ERR_COMM);
    CHECK_MPI_CLASS(MPI_File_delete("", MPI_INFO_NULL), MPI_ERR_BAD_FILE);
}

TEST(Transfers, WrongArguments) {
    File file(path_of("arguments"), create_rdwr);
    int value = 0;
    const auto ignore = MPI_STATUS_IGNORE;
    CHECK_MPI_CLASS(MPI_File_write(file, &value, -1, MPI_INT, ignore), MPI_ERR_COUNT);
    CHECK_MPI_CLASS(MPI_File_write_at(file, -1, &value, 1, MPI_INT, ignore), MPI_ERR_ARG);
    CHECK_MPI_CLASS(MPI_File_write(file, &value, 1, MPI_DATATYPE_NULL, ignore), MPI_ERR_TYPE);
    CHECK_MPI_CLASS(MPI_File_write(file, nullptr, 1, MPI_INT, ignore), MPI_ERR_BUFFER);
    CHECK_MPI(MPI_File_write(file, nullptr, 0, MPI_INT, ignore));
    const int code = MPI_File_write_at(file, -5, &value, 1, MPI_INT, ignore);
    EXPECT_TRUE(names(code, {"MPI_File_write_at", "arguments", "-5"}));
    file.view(0, MPI_INT, MPI_INT);
    CHECK_MPI_CLASS(MPI_File_write(file, &value, 3, MPI_BYTE, ignore), MPI_ERR_IO);
}

TEST(Transfers, OneRanksMistakeEndsTheCollectiveCallEverywhere) {
    File file(path_of("collective"), create_rdwr);
    const bool mistaken = mpi_test::rank() == 0;
    int value = 7;
    for (int repeat = 0; repeat < 3; ++repeat) {
        const MPI_Offset mine = 4 * mpi_test::rank();
        CHECK_MPI_CLASS(MPI_File_write_at_all(
                            file, mine, &value, mistaken ? -1 : 1, MPI_INT, MPI_STATUS_IGNORE),
                        MPI_ERR_COUNT);
        CHECK_MPI_CLASS(
            MPI_File_read_all(
                file, &value, 1, mistaken ? MPI_DATATYPE_NULL : MPI_INT, MPI_STATUS_IGNORE),
            MPI_ERR_TYPE);
        CHECK_MPI_CLASS(MPI_File_set_size(file, mistaken ? -1 : 100), MPI_ERR_ARG);
    }
    CHECK_MPI(
        MPI_File_write_at_all(file, 4 * mpi_test::rank(), &value, 1, MPI_INT, MPI_STATUS_IGNORE));
}

TEST(Permissions, DirectionMustFitTheMode) {
    const std::string path = path_of("direction");
    mpi_test::store_on_root(path, mpi_test::values(0, 64));
    int value = 0;
    File reader(path, MPI_MODE_RDONLY);
    CHECK_MPI_CLASS(MPI_File_write(reader, &value, 1, MPI_INT, MPI_STATUS_IGNORE),
                    MPI_ERR_READ_ONLY);
    CHECK_MPI_CLASS(MPI_File_write_all(reader, &value, 1, MPI_INT, MPI_STATUS_IGNORE),
                    MPI_ERR_READ_ONLY);
    CHECK_MPI_CLASS(MPI_File_set_size(reader, 3), MPI_ERR_READ_ONLY);
    CHECK_MPI_CLASS(MPI_File_preallocate(reader, 3), MPI_ERR_READ_ONLY);
    File writer(path, MPI_MODE_WRONLY);
    CHECK_MPI_CLASS(MPI_File_read(writer, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
    CHECK_MPI_CLASS(MPI_File_read_all(writer, &value, 1, MPI_INT, MPI_STATUS_IGNORE),
                    MPI_ERR_ACCESS);
}

TEST(Permissions, SequentialFilesHaveNoOffsets) {
    File file(path_of("sequential"), MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    int value = 0;
    MPI_Offset offset = 0;
    constexpr int refused = MPI_ERR_UNSUPPORTED_OPERATION;
    CHECK_MPI_CLASS(MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), refused);
    CHECK_MPI_CLASS(MPI_File_write_at_all(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), refused);
    CHECK_MPI_CLASS(MPI_File_seek(file, 0, MPI_SEEK_SET), refused);
    CHECK_MPI_CLASS(MPI_File_get_position(file, &offset), refused);
    CHECK_MPI_CLASS(MPI_File_get_byte_offset(file, 0, &offset), refused);
    CHECK_MPI(MPI_File_set_view(
        file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
}

int view_code(MPI_File file,
              MPI_Offset displacement,
              MPI_Datatype etype,
              MPI_Datatype filetype,
              const char* datarep = "native") {
    return MPI_File_set_view(file, displacement, etype, filetype, datarep, MPI_INFO_NULL);
}

TEST(Views, ForbiddenArguments) {
    File file(path_of("view"), create_rdwr);
    CHECK_MPI_CLASS(view_code(file, -1, MPI_BYTE, MPI_BYTE), MPI_ERR_ARG);
    CHECK_MPI_CLASS(view_code(file, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE), MPI_ERR_ARG);
    CHECK_MPI_CLASS(view_code(file, 0, MPI_DATATYPE_NULL, MPI_BYTE), MPI_ERR_TYPE);
    CHECK_MPI_CLASS(view_code(file, 0, MPI_BYTE, MPI_DATATYPE_NULL), MPI_ERR_TYPE);
    CHECK_MPI_CLASS(view_code(file, 0, MPI_INT, MPI_SHORT), MPI_ERR_TYPE);
    CHECK_MPI_CLASS(view_code(file, 0, MPI_BYTE, MPI_BYTE, nullptr), MPI_ERR_ARG);
    const int code = view_code(file, 0, MPI_BYTE, MPI_BYTE, "external32");
    CHECK_MPI_CLASS(code, MPI_ERR_UNSUPPORTED_DATAREP);
    EXPECT_TRUE(names(code, {"MPI_File_set_view", "external32"}));
    CHECK_MPI_CLASS(view_code(file, 0, MPI_BYTE, MPI_BYTE, "no such thing"),
                    MPI_ERR_UNSUPPORTED_DATAREP);
}

TEST(Views, ForbiddenFiletypes) {
    const Datatype negative = mpi_test::hindexed({1, 1}, {-4, 4}, MPI_INT);
    const Datatype decreasing = mpi_test::hindexed({1, 1}, {8, 0}, MPI_INT);
    const Datatype overlapping = mpi_test::hindexed({2, 2}, {0, 4}, MPI_INT);
    const std::string path = path_of("filetypes");
    {
        File file(path, create_rdwr);
        for (const MPI_Datatype bad : {MPI_Datatype(negative),
                                       MPI_Datatype(decreasing),
                                       MPI_Datatype(overlapping)}) {
            CHECK_MPI_CLASS(view_code(file, 0, MPI_INT, bad), MPI_ERR_TYPE);
        }
    }
    mpi_test::store_on_root(path, mpi_test::values(0, 64));
    File file(path, MPI_MODE_RDONLY);
    CHECK_MPI_CLASS(view_code(file, 0, MPI_INT, negative), MPI_ERR_TYPE);
    CHECK_MPI_CLASS(view_code(file, 0, MPI_INT, decreasing), MPI_ERR_TYPE);
    CHECK_MPI(view_code(file, 0, MPI_INT, overlapping));  // reading may see a byte twice
    mpi_test::Bytes bytes(16);
    CHECK_MPI(MPI_File_read_at(file, 0, bytes.data(), 16, MPI_BYTE, MPI_STATUS_IGNORE));
    mpi_test::Bytes expected = mpi_test::values(0, 8);
    const mpi_test::Bytes second = mpi_test::values(4, 8);
    expected.insert(expected.end(), second.begin(), second.end());
    EXPECT_TRUE(mpi_test::same_bytes(bytes, expected));
}

TEST(Views, EtypeExtentsMustAgree) {
    if (mpi_test::num_ranks() == 1) {
        GTEST_SKIP() << "needs two ranks";
    }
    File file(path_of("etypes"), create_rdwr);
    const MPI_Datatype etype = mpi_test::rank() == 0 ? MPI_INT : MPI_DOUBLE;
    CHECK_MPI_CLASS(view_code(file, 0, etype, etype), MPI_ERR_NOT_SAME);
    mpi_test::Bytes byte(1);
    CHECK_MPI(MPI_File_write(file, byte.data(), 1, MPI_BYTE, MPI_STATUS_IGNORE));  // old view
}

TEST(NotYet, SaysItsNameThroughTheFilesHandler) {
    File file(path_of("later"), create_rdwr);
    int value = 0;
    MPI_Request request = MPI_Request{};
    constexpr int refused = MPI_ERR_UNSUPPORTED_OPERATION;
    int code = MPI_File_iwrite_at_all(file, 0, &value, 1, MPI_INT, &request);
    CHECK_MPI_CLASS(code, refused);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_TRUE(names(code, {"MPI_File_iwrite_at_all", "later"}));
    code = MPI_File_read_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK_MPI_CLASS(code, refused);
    EXPECT_TRUE(names(code, {"MPI_File_read_ordered"}));
    CHECK_MPI_CLASS(MPI_File_write_all_begin(file, &value, 1, MPI_INT), refused);
    CHECK_MPI_CLASS(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), refused);
    CHECK_MPI_CLASS(MPI_Register_datarep("mine", nullptr, nullptr, nullptr, nullptr), refused);
}

TEST(Codes, AreBoundedAndTheNewestTextIsRight) {
    File file(path_of("bounded"), create_rdwr);
    std::set<int> codes;
    int value = 0;
    for (int i = 1; i <= 1000; ++i) {
        const int code = MPI_File_write_at(file, -i, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        EXPECT_TRUE(names(code, {"offset " + std::to_string(-i) + " "}));
        EXPECT_EQ(mpi_test::error_class(code), MPI_ERR_ARG);
        codes.insert(code);
    }
    EXPECT_LE(codes.size(), 256u);
    const int once = MPI_File_write_at(file, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT_EQ(once, MPI_File_write_at(file, -1, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
}

TEST(Codes, TextsThatAreTooLongAreCut) {
    const std::string name(3000, 'n');
    const int code = open_with(path_of(name), create_rdwr);
    CHECK_MPI_CLASS(code, MPI_ERR_BAD_FILE);
    EXPECT_TRUE(names(code, {"MPI_File_open"}));
}

}  // namespace

/// Files as a whole: handles in C and Fortran, access modes, sizes, groups, hints.
#include <string>
#include <vector>

#include "mpi_test.hpp"

namespace {

using mpi_test::Bytes;
using mpi_test::create_rdwr;
using mpi_test::File;
using mpi_test::path_of;

MPI_Offset size_of(MPI_File file) {
    MPI_Offset size = -1;
    CHECK_MPI(MPI_File_get_size(file, &size));
    return size;
}

bool exists(const std::string& path) {
    return std::filesystem::exists(path);
}

TEST(Handles, NullIsZeroInFortran) {
    EXPECT_EQ(MPI_File_c2f(MPI_FILE_NULL), 0);
    EXPECT_EQ(MPI_File_f2c(0), MPI_FILE_NULL);
}

TEST(Handles, ConvertBothWaysUnderBothNames) {
    File first(path_of("first"), create_rdwr);
    File second(path_of("second"), create_rdwr);
    const MPI_Fint number = MPI_File_c2f(first);
    EXPECT_NE(number, 0);
    EXPECT_NE(number, MPI_File_c2f(second));
    EXPECT_EQ(MPI_File_f2c(number), static_cast<MPI_File>(first));
    EXPECT_EQ(PMPI_File_c2f(first), number);
    EXPECT_EQ(PMPI_File_f2c(number), static_cast<MPI_File>(first));
    int amode = 0;
    CHECK_MPI(PMPI_File_get_amode(MPI_File_f2c(number), &amode));
    EXPECT_EQ(amode, create_rdwr);
}

#if MPI_VERSION >= 5
TEST(Handles, ConvertToIntegers) {
    File file(path_of("integer"), create_rdwr);
    EXPECT_EQ(MPI_File_fromint(MPI_File_toint(file)), static_cast<MPI_File>(file));
    EXPECT_EQ(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)), MPI_FILE_NULL);
}
#endif

TEST(Handles, StaleNullAndGarbageAreErrors) {
    MPI_File stale = MPI_FILE_NULL;
    {
        File file(path_of("stale"), create_rdwr);
        stale = file;
    }
    int local = 0;
    for (const MPI_File bad : {stale,
                               MPI_FILE_NULL,
                               reinterpret_cast<MPI_File>(&local),
                               reinterpret_cast<MPI_File>(std::uintptr_t{7777777})}) {
        MPI_Offset size = 0;
        CHECK_MPI_CLASS(MPI_File_get_size(bad, &size), MPI_ERR_FILE);
        MPI_File copy = bad;
        CHECK_MPI_CLASS(MPI_File_close(&copy), MPI_ERR_FILE);
        CHECK_MPI_CLASS(MPI_File_write_all(bad, &local, 1, MPI_INT, MPI_STATUS_IGNORE),
                        MPI_ERR_FILE);
    }
}

TEST(Files, SizePreallocateAndGroup) {
    File file(path_of("size"), create_rdwr);
    EXPECT_EQ(size_of(file), 0);
    CHECK_MPI(MPI_File_set_size(file, 1000));
    EXPECT_EQ(size_of(file), 1000);
    CHECK_MPI(MPI_File_preallocate(file, 500));
    EXPECT_EQ(size_of(file), 1000);
    CHECK_MPI(MPI_File_preallocate(file, 5000));
    EXPECT_EQ(size_of(file), 5000);

    MPI_Group group = MPI_GROUP_NULL;
    CHECK_MPI(MPI_File_get_group(file, &group));
    int members = 0;
    MPI_Group_size(group, &members);
    EXPECT_EQ(members, mpi_test::num_ranks());
    MPI_Group_free(&group);
}

TEST(Files, CallsAfterEachOtherSeeAtomicityAndSync) {
    File file(path_of("atomic"), create_rdwr);
    int flag = -1;
    CHECK_MPI(MPI_File_get_atomicity(file, &flag));
    EXPECT_EQ(flag, 0);
    CHECK_MPI(MPI_File_set_atomicity(file, 17));
    CHECK_MPI(MPI_File_get_atomicity(file, &flag));
    EXPECT_EQ(flag, 1);
    CHECK_MPI(MPI_File_sync(file));
}

TEST(Files, ExclusiveCreationFailsTheSecondTime) {
    const std::string path = path_of("exclusive");
    File(path, create_rdwr | MPI_MODE_EXCL).close();
    MPI_File file = MPI_FILE_NULL;
    CHECK_MPI_CLASS(
        MPI_File_open(
            MPI_COMM_WORLD, path.c_str(), create_rdwr | MPI_MODE_EXCL, MPI_INFO_NULL, &file),
        MPI_ERR_FILE_EXISTS);
    EXPECT_EQ(file, MPI_FILE_NULL);
}

TEST(Files, DeleteOnCloseAndDelete) {
    const std::string path = path_of("deleted");
    File(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE).close();
    EXPECT_FALSE(exists(path));
    File(path, create_rdwr).close();
    EXPECT_TRUE(exists(path));
    mpi_test::barrier();
    if (mpi_test::rank() == 0) {
        CHECK_MPI(MPI_File_delete(path.c_str(), MPI_INFO_NULL));
        EXPECT_FALSE(exists(path));
        CHECK_MPI_CLASS(MPI_File_delete(path.c_str(), MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    }
}

TEST(Files, AppendBeginsAtTheEnd) {
    const std::string path = path_of("append");
    mpi_test::store_on_root(path, mpi_test::values(0, 100));
    File file(path, MPI_MODE_WRONLY | MPI_MODE_APPEND);
    MPI_Offset position = -1;
    CHECK_MPI(MPI_File_get_position(file, &position));
    EXPECT_EQ(position, 100);
}

TEST(Files, FileSystemPrefixesAreNotPartOfTheName) {
    File("ufs:" + path_of("prefix"), create_rdwr).close();
    EXPECT_TRUE(exists(path_of("prefix")));
    File(path_of("other:colon"), create_rdwr).close();
    EXPECT_TRUE(exists(path_of("other:colon")));
}

TEST(Files, InfoTellsTheEffectiveHints) {
    const mpi_test::Info info({{"cb_buffer_size", "1048576"}, {"nobody_knows_this", "1"}});
    File file(path_of("info"), create_rdwr, info);
    MPI_Info used = MPI_INFO_NULL;
    CHECK_MPI(MPI_File_get_info(file, &used));
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    MPI_Info_get(used, "cb_buffer_size", MPI_MAX_INFO_VAL, value, &found);
    EXPECT_TRUE(found);
    EXPECT_STREQ(value, "1048576");
    CHECK_MPI(MPI_File_set_info(file, used));
    CHECK_MPI(MPI_File_set_info(file, MPI_INFO_NULL));
    MPI_Info_free(&used);
}

TEST(Files, OpenOnPartOfTheRanks) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, mpi_test::rank() % 2, 0, &half);
    {
        File file(path_of("half" + std::to_string(mpi_test::rank() % 2)),
                  create_rdwr,
                  MPI_INFO_NULL,
                  half);
        MPI_Comm_free(&half);  // the file goes on without it
        const int mine = mpi_test::rank();
        CHECK_MPI(MPI_File_write_at_all(
            file, (mpi_test::rank() / 2) * 4, &mine, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    mpi_test::barrier();
    EXPECT_EQ(mpi_test::load(path_of("half0")).size(), 4u * ((mpi_test::num_ranks() + 1) / 2));
}

}  // namespace

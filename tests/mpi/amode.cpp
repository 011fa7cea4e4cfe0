/// Opening, sizes, atomicity and consistency: what the modes allow and who sees what when.
#include "mpi_test.hpp"

namespace mpi_test {
namespace {

/// Opens and expects an error of the given class; closes if it opened all the same.
void expect_open_fails(const std::string& path,
                       int amode,
                       int expected_class,
                       MPI_Comm comm = MPI_COMM_WORLD) {
    MPI_File file = MPI_FILE_NULL;
    const int code = MPI_File_open(comm, path.c_str(), amode, MPI_INFO_NULL, &file);
    CHECK_MPI_CLASS(code, expected_class);
    if (code == MPI_SUCCESS) {
        MPI_File_close(&file);
    }
}

bool exists(const std::string& path) {
    barrier();
    const bool there = std::filesystem::exists(path);
    barrier();
    return there;
}

TEST(Amode, CombinationsThatAreForbidden) {
    const std::string path = path_of("forbidden");
    store_on_root(path, values(0, 10));
    expect_open_fails(path, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_ERR_AMODE);
    expect_open_fails(path, MPI_MODE_CREATE, MPI_ERR_AMODE);
    expect_open_fails(path, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_ERR_AMODE);
    expect_open_fails(path, MPI_MODE_RDONLY | MPI_MODE_EXCL, MPI_ERR_AMODE);
    expect_open_fails(path, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, MPI_ERR_AMODE);
    expect_contents(path, values(0, 10));
}

TEST(Amode, ExclusiveCreate) {
    const std::string path = path_of("exclusive");
    {
        File file(path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY);
    }
    EXPECT_TRUE(exists(path));
    expect_open_fails(path, create_rdwr | MPI_MODE_EXCL, MPI_ERR_FILE_EXISTS);
}

TEST(Amode, DeleteOnClose) {
    const std::string path = path_of("temporary");
    {
        File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
        EXPECT_TRUE(exists(path));
    }
    EXPECT_FALSE(exists(path));
}

/// Append puts all pointers at the end of the file at open.
TEST(Amode, Append) {
    const std::string path = path_of("append");
    store_on_root(path, values(0, 100));
    {
        File file(path, MPI_MODE_WRONLY | MPI_MODE_APPEND);
        MPI_Offset position = -1;
        CHECK_MPI(MPI_File_get_position(file, &position));
        EXPECT_EQ(position, 100);
        const int count = rank() == 0 ? 50 : 0;
        CHECK_MPI(
            MPI_File_write_all(file, values(100, 50).data(), count, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    expect_contents(path, values(0, 150));
}

TEST(Amode, OpeningDoesNotTruncate) {
    const std::string path = path_of("kept");
    store_on_root(path, values(0, 100));
    {
        File file(path, create_rdwr);
    }
    {
        File file(path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    }
    expect_contents(path, values(0, 100));
}

TEST(Amode, ReadOnlyForbidsWriting) {
    const std::string path = path_of("read_only");
    store_on_root(path, values(0, 100));
    {
        File file(path, MPI_MODE_RDONLY | MPI_MODE_UNIQUE_OPEN);
        const Bytes data(10);
        MPI_Status status{};
        CHECK_MPI_CLASS(MPI_File_write_at(file, 0, data.data(), 10, MPI_BYTE, &status),
                        MPI_ERR_READ_ONLY);
        CHECK_MPI_CLASS(MPI_File_write_all(file, data.data(), 10, MPI_BYTE, &status),
                        MPI_ERR_READ_ONLY);
        CHECK_MPI_CLASS(MPI_File_set_size(file, 5), MPI_ERR_READ_ONLY);
    }
    expect_contents(path, values(0, 100));
}

TEST(Amode, WriteOnlyForbidsReading) {
    const std::string path = path_of("write_only");
    File file(path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE);
    Bytes data(10);
    MPI_Status status{};
    CHECK_MPI_CLASS(MPI_File_read_at(file, 0, data.data(), 10, MPI_BYTE, &status), MPI_ERR_ACCESS);
    CHECK_MPI_CLASS(MPI_File_read_all(file, data.data(), 10, MPI_BYTE, &status), MPI_ERR_ACCESS);
}

/// A view with holes needs no right to read: the bytes between must survive without it.
TEST(Amode, WriteOnlyWithStridedView) {
    const std::string path = path_of("write_only_strided");
    const int turn = 10;
    const int period = 2 * num_ranks();
    Bytes expected(static_cast<std::size_t>(turn * period * 20), 0xEE);
    store_on_root(path, expected);
    Bytes mine;
    for (int i = 0; i < 20 * num_ranks(); ++i) {
        const Bytes piece = values(2 * i * turn, turn);
        std::copy(piece.begin(), piece.end(), expected.begin() + 2 * i * turn);
        if (i % num_ranks() == rank()) {
            mine.insert(mine.end(), piece.begin(), piece.end());
        }
    }
    for (const bool collective : {true, false}) {
        SCOPED_TRACE(collective);
        store_on_root(path, Bytes(expected.size(), 0xEE));
        {
            File file(path, MPI_MODE_WRONLY);
            file.view(2 * rank() * turn, MPI_BYTE, turns(turn, period));
            const int bytes = static_cast<int>(mine.size());
            const auto write = collective ? MPI_File_write_all : MPI_File_write;
            CHECK_MPI(write(file, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
        }
        expect_contents(path, expected);
    }
}

/// Only shared pointers are of use with MPI_MODE_SEQUENTIAL.
TEST(Amode, SequentialForbidsOffsetsAndSeeks) {
    const std::string path = path_of("sequential");
    File file(path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    const Bytes data(10);
    MPI_Status status{};
    MPI_Offset position = 0;
    CHECK_MPI_CLASS(MPI_File_write_at(file, 0, data.data(), 10, MPI_BYTE, &status),
                    MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_MPI_CLASS(MPI_File_write(file, data.data(), 10, MPI_BYTE, &status),
                    MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_MPI_CLASS(MPI_File_seek(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_MPI_CLASS(MPI_File_get_position(file, &position), MPI_ERR_UNSUPPORTED_OPERATION);
}

TEST(Amode, AmodeAndGroupComeBack) {
    const int amode = create_rdwr | MPI_MODE_UNIQUE_OPEN | MPI_MODE_DELETE_ON_CLOSE;
    File file(path_of("comes_back"), amode);
    int got = 0;
    CHECK_MPI(MPI_File_get_amode(file, &got));
    EXPECT_EQ(got, amode);
    MPI_Group group = MPI_GROUP_NULL;
    CHECK_MPI(MPI_File_get_group(file, &group));
    int ranks = 0;
    MPI_Group_size(group, &ranks);
    EXPECT_EQ(ranks, num_ranks());
    MPI_Group_free(&group);
}

TEST(Amode, Sizes) {
    const std::string path = path_of("sizes");
    MPI_Offset size = -1;
    {
        File file(path, create_rdwr);
        CHECK_MPI(MPI_File_set_size(file, 1000));
        CHECK_MPI(MPI_File_get_size(file, &size));
        EXPECT_EQ(size, 1000);
        CHECK_MPI(MPI_File_preallocate(file, 5000));
        CHECK_MPI(MPI_File_get_size(file, &size));
        EXPECT_EQ(size, 5000);
        CHECK_MPI(MPI_File_preallocate(file, 100));
        CHECK_MPI(MPI_File_get_size(file, &size));
        EXPECT_EQ(size, 5000) << "preallocate never shrinks";
        barrier();  // set_size may act before other ranks have asked
        CHECK_MPI(MPI_File_set_size(file, 70));
    }
    expect_contents(path, Bytes(70, 0));
}

TEST(Amode, PreallocateKeepsContents) {
    const std::string path = path_of("preallocate");
    store_on_root(path, values(0, 300));
    {
        File file(path, MPI_MODE_RDWR);
        CHECK_MPI(MPI_File_preallocate(file, 500));
    }
    Bytes expected = values(0, 300);
    expected.resize(500, 0);
    expect_contents(path, expected);
}

/// After write, sync, barrier, sync every rank sees the others' data.
TEST(Amode, SyncBarrierSync) {
    const std::string path = path_of("sync");
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    for (int round = 0; round < 5; ++round) {
        const auto seed = static_cast<std::uint64_t>(round);
        const Bytes mine = values(100 * rank(), 100, seed);
        CHECK_MPI(
            MPI_File_write_at(file, 100 * rank(), mine.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_File_sync(file));
        barrier();
        CHECK_MPI(MPI_File_sync(file));
        const int other = (rank() + 1) % num_ranks();
        Bytes theirs(100);
        CHECK_MPI(
            MPI_File_read_at(file, 100 * other, theirs.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE));
        EXPECT_TRUE(same_bytes(theirs, values(100 * other, 100, seed)));
        barrier();
    }
}

/// In atomic mode conflicting calls happen one after the other: all bytes are of one rank.
void check_one_winner(MPI_File file, int bytes, bool collective) {
    const Bytes mine(static_cast<std::size_t>(bytes), static_cast<unsigned char>(rank() + 1));
    const auto write = collective ? MPI_File_write_at_all : MPI_File_write_at;
    const auto read = collective ? MPI_File_read_at_all : MPI_File_read_at;
    for (int round = 0; round < 5; ++round) {
        CHECK_MPI(write(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
        barrier();
        Bytes seen(mine.size());
        CHECK_MPI(read(file, 0, seen.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
        EXPECT_TRUE(same_bytes(seen, Bytes(seen.size(), seen[0])));
        EXPECT_TRUE(seen[0] >= 1 && seen[0] <= num_ranks()) << int{seen[0]};
        barrier();
    }
}

TEST(Atomicity, ConflictingWritesOfOnePiece) {
    File file(path_of("atomic"), create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    int atomic = -1;
    CHECK_MPI(MPI_File_get_atomicity(file, &atomic));
    EXPECT_EQ(atomic, 0);
    CHECK_MPI(MPI_File_set_atomicity(file, 1));
    CHECK_MPI(MPI_File_get_atomicity(file, &atomic));
    EXPECT_EQ(atomic, 1);
    check_one_winner(file, 1 << 20, false);
    check_one_winner(file, 1 << 20, true);
}

TEST(Atomicity, ConflictingWritesOfManyPieces) {
    File file(path_of("atomic_pieces"), create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    CHECK_MPI(MPI_File_set_atomicity(file, 1));
    file.view(0, MPI_BYTE, turns(100, 3));
    check_one_winner(file, 50000, false);
    check_one_winner(file, 50000, true);
}

TEST(Handles, TwoOnOneFile) {
    const std::string path = path_of("two");
    {
        File first(path, create_rdwr);
        File second(path, MPI_MODE_RDWR);
        CHECK_MPI(MPI_File_write_at_all(
            first, 20 * rank(), values(20 * rank(), 10).data(), 10, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_File_write_at_all(second,
                                        20 * rank() + 10,
                                        values(20 * rank() + 10, 10).data(),
                                        10,
                                        MPI_BYTE,
                                        MPI_STATUS_IGNORE));
        first.close();
        CHECK_MPI(MPI_File_sync(second));
        Bytes seen(20);
        CHECK_MPI(
            MPI_File_read_at(second, 20 * rank(), seen.data(), 20, MPI_BYTE, MPI_STATUS_IGNORE));
        EXPECT_TRUE(same_bytes(seen, values(20 * rank(), 20)));
    }
    expect_contents(path, values(0, 20 * num_ranks()));
}

TEST(Handles, EachRankItsOwnFile) {
    const std::string path = path_of("self" + std::to_string(rank()));
    const std::uint64_t seed = static_cast<std::uint64_t>(rank());
    {
        File file(path, create_rdwr, MPI_INFO_NULL, MPI_COMM_SELF);
        for (int i = 0; i <= rank(); ++i) {  // another number of calls on each rank
            CHECK_MPI(MPI_File_write_all(
                file, values(50 * i, 50, seed).data(), 50, MPI_BYTE, MPI_STATUS_IGNORE));
        }
    }
    EXPECT_TRUE(same_bytes(load(path), values(0, 50 * (rank() + 1), seed)));
}

TEST(Handles, OneFileOpenedByEachRankAlone) {
    const std::string path = path_of("shared_by_self");
    store_on_root(path, {});
    {
        File file(path, MPI_MODE_RDWR, MPI_INFO_NULL, MPI_COMM_SELF);
        CHECK_MPI(MPI_File_write_at_all(
            file, 50 * rank(), values(50 * rank(), 50).data(), 50, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    expect_contents(path, values(0, 50 * num_ranks()));
}

TEST(Handles, PartsOfTheWorld) {
    const int color = rank() % 2;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, color, -rank(), &half);  // and in reverse order
    const std::string path = path_of("half" + std::to_string(color));
    const std::uint64_t seed = static_cast<std::uint64_t>(color);
    const int ranks = num_ranks(half);
    {
        File file(path, create_rdwr, MPI_INFO_NULL, half);
        MPI_Comm_free(&half);  // the file keeps its own
        Bytes mine;
        const int place = ranks - 1 - rank() / 2;
        for (int i = 0; i < 10; ++i) {
            const Bytes piece = values(30 * (i * ranks + place), 30, seed);
            mine.insert(mine.end(), piece.begin(), piece.end());
        }
        file.view(30 * place, MPI_BYTE, turns(30, ranks));
        CHECK_MPI(MPI_File_write_all(file, mine.data(), 300, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    EXPECT_TRUE(same_bytes(load(path), values(0, 300 * ranks, seed)));
}

TEST(Handles, IntercommunicatorIsRefused) {
    if (num_ranks() < 2) {
        GTEST_SKIP() << "an intercommunicator needs two ranks";
    }
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm between = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, rank(), &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank() % 2, 5, &between);
    expect_open_fails(path_of("between"), create_rdwr, MPI_ERR_COMM, between);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

}  // namespace
}  // namespace mpi_test

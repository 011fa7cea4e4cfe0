/// Ranks with nothing to do: they take part in collective calls, move nothing, and hang nobody.
#include "mpi_test.hpp"

namespace mpi_test {
namespace {

/// Rank `only` writes `bytes` bytes, the others nothing, through different kinds of nothing.
void one_rank_writes(int only, int bytes, MPI_Datatype type_of_nothing, int count_of_nothing) {
    const std::string path = path_of("one_writes");
    const Bytes data = values(0, bytes);
    {
        File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
        MPI_Status status{};
        const bool mine = rank() == only;
        CHECK_MPI(MPI_File_write_all(file,
                                     mine ? data.data() : nullptr,
                                     mine ? bytes : count_of_nothing,
                                     mine ? MPI_BYTE : type_of_nothing,
                                     &status));
        expect_bytes(status, mine ? bytes : 0);
        MPI_Offset position = -1;
        CHECK_MPI(MPI_File_get_position(file, &position));
        EXPECT_EQ(position, mine ? bytes : 0);
        CHECK_MPI(MPI_File_sync(file));
        expect_contents(path, data);
        Bytes again(data.size());
        CHECK_MPI(MPI_File_read_at_all(file,
                                       0,
                                       mine ? again.data() : nullptr,
                                       mine ? bytes : 0,
                                       mine ? MPI_BYTE : type_of_nothing,
                                       &status));
        expect_bytes(status, mine ? bytes : 0);
        EXPECT_TRUE(!mine || again == data);
    }
}

TEST(Zero, OneRankHasData) {
    for (int only = 0; only < num_ranks(); ++only) {
        one_rank_writes(only, 10, MPI_BYTE, 0);
        one_rank_writes(only, 3000000, MPI_BYTE, 0);
    }
}

TEST(Zero, TypesOfNoBytes) {
    const Datatype empty = contiguous(0, MPI_INT);
    const Datatype empty_list = hindexed({0, 0}, {0, 100}, MPI_INT);
    one_rank_writes(0, 1000, empty, 5);
    one_rank_writes(num_ranks() - 1, 1000, empty_list, 3);
}

TEST(Zero, NobodyHasData) {
    const std::string path = path_of("nobody");
    {
        File file(path, create_rdwr);
        file.view(10 * rank(), MPI_BYTE, turns(10, num_ranks()));
        MPI_Status status{};
        CHECK_MPI(MPI_File_write_all(file, nullptr, 0, MPI_BYTE, &status));
        expect_bytes(status, 0);
        CHECK_MPI(MPI_File_write_at_all(file, 1000000, nullptr, 0, MPI_INT, &status));
        expect_bytes(status, 0);
        CHECK_MPI(MPI_File_read_all(file, nullptr, 0, MPI_BYTE, &status));
        expect_bytes(status, 0);
        CHECK_MPI(MPI_File_write(file, nullptr, 0, MPI_BYTE, &status));
        CHECK_MPI(MPI_File_read_at(file, 5, nullptr, 0, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    expect_contents(path, {});
}

/// Through a view, one rank in three has a part; data lies far apart.
TEST(Zero, SomeRanksWithInterleavedViews) {
    const std::string path = path_of("some");
    constexpr int turn = 7;
    constexpr int num_turns = 100;
    const bool has_data = rank() % 3 == 0;
    Bytes mine;
    Bytes expected;
    for (int i = 0; i < num_turns * num_ranks(); ++i) {
        const int whose = i % num_ranks();
        const Bytes piece = whose % 3 == 0 ? values(i * turn, turn) : Bytes(turn, 0);
        expected.insert(expected.end(), piece.begin(), piece.end());
        if (whose == rank() && has_data) {
            mine.insert(mine.end(), piece.begin(), piece.end());
        }
    }
    while (expected.back() == 0) {
        expected.pop_back();
    }
    {
        const Info info(Hints{{"romio_ds_write", "disable"}});
        File file(path, create_rdwr, info);
        file.view(turn * rank(), MPI_BYTE, turns(turn, num_ranks()));
        const int bytes = static_cast<int>(mine.size());
        MPI_Status status{};
        CHECK_MPI(MPI_File_write_all(file, mine.data(), bytes, MPI_BYTE, &status));
        expect_bytes(status, bytes);
    }
    expect_contents(path, expected);
}

TEST(Zero, StatusIgnoredEverywhere) {
    File file(path_of("ignored"), create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    Bytes data = values(0, 100);
    CHECK_MPI(MPI_File_write_all(file, data.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_read_at_all(file, 0, data.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_TRUE(same_bytes(data, values(0, 100)));
}

}  // namespace
}  // namespace mpi_test

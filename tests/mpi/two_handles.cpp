/// One file, opened through several handles at once by different ranks, which write different bytes
/// of it at the same time: nothing may be lost, also where one of them sieves.
#include <string>
#include <vector>

#include "mpi_test.hpp"

namespace {

using mpi_test::Datatype;
using mpi_test::path_of;

constexpr int turns = 20'000;

/// A rank's words: word `rank` of every turn.
void write_own_words(MPI_Comm comm, const std::string& path, const char* sieving) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_ds_write", sieving);
    MPI_Info_set(info, "ind_wr_buffer_size", "4096");
    const int rank = mpi_test::rank();
    const int ranks = mpi_test::num_ranks();
    const Datatype turn = mpi_test::resized(MPI_INT, 4 * ranks);
    std::vector<int> mine(turns);
    for (int i = 0; i < turns; ++i) {
        mine[i] = i * ranks + rank;
    }
    MPI_File file = MPI_FILE_NULL;
    CHECK_MPI(MPI_File_open(comm, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    CHECK_MPI(MPI_File_set_view(file, 4 * rank, MPI_INT, turn, "native", MPI_INFO_NULL));
    for (int begin = 0; begin < turns; begin += 1000) {
        CHECK_MPI(
            MPI_File_write_at(file, begin, mine.data() + begin, 1000, MPI_INT, MPI_STATUS_IGNORE));
    }
    CHECK_MPI(MPI_File_close(&file));
    MPI_Info_free(&info);
}

void expect_all_words(const std::string& path) {
    std::vector<int> words(turns * mpi_test::num_ranks());
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = static_cast<int>(i);
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(words.data());
    mpi_test::expect_contents(path, mpi_test::Bytes(bytes, bytes + words.size() * sizeof(int)));
}

class TwoHandles : public testing::TestWithParam<const char*> {};

TEST_P(TwoHandles, OfSubgroupsLoseNothing) {
    const std::string path = path_of(std::string("halves_") + GetParam());
    mpi_test::store_on_root(path, {});
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, mpi_test::rank() % 2, 0, &half);
    write_own_words(half, path, GetParam());
    MPI_Comm_free(&half);
    expect_all_words(path);
}

TEST_P(TwoHandles, OfSingleRanksLoseNothing) {
    const std::string path = path_of(std::string("self_") + GetParam());
    mpi_test::store_on_root(path, {});
    write_own_words(MPI_COMM_SELF, path, GetParam());
    expect_all_words(path);
}

TEST_P(TwoHandles, AnOddRankThatDoesNotSieveLosesNothing) {
    const std::string path = path_of(std::string("mixed_") + GetParam());
    mpi_test::store_on_root(path, {});
    const bool is_odd = mpi_test::rank() % 2 == 1;
    write_own_words(MPI_COMM_SELF, path, is_odd ? "disable" : GetParam());
    expect_all_words(path);
}

/// Writes in atomic mode hold locks of their own; they once left the file as if they had not.
TEST(Atomicity, CanBeFollowedBySieving) {
    const std::string path = path_of("atomic_then_sieved");
    MPI_File file = MPI_FILE_NULL;
    CHECK_MPI(MPI_File_open(MPI_COMM_WORLD,
                            path.c_str(),
                            MPI_MODE_CREATE | MPI_MODE_RDWR,
                            MPI_INFO_NULL,
                            &file));
    CHECK_MPI(MPI_File_set_atomicity(file, 1));
    const int rank = mpi_test::rank();
    const int zero = 0;
    for (int i = 0; i < 3; ++i) {
        CHECK_MPI(MPI_File_write_at(file, 4 * rank, &zero, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    CHECK_MPI(MPI_File_set_atomicity(file, 0));
    CHECK_MPI(MPI_File_close(&file));
    write_own_words(MPI_COMM_WORLD, path, "enable");
    CHECK_MPI(MPI_File_open(
        MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    CHECK_MPI(MPI_File_set_atomicity(file, 1));
    const int word = rank;
    CHECK_MPI(MPI_File_write_at(file, 4 * rank, &word, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_set_atomicity(file, 0));
    const int ranks = mpi_test::num_ranks();
    const Datatype turn = mpi_test::resized(MPI_INT, 4 * ranks);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_ds_write", "enable");
    CHECK_MPI(MPI_File_set_view(file, 4 * rank, MPI_INT, turn, "native", info));
    MPI_Info_free(&info);
    const std::vector<int> first = {rank, rank + ranks};
    CHECK_MPI(MPI_File_write_at(file, 0, first.data(), 2, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_close(&file));
    expect_all_words(path);
}

INSTANTIATE_TEST_SUITE_P(Sieving, TwoHandles, testing::Values("enable", "automatic", "disable"));

}  // namespace


/// Memory that a view or a collective call costs must not grow with the number of pieces.
#include "drop_in.hpp"
#include "mpi_test.hpp"

namespace mpi_test {
namespace {

constexpr std::int64_t mebi = 1 << 20;

/// A number of kB from /proc/self/status ("VmRSS:", "VmHWM:"), in bytes.
std::int64_t process_memory(const std::string& key) {
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        if (word == key) {
            std::int64_t kilobytes = 0;
            status >> kilobytes;
            return kilobytes * 1024;
        }
    }
    ADD_FAILURE() << "no " << key << " in /proc/self/status";
    return 0;
}

/// From here on VmHWM tells the peak.
void reset_peak() {
    std::ofstream clear("/proc/self/clear_refs");
    clear << "5" << std::flush;
    EXPECT_TRUE(clear.good()) << "the kernel cannot reset the peak";
}

class Memory : public testing::Test {
  protected:
    void SetUp() override {
        if (!drop_in_present()) {
            GTEST_SKIP() << "an MPI that lists all pieces of a view would take 16 GiB here";
        }
    }

    /// Sets views of `type` and of a small type in turn and expects next to no growth.
    static void expect_cheap_view(MPI_Datatype type) {
        File file(path_of("views"), create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
        file.view(4, MPI_INT, MPI_INT);
        const std::int64_t before = process_memory("VmRSS:");
        reset_peak();
        for (int round = 0; round < 3; ++round) {
            file.view(4 * round, MPI_INT, type);
            file.view(4, MPI_INT, MPI_INT);
        }
        file.view(0, MPI_INT, type);
        EXPECT_LT(process_memory("VmHWM:") - before, mebi);
        EXPECT_LT(process_memory("VmRSS:") - before, mebi);
    }
};

TEST_F(Memory, CyclicViewOfABillionPieces) {
    const int size = 1000000000;
    const int kind = MPI_DISTRIBUTE_CYCLIC;
    const int argument = MPI_DISTRIBUTE_DFLT_DARG;
    const int ranks = num_ranks();
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_create_darray(
        ranks, rank(), 1, &size, &kind, &argument, &ranks, MPI_ORDER_C, MPI_INT, &type));
    expect_cheap_view(Datatype(type));
}

TEST_F(Memory, VectorViewOfABillionPieces) {
    expect_cheap_view(vector(1000000000, 1, 2, MPI_INT));
}

/// Both views above, two levels deep: a billion pieces of strided pieces.
TEST_F(Memory, NestedViewOfABillionPieces) {
    const Datatype inner = vector(1000, 1, 2, MPI_INT);
    const Datatype line = resized(inner, 8192);
    expect_cheap_view(contiguous(1000000, line));
}

/// A transfer far inside such a view costs no list either, and goes to the right place.
TEST_F(Memory, TransferFarInsideABillionPieces) {
    const std::string path = path_of("far");
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    const Datatype type = vector(1000000000, 1, 2, MPI_INT);
    file.view(0, MPI_INT, type);
    const std::int64_t before = process_memory("VmRSS:");
    reset_peak();
    const MPI_Offset position = 900000000 + rank();
    const Bytes data = values(position, 4);
    CHECK_MPI(MPI_File_write_at_all(file, position, data.data(), 1, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_LT(process_memory("VmHWM:") - before, 24 * mebi);
    barrier();
    if (rank() == 0) {
        for (int r = 0; r < num_ranks(); ++r) {
            Bytes there(4);
            std::ifstream plain(path, std::ios::binary);
            plain.seekg(8 * (900000000 + std::int64_t{r}));
            plain.read(reinterpret_cast<char*>(there.data()), 4);
            EXPECT_TRUE(same_bytes(there, values(900000000 + r, 4))) << "rank " << r;
        }
    }
    barrier();
}

/// 64 MiB in all, dealt to the ranks in pieces of 4 bytes.
TEST_F(Memory, CollectiveTransferAtTheFinestGrain) {
    constexpr std::int64_t cb_bytes = mebi;
    constexpr std::int64_t num_aggregators = 2;
    constexpr std::int64_t bound = 16 * mebi + num_aggregators * cb_bytes;
    const int ints = static_cast<int>(16 * mebi / num_ranks());
    std::vector<int> data(static_cast<std::size_t>(ints), rank());
    const Info info(Hints{{"cb_buffer_size", std::to_string(cb_bytes)},
                          {"cb_nodes", std::to_string(num_aggregators)},
                          {"romio_cb_write", "enable"},
                          {"romio_cb_read", "enable"}});
    File file(path_of("finest"), create_rdwr | MPI_MODE_DELETE_ON_CLOSE, info);
    file.view(4 * rank(), MPI_INT, turns(4, num_ranks()), info);
    const std::int64_t before = process_memory("VmRSS:");
    reset_peak();
    CHECK_MPI(MPI_File_write_at_all(file, 0, data.data(), ints, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_LE(process_memory("VmHWM:") - before, bound) << "writing";
    reset_peak();
    CHECK_MPI(MPI_File_read_at_all(file, 0, data.data(), ints, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_LE(process_memory("VmHWM:") - before, bound) << "reading";
    EXPECT_EQ(data, std::vector<int>(data.size(), rank()));
}

}  // namespace
}  // namespace mpi_test

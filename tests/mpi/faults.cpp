/// The file system fails: every rank gets an error that says what happened, none hangs, bytes that
/// nobody wrote keep their values, and the file can still be closed.
///
/// The drop-in reads PARIO_FAULT when it opens a file, such as "rank=1;write:3:EIO": the third
/// write of rank 1 fails; without "rank=" the calls of every rank are counted and fail.
#include "drop_in.hpp"
#include "mpi_test.hpp"
#include <sys/mount.h>

namespace mpi_test {
namespace {

constexpr int turn = 100;
constexpr unsigned char old_value = 0xEE;

/// Each turn may be a call to fail, and ranks that outnumber the cores are slow.
int num_turns() {
    return num_ranks() <= 4 ? 20 : 6;
}

/// PARIO_FAULT for as long as this lives.
class Fault {
  public:
    explicit Fault(const std::string& rules) { setenv("PARIO_FAULT", rules.c_str(), 1); }
    Fault(const Fault&) = delete;
    Fault& operator=(const Fault&) = delete;
    ~Fault() { unsetenv("PARIO_FAULT"); }
};

const std::vector<Hints>& ways() {
    static const std::vector<Hints> all{
        {},
        {{"pario_strategy", "shared"}, {"cb_buffer_size", "1000"}, {"cb_nodes", "2"}},
        {{"pario_strategy", "two_phase"}, {"cb_buffer_size", "1000"}, {"cb_nodes", "2"}},
        {{"pario_strategy", "list"}},
        {{"pario_strategy", "sieve"},
         {"ind_wr_buffer_size", "1000"},
         {"ind_rd_buffer_size", "1000"}},
        {{"pario_strategy", "direct"}}};
    return all;
}

std::int64_t turn_begin(int i, int whose) {
    return std::int64_t{2} * turn * (i * num_ranks() + whose);
}

std::int64_t file_bytes() {
    return turn_begin(num_turns(), 0);
}

/// What the file holds after all ranks wrote their turns; every second turn is nobody's.
Bytes after_writing() {
    Bytes contents(static_cast<std::size_t>(file_bytes()), old_value);
    for (std::int64_t at = 0; at < file_bytes(); at += 2 * turn) {
        const Bytes piece = values(at, turn);
        std::copy(piece.begin(), piece.end(), contents.begin() + at);
    }
    return contents;
}

Bytes part_of_this_rank() {
    Bytes part;
    for (int i = 0; i < num_turns(); ++i) {
        const Bytes piece = values(turn_begin(i, rank()), turn);
        part.insert(part.end(), piece.begin(), piece.end());
    }
    return part;
}

/// Every byte has its old or its new value; those between the turns have the old one.
void expect_old_or_new(const std::string& path) {
    barrier();
    if (rank() == 0) {
        const Bytes actual = load(path);
        const Bytes written = after_writing();
        EXPECT_EQ(actual.size(), written.size());
        for (std::size_t i = 0; i < std::min(actual.size(), written.size()); ++i) {
            if (actual[i] != written[i] && actual[i] != old_value) {
                ADD_FAILURE() << "byte " << i << " is " << int{actual[i]}
                              << ", neither old nor new";
                break;
            }
        }
    }
    barrier();
}

/// All ranks fail with this class and a text that names call and file, or none does.
/// \return whether the call failed. Collective.
bool expect_agreement(int code,
                      int expected_class,
                      const std::string& call,
                      const std::string& path) {
    const bool failed = any_rank(code != MPI_SUCCESS);
    if (failed) {
        CHECK_MPI_CLASS(code, expected_class);
        EXPECT_NE(error_text(code).find(call), std::string::npos) << error_text(code);
        EXPECT_NE(error_text(code).find(path), std::string::npos) << error_text(code);
    }
    return failed;
}

class Faults : public testing::Test {
  protected:
    void SetUp() override {
        if (!drop_in_present()) {
            GTEST_SKIP() << "needs the drop-in";
        }
    }

    /// Opens, transfers once and closes, with `rules` in force.
    static bool run(bool write,
                    const std::string& path,
                    const Hints& hints,
                    const std::string& rules,
                    int expected_class) {
        const Fault fault(rules);
        const Info info(hints);
        File file(path, MPI_MODE_RDWR, info);
        file.view(turn_begin(0, rank()), MPI_BYTE, turns(turn, 2 * num_ranks()), info);
        Bytes part = part_of_this_rank();
        const int bytes = static_cast<int>(part.size());
        MPI_Status status{};
        const int code = write ? MPI_File_write_all(file, part.data(), bytes, MPI_BYTE, &status)
                               : MPI_File_read_all(file, part.data(), bytes, MPI_BYTE, &status);
        return expect_agreement(
            code, expected_class, write ? "MPI_File_write_all" : "MPI_File_read_all", path);
    }

    /// Fails the N-th call of `operation` for N = 1, 2, 3 … until nothing fails any more.
    static void fail_each_call(bool write,
                               const std::string& rank_rule,
                               const std::string& operation,
                               const std::string& error,
                               int expected_class) {
        const std::string path = path_of("faulty");
        const Bytes before = write ? Bytes(after_writing().size(), old_value) : after_writing();
        for (std::size_t way = 0; way < ways().size(); ++way) {
            int nth = 1;
            for (; nth < 1000; ++nth) {
                const std::string rules =
                    rank_rule + operation + ":" + std::to_string(nth) + ":" + error;
                SCOPED_TRACE("way " + std::to_string(way) + " " + rules);
                store_on_root(path, before);
                if (!run(write, path, ways()[way], rules, expected_class)) {
                    break;
                }
                expect_old_or_new(path);
                if (any_rank(HasFailure())) {
                    return;
                }
            }
            expect_contents(path, after_writing());
            num_failures_ += nth - 1;
        }
        EXPECT_TRUE(any_rank(num_failures_ > 0)) << "no fault was met at all";
    }

    inline static int num_failures_ = 0;
};

TEST_F(Faults, EveryWriteFails) {
    num_failures_ = 0;
    fail_each_call(true, "", "write", "EIO", MPI_ERR_IO);
}

TEST_F(Faults, EveryReadFails) {
    num_failures_ = 0;
    fail_each_call(false, "", "read", "EIO", MPI_ERR_IO);
}

TEST_F(Faults, WritesOfOneRankFail) {
    num_failures_ = 0;
    fail_each_call(true, "rank=0;", "write", "EIO", MPI_ERR_IO);
    fail_each_call(
        true, "rank=" + std::to_string(num_ranks() - 1) + ";", "write", "ENOSPC", MPI_ERR_NO_SPACE);
}

TEST_F(Faults, ReadsOfOneRankFail) {
    num_failures_ = 0;
    fail_each_call(false, "rank=0;", "read", "EIO", MPI_ERR_IO);
}

TEST_F(Faults, NoSpaceLeft) {
    num_failures_ = 0;
    fail_each_call(true, "", "write", "ENOSPC", MPI_ERR_NO_SPACE);
}

TEST_F(Faults, AnyCallOfAWriteFails) {
    const std::string path = path_of("any");
    // The first calls belong to open; whichever call fails, all ranks must agree and go on.
    for (int nth = 1; nth < 40; ++nth) {
        SCOPED_TRACE(nth);
        store_on_root(path, Bytes(after_writing().size(), old_value));
        const Fault fault("any:" + std::to_string(nth) + ":EIO");
        MPI_File file = MPI_FILE_NULL;
        const int opened =
            MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file);
        if (expect_agreement(opened, MPI_ERR_IO, "MPI_File_open", path)) {
            continue;
        }
        MPI_File_set_view(file,
                          turn_begin(0, rank()),
                          MPI_BYTE,
                          turns(turn, 2 * num_ranks()),
                          "native",
                          MPI_INFO_NULL);
        const Bytes part = part_of_this_rank();
        const int code = MPI_File_write_all(
            file, part.data(), static_cast<int>(part.size()), MPI_BYTE, MPI_STATUS_IGNORE);
        expect_agreement(code, MPI_ERR_IO, "MPI_File_write_all", path);
        expect_agreement(MPI_File_close(&file), MPI_ERR_IO, "MPI_File_close", path);
        expect_old_or_new(path);
    }
}

/// Interrupted and short transfers are finished inside; the program never learns of them.
TEST_F(Faults, InterruptedAndShortTransfersAreInvisible) {
    const std::string path = path_of("short");
    for (const char* rules : {"write:1:EINTR;read:1:EINTR",
                              "write:*:short=7;read:*:short=7",
                              "write:2:EINTR;write:3+:short=1;read:2:EINTR;read:3+:short=1"}) {
        for (std::size_t way = 0; way < ways().size(); ++way) {
            SCOPED_TRACE(std::string(rules) + " way " + std::to_string(way));
            store_on_root(path, Bytes(after_writing().size(), old_value));
            EXPECT_FALSE(run(true, path, ways()[way], rules, MPI_ERR_IO));
            expect_contents(path, after_writing());
            const Fault fault(rules);
            const Info info(ways()[way]);
            File file(path, MPI_MODE_RDONLY, info);
            file.view(turn_begin(0, rank()), MPI_BYTE, turns(turn, 2 * num_ranks()), info);
            Bytes again(part_of_this_rank().size());
            CHECK_MPI(MPI_File_read_all(
                file, again.data(), static_cast<int>(again.size()), MPI_BYTE, MPI_STATUS_IGNORE));
            EXPECT_TRUE(same_bytes(again, part_of_this_rank()));
        }
    }
}

TEST_F(Faults, SyncFails) {
    const std::string path = path_of("sync_fails");
    const Fault fault("sync:1:EIO");
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    EXPECT_TRUE(expect_agreement(MPI_File_sync(file), MPI_ERR_IO, "MPI_File_sync", path));
    CHECK_MPI(MPI_File_sync(file));
}

TEST_F(Faults, FileIsUsableAfterAFailure) {
    const std::string path = path_of("usable");
    store_on_root(path, {});
    {
        const Fault fault("write:1:EIO");
        File file(path, MPI_MODE_RDWR);
        const Bytes data = values(100 * rank(), 100);
        const auto write = [&] {
            return MPI_File_write_at_all(
                file, 100 * rank(), data.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE);
        };
        EXPECT_TRUE(expect_agreement(write(), MPI_ERR_IO, "MPI_File_write_at_all", path));
        for (int retry = 0; retry < num_ranks(); ++retry) {  // each rank's first write may fail
            write();
        }
        CHECK_MPI(write());
    }
    expect_contents(path, values(0, 100 * num_ranks()));
}

/// A file system of 1 MiB, mounted by rank 0; needs root.
class SmallDisk {
  public:
    SmallDisk() {
        int mounted = 0;
        if (rank() == 0) {
            std::filesystem::create_directory(path_);
            mounted = mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=1m") == 0 ? 1 : 0;
        }
        MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
        mounted_ = mounted != 0;
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk() {
        barrier();
        if (rank() == 0 && mounted_) {
            EXPECT_EQ(umount(path_.c_str()), 0);
        }
    }
    bool mounted() const { return mounted_; }
    std::string file() const { return path_ + "/file"; }

  private:
    std::string path_ = path_of("small_disk");
    bool mounted_ = false;
};

TEST_F(Faults, FullDisk) {
    const SmallDisk disk;
    if (!disk.mounted()) {
        GTEST_SKIP() << "cannot mount a small tmpfs";
    }
    for (std::size_t way = 0; way < ways().size(); ++way) {
        SCOPED_TRACE("way " + std::to_string(way));
        const Info info(ways()[way]);
        File file(disk.file(), create_rdwr | MPI_MODE_DELETE_ON_CLOSE, info);
        const Datatype view = turns(1000, num_ranks());
        file.view(1000 * rank(), MPI_BYTE, view, info);
        const Bytes data(3000000 / static_cast<std::size_t>(num_ranks()), 1);
        const int code = MPI_File_write_all(
            file, data.data(), static_cast<int>(data.size()), MPI_BYTE, MPI_STATUS_IGNORE);
        EXPECT_TRUE(expect_agreement(code, MPI_ERR_NO_SPACE, "MPI_File_write_all", disk.file()));
        CHECK_MPI_CLASS(MPI_File_preallocate(file, 8 << 20), MPI_ERR_NO_SPACE);
    }
}

}  // namespace
}  // namespace mpi_test

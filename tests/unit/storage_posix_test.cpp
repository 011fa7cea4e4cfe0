// The POSIX backend alone: opening, permissions, locks between open files, and which system calls
// it makes.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <thread>

#include "storage_kit.hpp"
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

namespace pario::storage::test {
namespace {

using base::Errc;

class PosixStorageTest : public testing::Test {
  protected:
    std::unique_ptr<Storage> open(Access access = Access::read_write,
                                  Creation creation = Creation::create_if_missing) {
        return open_posix(folder_.file(), access, creation);
    }
    std::unique_ptr<Storage> open_with(std::shared_ptr<SystemCalls> calls,
                                       Access access = Access::read_write) {
        return open_posix(folder_.file(), access, Creation::create_if_missing, 0666, calls);
    }

    TemporaryFolder folder_;
};

/// While it lives, the process is nobody in particular, so that permissions count.
class AsNobody {
  public:
    AsNobody() : was_root_(::geteuid() == 0) { works_ = !was_root_ || ::seteuid(65534) == 0; }
    ~AsNobody() {
        if (was_root_ && ::seteuid(0) != 0) {
            std::abort();
        }
    }
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;
    bool works() const { return works_; }

  private:
    bool was_root_;
    bool works_;
};

TEST_F(PosixStorageTest, AMissingFileIsNamed) {
    const auto error = error_of([&] { open(Access::read_only, Creation::open_existing); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), Errc::no_such_file);
    EXPECT_EQ(error->path(), folder_.file());
    EXPECT_EQ(std::string(error->what()),
              "'" + folder_.file() + "': open failed: No such file or directory");
    EXPECT_FALSE(std::filesystem::exists(folder_.file()));
}

TEST_F(PosixStorageTest, WrongNames) {
    const auto open_at = [](const std::string& path, Access access, Creation creation) {
        return code_of([&] { open_posix(path, access, creation); });
    };
    const auto missing_folder = folder_.file("missing") + "/file";
    make_file(folder_.file("plain"));
    for (const auto access : {Access::read_only, Access::write_only, Access::read_write}) {
        EXPECT_EQ(open_at(missing_folder, access, Creation::create_if_missing), Errc::no_such_file);
        EXPECT_EQ(open_at(folder_.path(), access, Creation::open_existing), Errc::bad_file);
        EXPECT_EQ(open_at(folder_.file("plain") + "/x", access, Creation::open_existing),
                  Errc::bad_file);
        EXPECT_EQ(open_at(folder_.file(std::string(300, 'x')), access, Creation::create_new),
                  Errc::bad_file);
    }
}

TEST_F(PosixStorageTest, ExclusiveCreationRefusesAnExistingFile) {
    open(Access::read_write, Creation::create_new)->write(some_bytes(10, 1), 0);
    EXPECT_EQ(code_of([&] { open(Access::read_write, Creation::create_new); }), Errc::file_exists);
    EXPECT_EQ(contents_of(folder_.file()), some_bytes(10, 1));
    EXPECT_EQ(open(Access::read_write, Creation::create_if_missing)->size(), 10);
}

TEST_F(PosixStorageTest, PermissionsOfANewFileRespectTheUmask) {
    const auto mask = ::umask(027);
    open_posix(folder_.file(), Access::write_only, Creation::create_new, 0666);
    ::umask(mask);
    struct stat status{};
    ASSERT_EQ(::stat(folder_.file().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(PosixStorageTest, NoPermissionIsAnAccessError) {
    make_file(folder_.file());
    ::chmod(folder_.file().c_str(), 0);
    const AsNobody nobody;
    if (!nobody.works()) {
        GTEST_SKIP() << "cannot give up root";
    }
    for (const auto access : {Access::read_only, Access::write_only, Access::read_write}) {
        EXPECT_EQ(code_of([&] { open(access, Creation::open_existing); }), Errc::access);
    }
}

TEST_F(PosixStorageTest, WriteOnlyReadsWhereTheSystemLetsIt) {
    make_file(folder_.file(), some_bytes(10, 1));
    auto storage = open(Access::write_only);
    Bytes buffer(10);
    EXPECT_EQ(storage->read(buffer, 0), 10);
    EXPECT_TRUE(storage->facts().has_range_locks);
}

TEST_F(PosixStorageTest, WriteOnlyWithoutReadPermissionWritesAndHasNoLocks) {
    make_file(folder_.file(), some_bytes(10, 1));
    ::chmod(folder_.file().c_str(), 0222);
    std::unique_ptr<Storage> storage;
    {
        const AsNobody nobody;
        if (!nobody.works()) {
            GTEST_SKIP() << "cannot give up root";
        }
        storage = open(Access::write_only, Creation::open_existing);
    }
    storage->write(some_bytes(4, 2), 0);
    EXPECT_FALSE(storage->facts().has_range_locks);
    EXPECT_EQ(storage->lock(0, 4), nullptr);
    Bytes buffer(10);
    const auto error = error_of([&] { storage->read(buffer, 3); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), Errc::access);
    EXPECT_EQ(error->offset(), 3);
    auto expected = some_bytes(10, 1);
    std::ranges::copy(some_bytes(4, 2), expected.begin());
    EXPECT_EQ(contents_of(folder_.file()), expected);
}

TEST_F(PosixStorageTest, WritingToAReadOnlyStorageIsRefused) {
    make_file(folder_.file(), some_bytes(10, 1));
    auto storage = open(Access::read_only);
    EXPECT_EQ(code_of([&] { storage->write(some_bytes(1, 2), 0); }), Errc::read_only);
    EXPECT_EQ(contents_of(folder_.file()), some_bytes(10, 1));
}

TEST_F(PosixStorageTest, OpensForReadingTooAndNotForChildren) {
    const auto calls = std::make_shared<RecordingSystemCalls>();
    open_with(calls, Access::write_only);
    ASSERT_EQ(calls->open_flags.size(), 1U);
    EXPECT_EQ(calls->open_flags[0] & O_ACCMODE, O_RDWR);
    EXPECT_NE(calls->open_flags[0] & O_CLOEXEC, 0);
}

TEST_F(PosixStorageTest, NeighboursAreJoinedIntoOneCall) {
    const auto calls = std::make_shared<RecordingSystemCalls>();
    auto storage = open_with(calls);
    const auto source = some_bytes(1000, 1);
    const auto* memory = source.data();
    // Neighbours in file and memory; in the file only; a gap; neighbours with an empty one between.
    const std::vector<WriteSegment> segments{{0, memory, 10},
                                             {10, memory + 10, 10},
                                             {20, memory + 50, 5},
                                             {100, memory + 60, 5},
                                             {105, memory, 0},
                                             {105, memory + 65, 5}};
    storage->write_list(segments);
    using Transfers = std::vector<RecordingSystemCalls::Transfer>;
    EXPECT_EQ(calls->transfers, (Transfers{{"pwritev", 0, 25, 2}, {"pwrite", 100, 10, 1}}));

    calls->transfers.clear();
    Bytes target(1000);
    const std::vector<ReadSegment> reads{
        {0, target.data(), 10}, {10, target.data() + 20, 10}, {100, target.data() + 500, 10}};
    EXPECT_EQ(storage->read_list(reads), 30);
    EXPECT_EQ(calls->transfers, (Transfers{{"preadv", 0, 20, 2}, {"pread", 100, 10, 1}}));
}

TEST_F(PosixStorageTest, ListsAreCutWhereTheSystemWantsIt) {
    const auto calls = std::make_shared<RecordingSystemCalls>();
    auto storage = open_with(calls);
    const auto source = some_bytes(10000, 1);
    std::vector<WriteSegment> segments;
    for (Offset i = 0; i < 2 * IOV_MAX + 1; ++i) {
        segments.push_back({i, source.data() + 2 * i, 1});
    }
    storage->write_list(segments);
    using Transfers = std::vector<RecordingSystemCalls::Transfer>;
    EXPECT_EQ(calls->transfers,
              (Transfers{{"pwritev", 0, IOV_MAX, IOV_MAX},
                         {"pwritev", IOV_MAX, IOV_MAX, IOV_MAX},
                         {"pwrite", 2 * IOV_MAX, 1, 1}}));
}

/// Memory that has addresses only: nobody may touch it.
class Addresses {
  public:
    explicit Addresses(std::size_t bytes)
        : bytes_(bytes),
          begin_(::mmap(
              nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    ~Addresses() { ::munmap(begin_, bytes_); }
    Addresses(const Addresses&) = delete;
    Addresses& operator=(const Addresses&) = delete;
    std::span<std::byte> span() const { return {static_cast<std::byte*>(begin_), bytes_}; }

  private:
    std::size_t bytes_;
    void* begin_;
};

TEST_F(PosixStorageTest, LargeTransfersAreSplitBelowTheKernelsLimit) {
    constexpr Offset gibibyte = Offset{1} << 30;
    constexpr Offset total = 5 * gibibyte + 123;
    const Addresses memory(total);
    const auto calls = std::make_shared<RecordingSystemCalls>(RecordingSystemCalls::Mode::pretend);
    auto storage = open_with(calls);
    const std::vector<ReadSegment> pieces{
        {7, memory.span().data(), 3 * gibibyte},
        {7 + 3 * gibibyte, memory.span().data() + 3 * gibibyte, total - 3 * gibibyte}};
    EXPECT_EQ(storage->read(memory.span(), 7), total);
    storage->write(memory.span(), 7);
    EXPECT_EQ(storage->read_list(pieces), total);
    Offset next = 7;
    for (const auto& transfer : calls->transfers) {
        next = next == 7 + total ? 7 : next;
        EXPECT_EQ(transfer.offset, next);
        EXPECT_LE(transfer.bytes, 0x7ffff000U);
        next += static_cast<Offset>(transfer.bytes);
    }
    EXPECT_EQ(next, 7 + total);
    EXPECT_EQ(calls->transfers.size(), 18U);
}

TEST_F(PosixStorageTest, LocksOfTwoOpenFilesExcludeEachOther) {
    auto one = open();
    auto other = open();
    auto held = one->lock(0, 100);
    ASSERT_NE(held, nullptr);
    EXPECT_NE(other->lock(100, 200), nullptr);  // another range: at once
    std::atomic<bool> taken = false;
    std::thread waiter([&] {
        const auto lock = other->lock(50, 150);
        taken = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(taken);
    held.reset();
    waiter.join();
    EXPECT_TRUE(taken);
}

TEST_F(PosixStorageTest, ReadModifyWriteUnderALockLosesNothing) {
    constexpr int rounds = 300;
    open()->write(Bytes(sizeof(int)), 0);
    const auto count = [&] {
        auto storage = open();
        for (int i = 0; i < rounds; ++i) {
            const auto lock = storage->lock(0, sizeof(int));
            int number = 0;
            storage->read(std::as_writable_bytes(std::span(&number, 1)), 0);
            ++number;
            std::this_thread::yield();
            storage->write(std::as_bytes(std::span(&number, 1)), 0);
        }
    };
    std::thread first(count);
    std::thread second(count);
    first.join();
    second.join();
    int number = 0;
    open()->read(std::as_writable_bytes(std::span(&number, 1)), 0);
    EXPECT_EQ(number, 2 * rounds);
}

TEST_F(PosixStorageTest, AReadOnlyFileTakesASharedLockThatKeepsWritersOut) {
    auto writer = open();
    auto reader = open(Access::read_only);
    auto other_reader = open(Access::read_only);
    auto held = reader->lock(0, 10);
    ASSERT_NE(held, nullptr);
    EXPECT_NE(other_reader->lock(0, 10), nullptr);
    std::atomic<bool> taken = false;
    std::thread waiter([&] {
        const auto lock = writer->lock(0, 10);
        taken = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(taken);
    held.reset();
    waiter.join();
}

TEST_F(PosixStorageTest, ALockMayOutliveItsFile) {
    auto storage = open();
    auto lock = storage->lock(0, 10);
    storage->close();
    storage.reset();
    auto again = open();  // most likely under the old number
    const auto mine = again->lock(0, 10);
    lock.reset();
    auto third = open();
    std::atomic<bool> taken = false;
    std::thread waiter([&] {
        const auto other = third->lock(0, 10);
        taken = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(taken);
    const_cast<std::unique_ptr<RangeLock>&>(mine).reset();
    waiter.join();
}

TEST_F(PosixStorageTest, RemoveRemovesFilesOnly) {
    make_file(folder_.file());
    remove(folder_.file());
    EXPECT_FALSE(std::filesystem::exists(folder_.file()));
    const auto error = error_of([&] { remove(folder_.file()); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), Errc::no_such_file);
    EXPECT_EQ(error->path(), folder_.file());
    EXPECT_EQ(code_of([&] { remove(folder_.path()); }), Errc::bad_file);
}

/// A file system of one mebibyte, while it lives.
class SmallDisk {
  public:
    explicit SmallDisk(std::string where) : where_(std::move(where)) {
        works_ = ::mount("tmpfs", where_.c_str(), "tmpfs", 0, "size=1m") == 0;
    }
    ~SmallDisk() {
        if (works_) {
            ::umount2(where_.c_str(), MNT_DETACH);
        }
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    bool works() const { return works_; }

  private:
    std::string where_;
    bool works_;
};

TEST_F(PosixStorageTest, AFullDiskSaysWhereItWasFull) {
    const SmallDisk disk(folder_.path());
    if (!disk.works()) {
        GTEST_SKIP() << "only root can mount a small file system";
    }
    constexpr Offset mebibyte = 1 << 20;
    auto storage = open();
    EXPECT_EQ(storage->facts().file_system, "tmpfs");
    EXPECT_EQ(code_of([&] { storage->preallocate(2 * mebibyte); }), Errc::no_space);
    EXPECT_EQ(storage->size(), 0);
    const auto data = some_bytes(2 * mebibyte, 1);
    const auto error = error_of([&] { storage->write(data, 0); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), Errc::no_space);
    EXPECT_EQ(error->offset(), mebibyte);
    EXPECT_EQ(contents_of(folder_.file()), Bytes(data.begin(), data.begin() + mebibyte));

    std::vector<WriteSegment> segments;
    for (Offset i = 0; i < 4; ++i) {  // the second half is not there yet
        segments.push_back({mebibyte / 4 * (2 * i), data.data() + mebibyte + i * 1000, 1000});
    }
    const auto list_error = error_of([&] { storage->write_list(segments); });
    ASSERT_TRUE(list_error);
    EXPECT_EQ(list_error->code(), Errc::no_space);
    EXPECT_EQ(list_error->offset(), mebibyte);
}

}  // namespace
}  // namespace pario::storage::test

// One kit for every storage backend: the promises of storage.hpp, against a vector of bytes.
#include <algorithm>
#include <limits>
#include <random>

#include "storage_kit.hpp"
#include <gtest/gtest.h>

namespace pario::storage::test {
namespace {

struct Backend {
    std::string name;
    std::function<std::unique_ptr<Storage>(const std::string& path)> open;
};

Backend posix_with(const std::string& name, const std::string& rules) {
    return {
        name, [rules](const std::string& path) {
            return open_posix(
                path, Access::read_write, Creation::create_new, 0666, faulty_system_calls(rules));
        }};
}

std::string now_and_then_interrupted() {
    std::string rules;
    for (int call = 1; call < 1000; call += 3) {
        rules += "any:" + std::to_string(call) + ":EINTR;";
    }
    return rules + "any:1000+:short=900";
}

class StorageConformance : public testing::TestWithParam<Backend> {
  protected:
    std::unique_ptr<Storage> open() { return GetParam().open(folder_.file()); }

    /// All bytes of the file, and that it has no more.
    static Bytes all(Storage& storage) {
        Bytes bytes(static_cast<std::size_t>(storage.size()) + 1);
        const auto there = storage.read(bytes, 0);
        EXPECT_EQ(there, storage.size());
        bytes.pop_back();
        return bytes;
    }

  private:
    TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(
    Backends,
    StorageConformance,
    testing::Values(Backend{"posix",
                            [](const std::string& path) {
                                return open_posix(path, Access::read_write, Creation::create_new);
                            }},
                    posix_with("posix_short", "read:*:short=7;write:*:short=5"),
                    posix_with("posix_interrupted", now_and_then_interrupted()),
                    Backend{"memory", [](const std::string&) { return open_memory(); }}),
    [](const auto& test) { return test.param.name; });

/// The naive file: bytes, and zeros where nobody wrote.
struct Oracle {
    Bytes bytes;

    void write(const Bytes& data, Offset offset) {
        if (data.empty()) {
            return;
        }
        const auto begin = static_cast<std::size_t>(offset);
        bytes.resize(std::max(bytes.size(), begin + data.size()));
        std::ranges::copy(data, bytes.begin() + offset);
    }
    Bytes read(Offset length, Offset offset) const {
        const auto begin = std::min<Offset>(offset, std::ssize(bytes));
        const auto end = std::min<Offset>(offset + length, std::ssize(bytes));
        return {bytes.begin() + begin, bytes.begin() + end};
    }
};

TEST_P(StorageConformance, ANewFileIsEmpty) {
    auto storage = open();
    EXPECT_EQ(storage->size(), 0);
    Bytes buffer(10, std::byte{7});
    EXPECT_EQ(storage->read(buffer, 0), 0);
    EXPECT_EQ(storage->read(buffer, 1000), 0);
    EXPECT_EQ(buffer, Bytes(10, std::byte{7}));
}

TEST_P(StorageConformance, RandomReadsAndWritesMatchTheOracle) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        TemporaryFolder folder;
        auto storage = GetParam().open(folder.file());
        Oracle oracle;
        std::mt19937 random(seed);
        std::uniform_int_distribution<Offset> any_offset(0, 20000);
        std::uniform_int_distribution<Offset> any_length(0, 3000);
        for (int step = 0; step < 100; ++step) {
            const auto data = some_bytes(static_cast<std::size_t>(any_length(random)),
                                         static_cast<unsigned>(random()));
            const auto where = any_offset(random);
            storage->write(data, where);
            oracle.write(data, where);
            const auto from = any_offset(random);
            Bytes buffer(static_cast<std::size_t>(any_length(random)));
            const auto expected = oracle.read(std::ssize(buffer), from);
            ASSERT_EQ(storage->read(buffer, from), std::ssize(expected)) << "step " << step;
            buffer.resize(expected.size());
            ASSERT_EQ(buffer, expected) << "step " << step;
        }
        EXPECT_EQ(all(*storage), oracle.bytes);
    }
}

/// Pieces that now touch in the file, now leave a gap, now go back; some are empty; in memory they
/// lie one after the other with a gap now and then.
template <typename Segment, typename Pointer>
std::vector<Segment> random_segments(std::mt19937& random, Pointer memory, Offset memory_bytes) {
    std::uniform_int_distribution<Offset> any_length(0, 40);
    std::uniform_int_distribution<int> dice(0, 9);
    std::vector<Segment> segments;
    Offset offset = 100;
    for (Offset used = 0; used + 50 < memory_bytes;) {
        const auto length = any_length(random);
        segments.push_back({offset, memory + used, length});
        used += length + (dice(random) < 3 ? 3 : 0);
        const int next = dice(random);
        offset += next < 6 ? length : next < 9 ? length + 17 : -std::min<Offset>(offset, 60);
    }
    return segments;
}

TEST_P(StorageConformance, RandomListsMatchTheOracle) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        TemporaryFolder folder;
        auto storage = GetParam().open(folder.file());
        Oracle oracle;
        std::mt19937 random(seed);
        const auto source = some_bytes(6000, seed);
        const auto writes = random_segments<WriteSegment>(random, source.data(), 6000);
        storage->write_list(writes);
        for (const auto& segment : writes) {
            oracle.write({segment.memory, segment.memory + segment.length}, segment.offset);
        }
        ASSERT_EQ(all(*storage), oracle.bytes);

        Bytes target(6000, std::byte{0});
        Bytes expected = target;
        const auto reads = random_segments<ReadSegment>(random, target.data(), 6000);
        Offset expected_total = 0;
        for (const auto& segment : reads) {
            const auto there = oracle.read(segment.length, segment.offset);
            std::ranges::copy(there, expected.begin() + (segment.memory - target.data()));
            expected_total += std::ssize(there);
        }
        EXPECT_EQ(storage->read_list(reads), expected_total);
        EXPECT_EQ(target, expected);
    }
}

TEST_P(StorageConformance, ListsLongerThanOneSystemCallTakes) {
    auto storage = open();
    const auto source = some_bytes(10000, 1);
    Bytes target(10000, std::byte{0});
    std::vector<WriteSegment> writes;
    std::vector<ReadSegment> reads;
    for (Offset i = 0; i < 5000; ++i) {  // adjacent in the file, every second byte of memory
        writes.push_back({i, source.data() + 2 * i, 1});
        reads.push_back({i, target.data() + 2 * i, 1});
    }
    storage->write_list(writes);
    EXPECT_EQ(storage->size(), 5000);
    EXPECT_EQ(storage->read_list(reads), 5000);
    for (std::size_t i = 0; i < target.size(); ++i) {
        ASSERT_EQ(target[i], i % 2 == 0 ? source[i] : std::byte{0}) << i;
    }
}

TEST_P(StorageConformance, LaterPiecesOfAListOverwriteEarlierOnes) {
    auto storage = open();
    const auto first = Bytes(100, std::byte{1});
    const auto second = Bytes(10, std::byte{2});
    const std::vector<WriteSegment> segments{{0, first.data(), 100}, {50, second.data(), 10}};
    storage->write_list(segments);
    Oracle oracle;
    oracle.write(first, 0);
    oracle.write(second, 50);
    EXPECT_EQ(all(*storage), oracle.bytes);
}

TEST_P(StorageConformance, ReadingStopsWhereTheFileEnds) {
    auto storage = open();
    const auto data = some_bytes(100, 1);
    storage->write(data, 0);
    Bytes buffer(60, std::byte{0});
    EXPECT_EQ(storage->read(buffer, 70), 30);
    EXPECT_TRUE(std::equal(buffer.begin(), buffer.begin() + 30, data.begin() + 70));
    EXPECT_EQ(Bytes(buffer.begin() + 30, buffer.end()), Bytes(30, std::byte{0}));

    Bytes target(60, std::byte{0});
    const std::vector<ReadSegment> segments{{95, target.data(), 10},
                                            {105, target.data() + 20, 10},
                                            {200, target.data() + 30, 10},
                                            {0, target.data() + 40, 20}};
    EXPECT_EQ(storage->read_list(segments), 25);
    EXPECT_EQ(Bytes(target.begin() + 5, target.begin() + 40), Bytes(35, std::byte{0}));
    EXPECT_TRUE(std::equal(target.begin() + 40, target.end(), data.begin()));
}

TEST_P(StorageConformance, NothingToMoveChangesNothing) {
    auto storage = open();
    storage->write({}, 500);
    const std::vector<WriteSegment> nothing{{700, nullptr, 0}};
    storage->write_list(nothing);
    storage->write_list({});
    EXPECT_EQ(storage->size(), 0);
    EXPECT_EQ(storage->read({}, 0), 0);
    EXPECT_EQ(storage->read_list({}), 0);
}

TEST_P(StorageConformance, HolesAreZeros) {
    auto storage = open();
    storage->write(Bytes(3, std::byte{9}), 1000);
    Oracle oracle;
    oracle.write(Bytes(3, std::byte{9}), 1000);
    EXPECT_EQ(all(*storage), oracle.bytes);
}

TEST_P(StorageConformance, ResizeCutsAndGrowsWithZeros) {
    auto storage = open();
    auto expected = some_bytes(1000, 1);
    storage->write(expected, 0);
    storage->resize(300);
    storage->resize(700);
    expected.resize(300);
    expected.resize(700);
    EXPECT_EQ(all(*storage), expected);
    storage->resize(0);
    EXPECT_EQ(storage->size(), 0);
}

TEST_P(StorageConformance, PreallocateGrowsAndKeepsContents) {
    auto storage = open();
    auto expected = some_bytes(1000, 1);
    storage->write(expected, 0);
    storage->preallocate(0);
    storage->preallocate(500);
    EXPECT_EQ(storage->size(), 1000);
    storage->preallocate(9000);
    expected.resize(9000);
    EXPECT_EQ(all(*storage), expected);
}

TEST_P(StorageConformance, SyncAndCloseSucceed) {
    auto storage = open();
    storage->write(some_bytes(100, 1), 0);
    storage->sync();
    storage->close();
}

TEST_P(StorageConformance, LocksAreGivenWhereFactsSaySo) {
    auto storage = open();
    ASSERT_TRUE(storage->facts().has_range_locks);
    EXPECT_NE(storage->lock(0, 100), nullptr);
    EXPECT_NE(storage->lock(100, 100), nullptr);
    EXPECT_NE(storage->lock(0, std::numeric_limits<Offset>::max()), nullptr);
}

TEST_P(StorageConformance, FactsAreSensible) {
    auto storage = open();
    EXPECT_FALSE(storage->facts().file_system.empty());
    EXPECT_GT(storage->facts().block_bytes, 0);
    EXPECT_GE(storage->facts().stripe_bytes, 0);
}

TEST_P(StorageConformance, RangesThatNoFileHasAreRefused) {
    constexpr auto largest = std::numeric_limits<Offset>::max();
    auto storage = open();
    const auto original = some_bytes(10, 1);
    storage->write(original, 0);
    Bytes buffer(10);
    const std::vector<ReadSegment> bad_reads{{0, buffer.data(), 1}, {0, buffer.data(), -1}};
    const std::vector<WriteSegment> bad_writes{{-1, buffer.data(), 1}};
    constexpr auto argument = base::Errc::argument;
    EXPECT_EQ(code_of([&] { storage->read(buffer, -1); }), argument);
    EXPECT_EQ(code_of([&] { storage->read(buffer, largest - 5); }), argument);
    EXPECT_EQ(code_of([&] { storage->write(buffer, -1); }), argument);
    EXPECT_EQ(code_of([&] { storage->write(buffer, largest - 5); }), argument);
    EXPECT_EQ(code_of([&] { storage->read_list(bad_reads); }), argument);
    EXPECT_EQ(code_of([&] { storage->write_list(bad_writes); }), argument);
    EXPECT_EQ(code_of([&] { storage->resize(-1); }), argument);
    EXPECT_EQ(code_of([&] { storage->preallocate(-1); }), argument);
    EXPECT_EQ(code_of([&] { storage->lock(5, 4); }), argument);
    EXPECT_EQ(code_of([&] { storage->lock(-5, 4); }), argument);
    EXPECT_EQ(code_of([&] { storage->lock(0, std::numeric_limits<Offset>::min()); }), argument);
    EXPECT_EQ(all(*storage), original);
}

TEST_P(StorageConformance, MoreThanThereIsRoomForIsNoSpace) {
    auto storage = open();
    storage->write(Bytes(10, std::byte{1}), 0);
    // No file system has 2^62 bytes.
    const auto error = error_of([&] { storage->preallocate(Offset{1} << 62); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), base::Errc::no_space) << error->what();
    Bytes buffer(10);
    EXPECT_EQ(storage->read(buffer, 0), 10);
    EXPECT_EQ(buffer, Bytes(10, std::byte{1}));
}

}  // namespace
}  // namespace pario::storage::test

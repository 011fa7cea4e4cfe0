// What happens when system calls fail: the rules themselves, then every call of a body in turn.
#include <algorithm>
#include <array>
#include <set>

#include "storage/fault_rules.hpp"
#include "storage_kit.hpp"
#include <gtest/gtest.h>

namespace pario::storage::test {
namespace {

using base::Errc;

TEST(FaultRules, AreReadAsWritten) {
    const auto rules = parse_fault_rules("write:3:EIO;read:*:short=7;any:2+:EINTR;");
    ASSERT_EQ(rules.size(), 3U);
    EXPECT_EQ(rules[0].operation, Operation::write);
    EXPECT_EQ(rules[0].calls.first, 3);
    EXPECT_EQ(rules[0].calls.last, 3);
    EXPECT_EQ(rules[0].fault.error_number, EIO);
    EXPECT_EQ(rules[1].calls.first, 1);
    EXPECT_EQ(rules[1].fault.most_bytes, 7U);
    EXPECT_EQ(rules[2].operation, Operation::any);
    EXPECT_EQ(rules[2].calls.first, 2);
    EXPECT_GT(rules[2].calls.last, 1'000'000'000);
    EXPECT_TRUE(parse_fault_rules("").empty());
}

TEST(FaultRules, NonsenseIsNamed) {
    for (const std::string rule : {"write",
                                   "write:1",
                                   "seek:1:EIO",
                                   "write:0:EIO",
                                   "write:-1:EIO",
                                   "write:x:EIO",
                                   "write:+:EIO",
                                   "write::EIO",
                                   "write:1:EWHAT",
                                   "write:1:",
                                   "write:1:short=",
                                   "write:1:short=-1",
                                   "write:1:short=x",
                                   "open:1:short=3",
                                   ":::"}) {
        const auto error = error_of([&] { faulty_system_calls("read:1:EIO;" + rule); });
        ASSERT_TRUE(error) << rule;
        EXPECT_EQ(error->code(), Errc::argument);
        EXPECT_NE(std::string(error->what()).find("'" + rule + "'"), std::string::npos)
            << error->what();
    }
}

TEST(FaultRules, AreCountedByOperationAndInAll) {
    FaultSchedule schedule(
        parse_fault_rules("write:2:EIO;any:4:ENOSPC;write:3+:short=9;write:*:short=11"));
    EXPECT_EQ(schedule.next(Operation::write).most_bytes, 11U);
    EXPECT_EQ(schedule.next(Operation::read).error_number, std::nullopt);
    EXPECT_EQ(schedule.next(Operation::write).error_number, EIO);
    EXPECT_EQ(schedule.next(Operation::sync).error_number, ENOSPC);
    EXPECT_EQ(schedule.next(Operation::write).most_bytes, 9U);
    EXPECT_EQ(schedule.next(Operation::write).error_number, std::nullopt);
}

class StorageFaults : public testing::Test {
  protected:
    std::unique_ptr<Storage> open(const std::string& rules, Access access = Access::read_write) {
        return open_posix(
            folder_.file(), access, Creation::create_if_missing, 0666, faulty_system_calls(rules));
    }

    TemporaryFolder folder_;
};

struct Range {
    Offset begin;
    Offset end;
};

/// What the body writes, in this order; the second and third are neighbours.
constexpr std::array<Range, 5> written{
    {{100, 150}, {200, 210}, {210, 230}, {300, 310}, {4090, 4110}}};
constexpr std::array<Range, 3> read{{{0, 50}, {60, 70}, {4000, 4100}}};

/// A bit of everything, remembering what it is at, and how much of `written` is done for certain.
struct Body {
    Bytes data = some_bytes(4110, 2);
    std::string step;
    std::size_t done = 0;

    void run(const std::function<std::unique_ptr<Storage>()>& open) {
        step = "open";
        const auto storage = open();
        step = "lock";
        const auto lock = storage->lock(0, 4110);
        step = "write";
        storage->write({data.data() + 100, 50}, 100);
        done = 1;
        std::vector<WriteSegment> writes;
        for (const auto& range : std::span(written).subspan(1)) {
            writes.push_back({range.begin, data.data() + range.begin, range.end - range.begin});
        }
        storage->write_list(writes);
        done = written.size();
        step = "read";
        Bytes target(4110);
        storage->read({target.data(), 50}, 0);
        const std::vector<ReadSegment> reads{{60, target.data() + 60, 10},
                                             {4000, target.data() + 4000, 100}};
        storage->read_list(reads);
        step = "resize";
        storage->preallocate(5000);
        storage->resize(6000);
        step = "sync";
        storage->sync();
        step = "close";
        storage->close();
        step = "finished";
    }
};

bool within(std::span<const Range> ranges, Offset offset) {
    return std::ranges::any_of(
        ranges, [&](const Range& range) { return range.begin <= offset && offset < range.end; });
}

/// The file as it has to be after the body stopped: every piece in order, up to where it failed.
Bytes expected_contents(const Bytes& original, const Body& body, const base::Error& error) {
    Bytes result = original;
    for (std::size_t i = 0; i < written.size(); ++i) {
        const auto [begin, end] = written[i];
        const bool failed_here =
            body.step == "write" && begin <= error.offset() && error.offset() < end;
        const bool before = i < body.done || (body.step == "write" && !failed_here);
        const auto stop = failed_here ? error.offset() : before ? end : begin;
        if (stop > begin) {
            result.resize(std::max(result.size(), static_cast<std::size_t>(stop)));
            std::copy(body.data.begin() + begin, body.data.begin() + stop, result.begin() + begin);
        }
        if (failed_here) {
            break;
        }
    }
    return result;
}

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
        ++count;
    }
    return count;
}

void check_failure(const Body& body,
                   const base::Error& error,
                   const Bytes& original,
                   const std::string& path) {
    EXPECT_EQ(error.path(), path);
    if (body.step == "write") {
        EXPECT_TRUE(within(written, error.offset())) << error.what();
    } else if (body.step == "read") {
        EXPECT_TRUE(within(read, error.offset())) << error.what();
    }
    auto expected = expected_contents(original, body, error);
    auto contents = contents_of(path);
    const auto longest = std::max(expected.size(), contents.size());
    expected.resize(longest);  // how far the file had grown is checked by its zeros only
    contents.resize(longest);
    EXPECT_EQ(contents, expected);
}

TEST_F(StorageFaults, EveryCallFailsInTurnAndNothingElseChanges) {
    const auto original = some_bytes(4096, 1);
    const auto descriptors = open_descriptors();
    for (const std::string fault : {"EIO", "ENOSPC"}) {
        for (const std::string always : {"", ";write:*:short=3;read:*:short=7"}) {
            std::set<std::string> failed_steps;
            Body body;
            for (int call = 1; body.step != "finished"; ++call) {
                const std::string rules = "any:" + std::to_string(call) + ":" + fault + always;
                SCOPED_TRACE(rules);
                make_file(folder_.file(), original);
                body = {};
                const auto error = error_of([&] { body.run([&] { return open(rules); }); });
                ASSERT_EQ(error.has_value(), body.step != "finished");
                EXPECT_EQ(open_descriptors(), descriptors);
                if (error) {
                    EXPECT_EQ(error->code(), fault == "EIO" ? Errc::io : Errc::no_space);
                    check_failure(body, *error, original, folder_.file());
                    failed_steps.insert(body.step);
                }
            }
            const std::set<std::string> all_steps{
                "open", "lock", "write", "read", "resize", "sync", "close"};
            EXPECT_EQ(failed_steps, all_steps);
        }
    }
}

TEST_F(StorageFaults, InterruptionsAreNotNoticed) {
    const auto original = some_bytes(4096, 1);
    Bytes expected = original;
    expected.resize(6000);
    for (const auto& [begin, end] : written) {
        const auto data = Body{}.data;
        std::copy(data.begin() + begin, data.begin() + end, expected.begin() + begin);
    }
    for (int call = 1; call <= 20; ++call) {
        SCOPED_TRACE(call);
        make_file(folder_.file(), original);
        Body body;
        const auto rules = "any:" + std::to_string(call) + ":EINTR";
        EXPECT_EQ(code_of([&] { body.run([&] { return open(rules); }); }), Errc::success);
        EXPECT_EQ(contents_of(folder_.file()), expected);
    }
}

TEST_F(StorageFaults, AWriteOfNothingIsAnErrorNotALoop) {
    auto storage = open("write:2+:short=0;write:1:short=3");
    const auto error = error_of([&] { storage->write(some_bytes(10, 1), 100); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), Errc::io);
    EXPECT_EQ(error->offset(), 103);
}

TEST_F(StorageFaults, AFileSystemWithoutLocksHasNone) {
    for (const std::string reason : {"ENOLCK", "EINVAL", "EOPNOTSUPP", "ENOSYS"}) {
        const auto never = open("lock:*:" + reason);
        EXPECT_FALSE(never->facts().has_range_locks) << reason;
        EXPECT_EQ(never->lock(0, 10), nullptr) << reason;
        const auto once = open("lock:1:" + reason);
        EXPECT_TRUE(once->facts().has_range_locks) << reason;
        EXPECT_EQ(once->lock(0, 10), nullptr) << reason;
        EXPECT_NE(once->lock(0, 10), nullptr) << reason;
    }
}

TEST_F(StorageFaults, WithoutReservationPreallocateOnlyGrows) {
    for (const std::string reason : {"EOPNOTSUPP", "ENOSYS"}) {
        const auto original = some_bytes(1000, 1);
        make_file(folder_.file(), original);
        auto storage = open("resize:1:" + reason + ";resize:3:" + reason);
        storage->preallocate(3000);  // calls 1 (fails) and 2
        storage->preallocate(500);   // call 3 (fails): nothing to grow
        auto expected = original;
        expected.resize(3000);
        EXPECT_EQ(contents_of(folder_.file()), expected);
    }
}

TEST_F(StorageFaults, ALateErrorIsReportedByCloseOnly) {
    auto storage = open("close:1:EIO");
    storage->write(some_bytes(10, 1), 0);
    const auto error = error_of([&] { storage->close(); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), Errc::io);
    EXPECT_EQ(error->path(), folder_.file());
    EXPECT_EQ(code_of([&] { open("close:*:EIO"); }), Errc::success);  // the destructor is silent
}

TEST_F(StorageFaults, OnlyMissingReadPermissionIsTriedAgain) {
    EXPECT_EQ(code_of([&] { open("open:1:EACCES", Access::write_only); }), Errc::success);
    EXPECT_EQ(code_of([&] { open("open:1:EACCES", Access::read_write); }), Errc::access);
    EXPECT_EQ(code_of([&] { open("open:1:EROFS", Access::write_only); }), Errc::read_only);
    EXPECT_EQ(code_of([&] { open("open:*:EACCES", Access::write_only); }), Errc::access);
}

}  // namespace
}  // namespace pario::storage::test

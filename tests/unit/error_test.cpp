#include "base/error.hpp"

#include <cerrno>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include <gtest/gtest.h>

namespace pario::base {
namespace {

TEST(Error, SaysOperationFileOffsetReasonAndRank) {
    const Error bare(Errc::no_space, "pwrite failed: No space left on device", 4096);
    EXPECT_STREQ(bare.what(), "at byte 4096: pwrite failed: No space left on device");
    const Error named = bare.in("MPI_File_write", "/data/x", 3);
    EXPECT_STREQ(named.what(),
                 "MPI_File_write: '/data/x': at byte 4096: pwrite failed: No space left on device "
                 "(rank 3)");
    EXPECT_EQ(named.code(), Errc::no_space);
    EXPECT_EQ(named.offset(), 4096);
    EXPECT_EQ(named.rank(), 3);
    EXPECT_EQ(named.operation(), "MPI_File_write");
    EXPECT_EQ(named.path(), "/data/x");
}

TEST(Error, NamesOnceGivenStay) {
    const Error error =
        Error(Errc::io, "broken").in("", "inner").in("call", "outer", 1).in("x", "y", 2);
    EXPECT_STREQ(error.what(), "call: 'inner': broken (rank 1)");
    EXPECT_EQ(error.offset(), Error::no_offset);
}

TEST(Error, ErrnoBecomesACode) {
    const std::pair<int, Errc> known[] = {
        {0, Errc::success},
        {ENOENT, Errc::no_such_file},
        {EEXIST, Errc::file_exists},
        {EACCES, Errc::access},
        {EPERM, Errc::access},
        {EROFS, Errc::read_only},
        {ENOSPC, Errc::no_space},
        {EFBIG, Errc::no_space},
        {EDQUOT, Errc::quota},
        {EISDIR, Errc::bad_file},
        {ENOTDIR, Errc::bad_file},
        {ENAMETOOLONG, Errc::bad_file},
        {ELOOP, Errc::bad_file},
        {ETXTBSY, Errc::file_in_use},
        {ENOMEM, Errc::memory},
        {EINVAL, Errc::argument},
        {EIO, Errc::io},
        {ESTALE, Errc::io},
    };
    for (const auto& [number, code] : known) {
        EXPECT_EQ(code_of_errno(number), code) << number;
    }
}

TEST(Error, ThrowErrnoTellsTheSystemsReason) {
    errno = EDQUOT;
    try {
        throw_errno("pwrite", 12);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::quota);
        EXPECT_STREQ(error.what(), "at byte 12: pwrite failed: Disk quota exceeded");
    }
}

TEST(Error, EveryCodeHasItsOwnText) {
    std::set<std::string> texts;
    constexpr int last = static_cast<int>(Errc::internal);
    for (int code = 0; code <= last; ++code) {
        texts.emplace(describe(static_cast<Errc>(code)));
    }
    EXPECT_EQ(texts.size(), last + 1U);
    EXPECT_FALSE(texts.contains("unknown error"));
    EXPECT_EQ(describe(static_cast<Errc>(9999)), "unknown error");
}

TEST(CheckedCast, KeepsTheValueOrThrows) {
    EXPECT_EQ(checked_cast<int>(std::int64_t{7}), 7);
    EXPECT_EQ(checked_cast<std::size_t>(std::int64_t{7}), 7U);
    EXPECT_THROW(checked_cast<int>(std::numeric_limits<std::int64_t>::max()), Error);
    try {
        checked_cast<std::size_t>(-5);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::argument);
        EXPECT_NE(std::string(error.what()).find("-5"), std::string::npos);
    }
}

}  // namespace
}  // namespace pario::base

#include "base/hints.hpp"

#include <string>

#include <gtest/gtest.h>

namespace pario::base {
namespace {

TEST(Hints, DefaultsReportOnlyWhatIsKnown) {
    const HintMap expected{
        {"ind_rd_buffer_size", "4194304"},
        {"ind_wr_buffer_size", "524288"},
        {"pario_strategy", "automatic"},
        {"romio_cb_read", "automatic"},
        {"romio_cb_write", "automatic"},
        {"romio_ds_read", "automatic"},
        {"romio_ds_write", "automatic"},
    };
    EXPECT_EQ(Hints{}.effective(), expected);
}

TEST(Hints, EveryKnownKeyComesBack) {
    const HintMap given{
        {"access_style", "read_once,sequential"},
        {"cb_block_size", "512"},
        {"cb_buffer_size", "8388608"},
        {"cb_nodes", "3"},
        {"chunked", "400,100"},
        {"chunked_item", "8"},
        {"chunked_size", "40,10"},
        {"collective_buffering", "true"},
        {"file_perm", "0644"},
        {"filename", "  Data File  "},
        {"ind_rd_buffer_size", "1000"},
        {"ind_wr_buffer_size", "2000"},
        {"io_node_list", "a,b"},
        {"nb_proc", "4"},
        {"num_io_nodes", "2"},
        {"pario_strategy", "two_phase"},
        {"romio_cb_read", "enable"},
        {"romio_cb_write", "enable"},
        {"romio_ds_read", "enable"},
        {"romio_ds_write", "disable"},
        {"striping_factor", "5"},
        {"striping_unit", "65536"},
    };
    Hints hints;
    hints.update(given);
    EXPECT_EQ(hints.effective(), given);
    EXPECT_TRUE(hints.rejected.empty());
    EXPECT_EQ(hints.strategy, Strategy::two_phase);
    EXPECT_EQ(hints.ds_write, Switch::disable);
    EXPECT_EQ(hints.cb_nodes, 3);
}

TEST(Hints, UnknownKeysAreIgnored) {
    Hints hints;
    hints.update({{"no_such_hint", "1"}, {"CB_NODES", "2"}, {"", ""}});
    EXPECT_EQ(hints.effective(), Hints{}.effective());
    EXPECT_TRUE(hints.rejected.empty());
}

TEST(Hints, SizesTakeBlanksAndSuffixes) {
    const std::map<std::string, std::int64_t> good{
        {"1", 1},
        {" 4096\t", 4096},
        {"4k", 4096},
        {"4K", 4096},
        {" 3m ", 3 << 20},
        {"2G", std::int64_t{2} << 30},
        {"9223372036854775807", 9223372036854775807},
        {"8589934591G", std::int64_t{8589934591} << 30},
    };
    for (const auto& [text, bytes] : good) {
        Hints hints;
        hints.update({{"cb_buffer_size", text}});
        EXPECT_EQ(hints.cb_buffer_size, bytes) << text;
        EXPECT_TRUE(hints.rejected.empty()) << text;
    }
}

TEST(Hints, NonsenseKeepsTheOldValueAndIsRemembered) {
    for (const std::string text : {"",
                                   " ",
                                   "0",
                                   "-1",
                                   "+5",
                                   "4.5",
                                   "4T",
                                   "4MB",
                                   "M",
                                   "4 M",
                                   "0x10",
                                   "1e6",
                                   "9223372036854775808",
                                   "8589934592G",
                                   "four"}) {
        Hints hints;
        hints.update({{"striping_unit", "4096"}});
        hints.update({{"striping_unit", text}});
        EXPECT_EQ(hints.striping_unit, 4096) << text;
        ASSERT_EQ(hints.rejected.size(), 1U) << text;
        EXPECT_EQ(hints.rejected[0], "striping_unit=" + text + ": not a positive number of bytes");
    }
}

TEST(Hints, CountsTakeNoSuffix) {
    Hints hints;
    hints.update({{"cb_nodes", "4k"}, {"striping_factor", "minus one"}});
    EXPECT_EQ(hints.cb_nodes, 0);
    EXPECT_EQ(hints.striping_factor, 0);
    const std::vector<std::string> expected{"cb_nodes=4k: not a positive number",
                                            "striping_factor=minus one: not a positive number"};
    EXPECT_EQ(hints.rejected, expected);
}

TEST(Hints, ARefusalIsRememberedOnce) {
    Hints hints;
    hints.update({{"cb_nodes", "x"}});
    hints.update({{"cb_nodes", "x"}});
    hints.update({{"cb_nodes", "y"}});
    EXPECT_EQ(hints.rejected.size(), 2U);
}

TEST(Hints, WordsInAnyCaseAndNothingElse) {
    Hints hints;
    hints.update({{"romio_cb_write", " ENABLE "}, {"pario_strategy", "Sieve"}});
    EXPECT_EQ(hints.cb_write, Switch::enable);
    EXPECT_EQ(hints.strategy, Strategy::sieve);
    hints.update({{"romio_cb_write", "true"}, {"pario_strategy", "fast"}});
    EXPECT_EQ(hints.cb_write, Switch::enable);
    EXPECT_EQ(hints.strategy, Strategy::sieve);
    const std::vector<std::string> expected{
        "pario_strategy=fast: not one of automatic direct list sieve two_phase shared",
        "romio_cb_write=true: not one of automatic enable disable"};
    EXPECT_EQ(hints.rejected, expected);
}

TEST(Hints, CollectiveBufferingSetsBothSwitches) {
    Hints hints;
    hints.update({{"collective_buffering", "false"}});
    EXPECT_EQ(hints.cb_read, Switch::disable);
    EXPECT_EQ(hints.cb_write, Switch::disable);
    EXPECT_EQ(hints.effective().at("collective_buffering"), "false");
    hints.update({{"collective_buffering", "perhaps"}});
    EXPECT_EQ(hints.cb_read, Switch::disable);
    EXPECT_EQ(hints.rejected.size(), 1U);
    hints.update({{"collective_buffering", "true"}, {"romio_cb_read", "disable"}});
    EXPECT_EQ(hints.cb_read, Switch::disable);
    EXPECT_EQ(hints.cb_write, Switch::enable);
    EXPECT_FALSE(hints.effective().contains("collective_buffering"));
}

TEST(Hints, LaterCallsWin) {
    Hints hints;
    hints.update({{"cb_nodes", "2"}, {"filename", "a"}});
    hints.update({{"cb_nodes", "5"}, {"filename", "b"}});
    EXPECT_EQ(hints.effective().at("cb_nodes"), "5");
    EXPECT_EQ(hints.effective().at("filename"), "b");
}

}  // namespace
}  // namespace pario::base

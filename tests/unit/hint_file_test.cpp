#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "base/hints.hpp"

namespace pario::base {
namespace {

class HintFile : public testing::Test {
  protected:
    std::string write(const std::string& name, const std::string& text) {
        const std::string path = folder_ + name;
        std::ofstream(path) << text;
        return path;
    }

    std::string folder_ = testing::TempDir();
};

TEST_F(HintFile, HoldsAKeyAndAValueALine) {
    const auto path = write("hints", "# comment\n\n  cb_nodes 4\r\nstriping_unit\t1M \n");
    const HintMap expected{{"cb_nodes", "4"}, {"striping_unit", "1M"}};
    EXPECT_EQ(read_hint_file(path), expected);
}

TEST_F(HintFile, NamesFileAndLineOfWhatItCannotRead) {
    const auto path = write("broken", "cb_nodes 4\nnonsense\n");
    try {
        read_hint_file(path);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Errc::info);
        EXPECT_NE(error.cause().find("broken', line 2"), std::string::npos) << error.cause();
    }
    EXPECT_THROW(read_hint_file(folder_ + "missing"), Error);
}

TEST_F(HintFile, OfParioCountsMoreThanThatOfRomio) {
    setenv("ROMIO_HINTS", write("romio", "cb_nodes 1\ncb_buffer_size 4096\n").c_str(), 1);
    setenv("PARIO_HINTS", write("pario", "cb_nodes 2\n").c_str(), 1);
    const HintMap expected{{"cb_nodes", "2"}, {"cb_buffer_size", "4096"}};
    EXPECT_EQ(hints_from_environment(), expected);
    unsetenv("ROMIO_HINTS");
    unsetenv("PARIO_HINTS");
    EXPECT_TRUE(hints_from_environment().empty());
}

}  // namespace
}  // namespace pario::base

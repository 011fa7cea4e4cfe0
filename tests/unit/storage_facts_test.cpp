#include <cstring>

#include "storage/facts.hpp"
#include "storage_kit.hpp"
#include <gtest/gtest.h>

namespace pario::storage::test {
namespace {

TEST(Facts, NamesOfFileSystems) {
    EXPECT_EQ(file_system_name(0xEF53), "ext4");
    EXPECT_EQ(file_system_name(0x6969), "nfs");
    EXPECT_EQ(file_system_name(0x0BD00BD0), "lustre");
    EXPECT_EQ(file_system_name(0x9123683E), "btrfs");
    EXPECT_EQ(file_system_name(0xABCDEF), "unknown (0xabcdef)");
}

TEST(Facts, ProbeTellsTheSameAsAnOpenFile) {
    const TemporaryFolder folder;
    const auto storage = open_posix(folder.file(), Access::read_write, Creation::create_if_missing);
    for (const auto& facts : {probe(folder.file()), probe(folder.path())}) {
        EXPECT_EQ(facts.file_system, storage->facts().file_system);
        EXPECT_EQ(facts.block_bytes, storage->facts().block_bytes);
        EXPECT_EQ(facts.has_range_locks, storage->facts().has_range_locks);
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
        << "probing left something behind";
    EXPECT_EQ(probe("/proc").file_system, "unknown (0x9fa0)");
}

TEST(Facts, ProbeOfNothingFails) {
    const auto error = error_of([] { probe("/no/such/place"); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), base::Errc::no_such_file);
    EXPECT_EQ(error->path(), "/no/such/place");
}

/// The beginning of a "lustre.lov" attribute as <linux/lustre/lustre_user.h> lays it out.
Bytes lustre_attribute(std::uint32_t magic, std::uint32_t stripe_bytes) {
    Bytes attribute(32);
    std::memcpy(attribute.data(), &magic, sizeof magic);
    std::memcpy(attribute.data() + 24, &stripe_bytes, sizeof stripe_bytes);
    return attribute;
}

TEST(Facts, LustreStripes) {
    EXPECT_EQ(lustre_stripe_bytes(lustre_attribute(0x0BD10BD0, 1 << 20)), 1 << 20);
    EXPECT_EQ(lustre_stripe_bytes(lustre_attribute(0x0BD30BD0, 4 << 20)), 4 << 20);
    EXPECT_EQ(lustre_stripe_bytes(lustre_attribute(0x0BD60BD0, 4 << 20)), 0) << "composite";
    EXPECT_EQ(lustre_stripe_bytes(Bytes(27)), 0) << "cut off";
    EXPECT_EQ(lustre_stripe_bytes({}), 0);
}

}  // namespace
}  // namespace pario::storage::test

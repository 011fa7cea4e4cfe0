/// parse() against random damage: it throws base::Error(argument) or gives a sound layout.
#include <array>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "layout_oracle.hpp"
#include <gtest/gtest.h>

namespace pario::layout {
namespace {

using oracle::Generator;
using Bytes = std::vector<std::byte>;

constexpr std::size_t word = sizeof(Offset);

void put_word(Bytes& bytes, std::size_t at, Offset value) {
    for (std::size_t i = 0; i < word; ++i) {
        bytes[at + i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
}

/// Damages bytes or whole numbers, cuts or lengthens.
void damage(Bytes& bytes, Generator& generator) {
    static constexpr Offset numbers[] = {0,
                                         1,
                                         -1,
                                         2,
                                         3,
                                         4,
                                         5,
                                         255,
                                         1 << 20,
                                         Offset{1} << 40,
                                         Offset{1} << 62,
                                         std::numeric_limits<Offset>::max(),
                                         std::numeric_limits<Offset>::min()};
    const auto size = static_cast<Offset>(bytes.size());
    switch (size < static_cast<Offset>(word) ? 3 : generator.between(0, 4)) {
        case 0:
            bytes[static_cast<std::size_t>(generator.between(0, size - 1))] ^=
                static_cast<std::byte>(1 << generator.between(0, 7));
            break;
        case 1:
        case 2: {
            const auto at = static_cast<std::size_t>(
                                generator.between(0, size / static_cast<Offset>(word) - 1)) *
                            word;
            put_word(bytes, at, numbers[generator.between(0, std::size(numbers) - 1)]);
            break;
        }
        case 3:
            bytes.resize(bytes.size() + static_cast<std::size_t>(generator.between(1, 20)));
            break;
        default:
            bytes.resize(static_cast<std::size_t>(generator.between(0, size - 1)) / word * word);
    }
}

/// Calls what must not fail on any layout, however large.
void expect_sound(const Layout& layout) {
    EXPECT_EQ(Layout::parse(layout.serialise()), layout);
    EXPECT_LE(layout.lower(), layout.upper());
    EXPECT_FALSE(layout.describe().empty());
    for (const Offset stream : {Offset{0}, layout.size() / 3, layout.size() - 1}) {
        if (stream >= 0 && stream < layout.size()) {
            const Offset offset = layout.offset_of(stream);
            EXPECT_GE(offset, layout.lower());
            EXPECT_LT(offset, layout.upper());
            EXPECT_EQ(layout.slice(stream, stream + 1).lower(), offset);
            if (layout.is_monotone()) {
                EXPECT_EQ(layout.bytes_below(offset), stream);
            }
        }
    }
}

TEST(LayoutParse, damaged_bytes_are_refused_or_sound) {
    int refused = 0;
    int accepted = 0;
    for (std::uint64_t seed = 0; seed < 30000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Generator generator(seed);
        Bytes bytes = generator.tree().layout.serialise();
        for (Offset i = generator.between(1, 3); i > 0; --i) {
            damage(bytes, generator);
        }
        bytes.shrink_to_fit();  // reading past the end is then an error to the address sanitizer
        try {
            expect_sound(Layout::parse(bytes));
            ++accepted;
        } catch (const base::Error& error) {
            EXPECT_EQ(error.code(), base::Errc::argument) << error.what();
            ++refused;
        }
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(refused, 3000);
    EXPECT_GT(accepted, 3000);
}

TEST(LayoutParse, every_cut_and_every_longer_text_is_refused) {
    const Layout layout = Layout::strided(
        3, 100, Layout::pieces(std::vector<Piece>{{0, 4}, {8, 1}, {20, 5}, {40, 2}}));
    Bytes bytes = layout.serialise();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_THROW(Layout::parse(std::span(bytes).first(size)), base::Error) << size;
    }
    bytes.push_back(std::byte{0});
    EXPECT_THROW(Layout::parse(bytes), base::Error);
}

TEST(LayoutParse, a_child_must_come_before_its_parent) {
    Bytes bytes = Layout::strided(3, 8, Layout::block(4)).serialise();
    const std::size_t child = bytes.size() - word;
    put_word(bytes, child, 1);  // the strided node itself
    EXPECT_THROW(Layout::parse(bytes), base::Error);
    put_word(bytes, child, -1);
    EXPECT_THROW(Layout::parse(bytes), base::Error);
    put_word(bytes, child, 0);
    EXPECT_EQ(Layout::parse(bytes), Layout::strided(3, 8, Layout::block(4)));
}

/// Each level holds the one below twice: the tree is small, its paths are 2^50.
TEST(LayoutParse, shared_children_are_written_and_compared_once) {
    const auto make = [] {
        Layout layout = Layout::pieces(std::vector<Piece>{{0, 1}, {5, 2}});
        for (Offset level = 0; level < 50; ++level) {
            const Offset step = layout.upper() - layout.lower() + level % 2;
            layout =
                Layout::structure(std::vector<Part>{{0, Layout::strided(3, 0, Layout::block(9))},
                                                    {0, layout},
                                                    {0, Layout::strided(2, 0, Layout::block(7))},
                                                    {step, layout}});
            layout = layout.size() > Offset{1} << 58 ? layout.slice(0, layout.size() / 2) : layout;
        }
        return layout;
    };
    const Layout a = make();
    EXPECT_LT(a.serialise().size(), 200'000U);
    EXPECT_EQ(a, make());
    EXPECT_EQ(Layout::parse(a.serialise()), a);
}

}  // namespace
}  // namespace pario::layout

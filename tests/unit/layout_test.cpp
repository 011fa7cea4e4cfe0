/// What trees normalise to, and what is refused.
#include "layout/layout.hpp"

#include <chrono>
#include <limits>
#include <string>

#include "base/error.hpp"
#include <gtest/gtest.h>

namespace pario::layout {
namespace {

constexpr Offset max_offset = std::numeric_limits<Offset>::max();
using Offsets = std::vector<Offset>;

template <typename Make>
void expect_refused(Make&& make) {
    try {
        make();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::Errc::argument);
    }
}

Layout every_eighth(Offset count) {
    return Layout::strided(count, 8, Layout::block(4));
}

TEST(Layout, empty_ones_are_equal) {
    const Layout empty;
    EXPECT_TRUE(empty.is_empty());
    EXPECT_TRUE(empty.is_monotone());
    EXPECT_FALSE(empty.is_contiguous());
    EXPECT_EQ(empty.describe(), "empty");
    EXPECT_EQ(empty.bytes_below(5), 0);
    EXPECT_EQ(Layout::block(0), empty);
    EXPECT_EQ(Layout::strided(0, 8, Layout::block(4)), empty);
    EXPECT_EQ(Layout::strided(5, 8, empty), empty);
    EXPECT_EQ(Layout::indexed(Offsets{}, Layout::block(4)), empty);
    EXPECT_EQ(Layout::structure({}), empty);
    EXPECT_EQ(Layout::tiled(empty, 8), empty);
    EXPECT_EQ(empty.shifted(9), empty);
    EXPECT_EQ(every_eighth(9).slice(5, 5), empty);
    EXPECT_EQ(Layout::parse(empty.serialise()), empty);
}

TEST(Layout, contiguous_pieces_merge) {
    EXPECT_EQ(Layout::strided(5, 4, Layout::block(4)), Layout::block(20));
    EXPECT_EQ(Layout::indexed(Offsets{0, 4, 8}, Layout::block(4)), Layout::block(12));
    EXPECT_EQ(Layout::pieces(std::vector<Piece>{{3, 2}, {5, 0}, {5, 7}}),
              Layout::block(9).shifted(3));
    EXPECT_EQ(Layout::structure(std::vector<Part>{{1, Layout::block(3)}, {4, Layout::block(2)}}),
              Layout::block(5).shifted(1));
    EXPECT_EQ(Layout::indexed(Offsets{0, 4, 20, 24}, Layout::block(4)),
              Layout::strided(2, 20, Layout::block(8)));
}

TEST(Layout, nested_strides_collapse) {
    EXPECT_EQ(Layout::strided(7, 24, every_eighth(3)), every_eighth(21));
    EXPECT_EQ(Layout::tiled(every_eighth(3), 24).slice(0, 400), every_eighth(100));
    EXPECT_EQ(Layout::strided(1, 99, every_eighth(3)), every_eighth(3));
}

TEST(Layout, regular_lists_become_strided) {
    EXPECT_EQ(Layout::indexed(Offsets{0, 8, 16}, Layout::block(4)), every_eighth(3));
    EXPECT_EQ(Layout::pieces(std::vector<Piece>{{0, 4}, {8, 4}, {16, 4}}), every_eighth(3));
    EXPECT_EQ(Layout::structure(std::vector<Part>{
                  {0, Layout::block(4)}, {8, Layout::block(4)}, {16, every_eighth(4)}}),
              every_eighth(6));
    EXPECT_EQ(Layout::indexed(Offsets{0, 8, 16, 100, 108, 116}, Layout::block(4)),
              Layout::strided(2, 100, every_eighth(3)));
    EXPECT_EQ(Layout::indexed(Offsets{0, 8, 100, 108, 150, 158}, Layout::block(4)),
              Layout::indexed(Offsets{0, 100, 150}, every_eighth(2)));
    EXPECT_EQ(Layout::indexed(Offsets{16, 8, 0}, Layout::block(4)),
              Layout::strided(3, -8, Layout::block(4)).shifted(16));
}

TEST(Layout, slices_join_again) {
    const Layout layout = every_eighth(100);
    const std::vector<Part> parts = {
        {0, layout.slice(0, 130)}, {0, layout.slice(130, 131)}, {0, layout.slice(131, 400)}};
    EXPECT_EQ(Layout::structure(parts), layout);
}

TEST(Layout, order_of_interleaved_copies_is_not_monotone) {
    EXPECT_TRUE(every_eighth(3).is_monotone());
    EXPECT_TRUE(Layout::strided(2, 20, every_eighth(3)).is_monotone());
    EXPECT_FALSE(Layout::strided(2, 19, every_eighth(3)).is_monotone());
    EXPECT_FALSE(Layout::strided(2, 4, every_eighth(3)).is_monotone());  // fills the gaps
    EXPECT_FALSE(Layout::strided(3, -8, Layout::block(4)).is_monotone());
    EXPECT_FALSE(Layout::strided(3, 0, Layout::block(4)).is_monotone());
    EXPECT_TRUE(Layout::strided(3, 5, Layout::block(4).shifted(-100)).is_monotone());
    EXPECT_THROW(Layout::strided(3, 0, Layout::block(4)).bytes_below(2), base::Error);
}

TEST(Layout, describe_is_for_people) {
    EXPECT_EQ(Layout::strided(65536, 8, Layout::block(4)).describe(),
              "strided(65536 x 8 B, block 4 B)");
    EXPECT_EQ(Layout::pieces(std::vector<Piece>{{2, 4}, {8, 1}}).describe(),
              "pieces(2: 4 B at 0, 1 B at 6) at 2");
}

TEST(Layout, runs_are_as_long_as_the_tree_allows) {
    std::vector<layout::Run> runs;
    Offset next = 6;
    every_eighth(1000).visit_runs(6, 3990, [&](const layout::Run& run, Offset stream) {
        EXPECT_EQ(stream, next);
        next += run.length * run.count;
        runs.push_back(run);
    });
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].offset, 10);
    EXPECT_EQ(runs[0].length, 2);
    EXPECT_EQ(runs[0].count, 1);
    EXPECT_EQ(runs[1].offset, 16);
    EXPECT_EQ(runs[1].stride, 8);
    EXPECT_EQ(runs[1].count, 995);
    EXPECT_EQ(runs[2].offset, 997 * 8);
    EXPECT_EQ(runs[2].length, 2);
    EXPECT_EQ(next, 3990);
}

/// The view of MPI users' darray with distribution cyclic(1): 10^9 pieces, and tiled for ever.
TEST(Layout, a_billion_pieces_cost_nothing) {
    const auto start = std::chrono::steady_clock::now();
    constexpr int repeats = 1000;
    Layout view;
    for (int i = 0; i < repeats; ++i) {
        const Layout tile = Layout::strided(1'000'000'000, 16, Layout::block(4)).shifted(4);
        view = Layout::tiled(tile, 16'000'000'000).shifted(i);
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    EXPECT_LT(time.count() / repeats, 100e-6);
    EXPECT_LT(view.footprint_bytes(), 1024U);
    EXPECT_EQ(view.root()->child(0).kind, Layout::Node::Kind::block);  // one strided node
    const Offset shift = 4 + repeats - 1;
    EXPECT_EQ(view.offset_of(4'000'000'000'001), 16'000'000'000'001 + shift);
    EXPECT_EQ(view.bytes_below(16'000'000'000'000 + shift), 4'000'000'000'000);
}

TEST(Layout, tiles_reach_far_and_can_be_shifted) {
    const Layout block = Layout::tiled(Layout::block(12), 12);
    EXPECT_TRUE(block.is_contiguous());
    EXPECT_GT(block.size(), Layout::tiled_limit - 12);
    const Layout view = Layout::tiled(every_eighth(2).shifted(4), 1 << 20);
    EXPECT_GT(view.upper(), Layout::tiled_limit - (1 << 20));
    EXPECT_EQ(view.shifted(Layout::tiled_limit - 1).lower(), Layout::tiled_limit + 3);
    const Layout dense = Layout::tiled(Layout::strided(1000, 0, Layout::block(1000)), 1);
    EXPECT_LE(dense.size(), Layout::tiled_limit);
}

TEST(Layout, wrong_arguments_are_refused) {
    const Layout block = Layout::block(4);
    expect_refused([] { Layout::block(-1); });
    expect_refused([&] { Layout::strided(-1, 8, block); });
    expect_refused([&] { Layout::tiled(block, 0); });
    expect_refused([&] { Layout::tiled(block, -8); });
    expect_refused([] { Layout::pieces(std::vector<Piece>{{0, 4}, {8, -1}}); });
    expect_refused([&] { block.slice(0, 5); });
    expect_refused([&] { block.slice(-1, 2); });
    expect_refused([&] { block.slice(3, 2); });
    expect_refused([&] { block.offset_of(4); });
    expect_refused([&] { block.offset_of(max_offset); });
    expect_refused([&] { block.visit_runs(0, 5, [](const layout::Run&, Offset) {}); });
}

TEST(Layout, numbers_beyond_63_bits_are_refused) {
    const Layout block = Layout::block(4);
    expect_refused([&] { Layout::strided(max_offset, 8, block); });
    expect_refused([&] { Layout::strided(max_offset, 4, block); });
    expect_refused([&] { Layout::strided(3, max_offset, block); });
    expect_refused([&] { Layout::strided(max_offset / 2, 0, block); });
    expect_refused([&] { Layout::strided(max_offset, std::numeric_limits<Offset>::min(), block); });
    expect_refused([&] { block.shifted(max_offset - 3); });
    expect_refused([&] { Layout::indexed(Offsets{0, max_offset - 3}, block); });
    expect_refused([&] {
        Layout::indexed(Offsets{std::numeric_limits<Offset>::min(), 0, max_offset}, block);
    });
    expect_refused([] { Layout::pieces(std::vector<Piece>{{max_offset, 1}, {0, 2}}); });
    expect_refused([&] {
        const Layout huge = Layout::block(max_offset);
        Layout::structure(std::vector<Part>{{0, huge}, {0, huge}});
    });
    constexpr Offset far = (Offset{1} << 62) + 9;
    expect_refused([&] { Layout::indexed(Offsets{0, -far, far}, block); });
    EXPECT_EQ(block.shifted(max_offset - 4).upper(), max_offset);
}

TEST(Layout, deep_nesting_is_refused_before_it_hurts) {
    const auto nested = [](int levels) {
        Layout layout = Layout::block(1);
        for (int level = 1; level < levels; ++level) {
            std::vector<Part> parts = {{0, layout}};
            for (Offset i = 1; i <= 20; ++i) {  // too wide to be taken apart one level up
                parts.push_back({0, Layout::strided(2, 0, Layout::block(i))});
            }
            layout = Layout::structure(parts);
        }
        return layout;
    };
    const Layout deep = nested(Layout::max_depth - 1);
    EXPECT_EQ(deep.root()->depth, Layout::max_depth);
    EXPECT_EQ(deep.offset_of(0), 0);
    EXPECT_EQ(Layout::parse(deep.serialise()), deep);
    expect_refused([&] { nested(100'000); });
}

}  // namespace
}  // namespace pario::layout

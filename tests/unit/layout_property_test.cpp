/// Every operation of a layout held against the plain list of its byte offsets, on random trees.
#include <functional>
#include <map>
#include <string>

#include "layout/copy.hpp"
#include "layout/coverage.hpp"
#include "layout_oracle.hpp"
#include <gtest/gtest.h>

namespace pario::layout {
namespace {

using oracle::Generator;
using oracle::Memory;
using oracle::Sample;

constexpr std::uint64_t num_trees = 6000;

/// Runs `check(sample, generator)` on many trees and names the seed and tree of a failure.
template <typename Check>
void for_random_trees(Check&& check) {
    for (std::uint64_t seed = 0; seed < num_trees; ++seed) {
        Generator generator(seed);
        const Sample sample = generator.tree();
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + sample.layout.describe());
        check(sample, generator);
        if (::testing::Test::HasFailure()) {
            return;
        }
    }
}

bool naive_is_monotone(const Sample& sample) {
    return std::ranges::adjacent_find(sample.offsets, std::greater_equal<>()) ==
           sample.offsets.end();
}

Offset naive_num_blocks(const Sample& sample) {
    Offset blocks = sample.offsets.empty() ? 0 : 1;
    for (std::size_t i = 1; i < sample.offsets.size(); ++i) {
        blocks += sample.offsets[i] != sample.offsets[i - 1] + 1;
    }
    return blocks;
}

std::vector<Offset> visited(const Layout& layout, Offset begin, Offset end) {
    std::vector<Offset> offsets;
    layout.visit_runs(begin, end, [&](const Run& run, Offset stream) {
        EXPECT_EQ(stream, begin + static_cast<Offset>(offsets.size()));
        EXPECT_GT(run.count, 0);
        EXPECT_GT(run.length, 0);
        for (Offset i = 0; i < run.count; ++i) {
            for (Offset j = 0; j < run.length; ++j) {
                offsets.push_back(run.offset + i * run.stride + j);
            }
        }
    });
    return offsets;
}

std::vector<Offset> part(const std::vector<Offset>& list, Offset begin, Offset end) {
    return {list.begin() + begin, list.begin() + end};
}

TEST(LayoutProperty, the_trees_are_of_all_kinds) {
    int monotone = 0;
    int empty = 0;
    int negative = 0;
    std::map<Layout::Node::Kind, int> kinds;
    for_random_trees([&](const Sample& sample, Generator&) {
        monotone += sample.layout.is_monotone();
        empty += sample.layout.is_empty();
        negative += sample.layout.lower() < 0;
        if (!sample.layout.is_empty()) {
            ++kinds[sample.layout.root()->kind];
        }
    });
    EXPECT_GT(monotone, 1000);
    EXPECT_LT(monotone, 5000);
    EXPECT_GT(empty, 100);
    EXPECT_LT(empty, 3000);
    EXPECT_GT(negative, 500);
    ASSERT_EQ(kinds.size(), 5U);
    for (const auto& [kind, count] : kinds) {
        EXPECT_GT(count, 100) << static_cast<int>(kind);
    }
}

TEST(LayoutProperty, size_bounds_order_and_blocks) {
    for_random_trees([](const Sample& sample, Generator&) {
        const Layout& layout = sample.layout;
        EXPECT_EQ(layout.size(), sample.size());
        EXPECT_EQ(layout.lower(), sample.lower());
        EXPECT_EQ(layout.upper(), sample.upper());
        EXPECT_EQ(layout.is_monotone(), naive_is_monotone(sample));
        EXPECT_EQ(layout.is_contiguous(), naive_num_blocks(sample) == 1);
        EXPECT_GE(layout.num_blocks(), naive_num_blocks(sample));
        EXPECT_LE(layout.num_blocks(), sample.size());
        EXPECT_FALSE(layout.describe().empty());
    });
}

TEST(LayoutProperty, offset_of_and_piece_at) {
    for_random_trees([](const Sample& sample, Generator&) {
        for (Offset stream = 0; stream < sample.size(); ++stream) {
            const Offset expected = sample.offsets[static_cast<std::size_t>(stream)];
            ASSERT_EQ(sample.layout.offset_of(stream), expected);
            const Piece piece = sample.layout.piece_at(stream);
            ASSERT_EQ(piece.offset, expected);
            ASSERT_GT(piece.length, 0);
            ASSERT_LE(stream + piece.length, sample.size());
            const auto last = static_cast<std::size_t>(stream + piece.length - 1);
            ASSERT_EQ(sample.offsets[last], expected + piece.length - 1);
        }
    });
}

TEST(LayoutProperty, bytes_below) {
    for_random_trees([](const Sample& sample, Generator&) {
        if (!sample.layout.is_monotone()) {
            return;
        }
        for (Offset offset = sample.lower() - 2; offset <= sample.upper() + 2; ++offset) {
            const auto below = std::ranges::lower_bound(sample.offsets, offset);
            ASSERT_EQ(sample.layout.bytes_below(offset), below - sample.offsets.begin())
                << "offset " << offset;
        }
    });
}

TEST(LayoutProperty, visit_runs) {
    for_random_trees([](const Sample& sample, Generator& generator) {
        EXPECT_EQ(visited(sample.layout, 0, sample.size()), sample.offsets);
        for (int i = 0; i < 5; ++i) {
            const auto [begin, end] = generator.range(sample.size());
            EXPECT_EQ(visited(sample.layout, begin, end), part(sample.offsets, begin, end));
        }
    });
}

TEST(LayoutProperty, slice) {
    for_random_trees([](const Sample& sample, Generator& generator) {
        for (int i = 0; i < 5; ++i) {
            const auto [begin, end] = generator.range(sample.size());
            const Layout slice = sample.layout.slice(begin, end);
            EXPECT_EQ(slice.size(), end - begin);
            EXPECT_EQ(visited(slice, 0, end - begin), part(sample.offsets, begin, end));
        }
        EXPECT_EQ(sample.layout.slice(0, sample.size()), sample.layout);
    });
}

TEST(LayoutProperty, slices_join_to_the_same_bytes) {
    for_random_trees([](const Sample& sample, Generator& generator) {
        const auto [begin, end] = generator.range(sample.size());
        const std::vector<Part> parts = {{0, sample.layout.slice(0, begin)},
                                         {0, sample.layout.slice(begin, end)},
                                         {0, sample.layout.slice(end, sample.size())}};
        const Layout joined = Layout::structure(parts);
        EXPECT_EQ(visited(joined, 0, sample.size()), sample.offsets);
        EXPECT_EQ(joined.is_monotone(), sample.layout.is_monotone());
    });
}

TEST(LayoutProperty, shifted) {
    for_random_trees([](const Sample& sample, Generator& generator) {
        const Offset by = generator.between(-5000, 5000);
        const Layout moved = sample.layout.shifted(by);
        for (Offset stream = 0; stream < sample.size(); ++stream) {
            ASSERT_EQ(moved.offset_of(stream), sample.layout.offset_of(stream) + by);
        }
        EXPECT_EQ(moved.shifted(-by), sample.layout);
        EXPECT_EQ(moved == sample.layout, by == 0 || sample.layout.is_empty());
    });
}

TEST(LayoutProperty, tiled) {
    for_random_trees([](const Sample& sample, Generator& generator) {
        const Offset extent = generator.between(1, 2) == 1
                                  ? std::max<Offset>(1, sample.upper() - sample.lower())
                                  : generator.between(1, 500);
        const Layout tiled = Layout::tiled(sample.layout, extent);
        EXPECT_EQ(tiled.is_empty(), sample.offsets.empty());
        if (tiled.is_empty()) {
            return;
        }
        EXPECT_GT(tiled.size(), Offset{1} << 45);
        EXPECT_LE(tiled.size(), Layout::tiled_limit);
        EXPECT_LE(tiled.upper(), Layout::tiled_limit);
        EXPECT_EQ(tiled.lower(), sample.lower());
        std::vector<Offset> expected;
        for (Offset tile = 0; tile < 3; ++tile) {
            oracle::append_moved(expected, sample.offsets, tile * extent);
        }
        const auto [begin, end] = generator.range(3 * sample.size());
        EXPECT_EQ(visited(tiled, begin, end), part(expected, begin, end));
    });
}

TEST(LayoutProperty, pack) {
    for_random_trees([](const Sample& sample, Generator& generator) {
        Memory memory(sample, 3);
        const auto [begin, end] = generator.range(sample.size());
        std::vector<std::byte> out(static_cast<std::size_t>(end - begin) + 1, std::byte{0xEE});
        std::vector<std::byte> expected = out;
        for (Offset stream = begin; stream < end; ++stream) {
            expected[static_cast<std::size_t>(stream - begin)] =
                memory.at(sample.offsets[static_cast<std::size_t>(stream)]);
        }
        pack(memory.base(), sample.layout, begin, end, out.data());
        EXPECT_EQ(out, expected);
    });
}

TEST(LayoutProperty, unpack) {
    for_random_trees([](const Sample& sample, Generator& generator) {
        Memory memory(sample, 3);
        Memory expected = memory;
        const auto [begin, end] = generator.range(sample.size());
        std::vector<std::byte> in(static_cast<std::size_t>(end - begin));
        for (std::size_t i = 0; i < in.size(); ++i) {
            in[i] = static_cast<std::byte>(i * 7 + 1);
            expected.at(sample.offsets[static_cast<std::size_t>(begin) + i]) = in[i];
        }
        unpack(in.data(), memory.base(), sample.layout, begin, end);
        EXPECT_EQ(memory, expected);
    });
}

TEST(LayoutProperty, copy) {
    for_random_trees([](const Sample& source, Generator& generator) {
        const Sample target = generator.tree();
        SCOPED_TRACE("to " + target.layout.describe());
        Memory from(source, 5);
        Memory to(target, 9);
        Memory expected = to;
        const Offset bytes = generator.between(0, std::min(source.size(), target.size()));
        const Offset first = generator.between(0, source.size() - bytes);
        const Offset second = generator.between(0, target.size() - bytes);
        for (Offset i = 0; i < bytes; ++i) {
            expected.at(target.offsets[static_cast<std::size_t>(second + i)]) =
                from.at(source.offsets[static_cast<std::size_t>(first + i)]);
        }
        copy({from.base(), source.layout, first}, {to.base(), target.layout, second}, bytes);
        EXPECT_EQ(to, expected);
    });
}

TEST(LayoutProperty, serialise_and_parse) {
    for_random_trees([](const Sample& sample, Generator&) {
        const std::vector<std::byte> bytes = sample.layout.serialise();
        const Layout parsed = Layout::parse(bytes);
        EXPECT_EQ(parsed, sample.layout) << parsed.describe();
        EXPECT_EQ(parsed.serialise().size(), bytes.size());
    });
}

/// x^0, x^1, ... mod 2^61 - 1, by the division that the code under test avoids.
std::vector<std::uint64_t> powers(std::uint64_t x, Offset count) {
    constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
    std::vector<std::uint64_t> list(static_cast<std::size_t>(count), 1);
    for (std::size_t i = 1; i < list.size(); ++i) {
        list[i] =
            static_cast<std::uint64_t>(static_cast<unsigned __int128>(list[i - 1]) * x % prime);
    }
    return list;
}

TEST(LayoutProperty, coverage_is_the_sum_over_all_bytes) {
    constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
    for_random_trees([](const Sample& sample, Generator& generator) {
        const auto points = CoveragePoints::from_seed(static_cast<std::uint64_t>(sample.size()));
        const auto [begin, end] = generator.range(sample.size());
        const Offset origin = sample.lower() - generator.between(0, 20);
        const Coverage coverage = coverage_of(sample.layout, begin, end, origin, points);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto list = powers(points.x[i], sample.upper() - origin + 1);
            std::uint64_t sum = 0;
            for (const Offset offset : part(sample.offsets, begin, end)) {
                sum = (sum + list[static_cast<std::size_t>(offset - origin)]) % prime;
            }
            ASSERT_EQ(coverage.value[i], sum);
        }
    });
}

/// Deals a range to three ranks byte by byte or in runs, then spoils it in one byte.
TEST(LayoutProperty, coverage_finds_every_hole_and_overlap) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Generator generator(seed);
        const Offset length = generator.between(2, 300);
        const Offset origin = generator.between(0, 1 << 20);
        std::vector<std::vector<Piece>> ranks(3);
        Offset rank = 0;
        for (Offset at = 0; at < length; ++at) {
            rank = generator.between(0, 3) == 0 ? generator.between(0, 2) : rank;
            ranks[static_cast<std::size_t>(rank)].push_back({origin + at, 1});
        }
        const auto points = CoveragePoints::from_seed(seed);
        const auto total = [&] {
            Coverage sum;
            for (const auto& pieces : ranks) {
                const Layout layout = Layout::pieces(pieces);
                sum += coverage_of(layout, 0, layout.size(), origin, points);
            }
            return sum;
        };
        ASSERT_EQ(total(), full_coverage(length, points));
        auto& spoiled = ranks[static_cast<std::size_t>(rank)];
        Piece& piece = spoiled[static_cast<std::size_t>(generator.between(0, spoiled.size() - 1))];
        const Offset moved = origin + generator.between(0, length - 1);
        const bool is_same = moved == piece.offset;
        piece.offset = moved;  // one byte twice, another not at all
        ASSERT_EQ(total() == full_coverage(length, points), is_same);
    }
}

TEST(LayoutCoverage, works_where_a_stride_is_the_order_of_the_field) {
    constexpr Offset order = (Offset{1} << 61) - 2;  // x^order == 1
    const auto points = CoveragePoints::from_seed(7);
    const Coverage sum = coverage_of(Layout::strided(3, order, Layout::block(1)), 0, 3, 0, points);
    EXPECT_EQ(sum.value[0], 3U);
    EXPECT_EQ(sum.value[1], 3U);
}

TEST(LayoutCoverage, of_two_interleaved_billions) {
    const auto points = CoveragePoints::from_seed(8);
    const Layout even = Layout::strided(1'000'000'000, 8, Layout::block(4));
    Coverage sum = coverage_of(even, 0, even.size(), 0, points);
    sum += coverage_of(even.shifted(4), 0, even.size(), 0, points);
    EXPECT_EQ(sum, full_coverage(8'000'000'000, points));
    sum += coverage_of(even, 0, 1, 0, points);
    EXPECT_FALSE(sum == full_coverage(8'000'000'000, points));
}

}  // namespace
}  // namespace pario::layout

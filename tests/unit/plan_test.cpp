#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace pario::plan {
namespace {

using layout::CoveragePoints;
using layout::Layout;

const CoveragePoints points = CoveragePoints::from_seed(1);

/// A rank's part of a block-cyclic file: `count` blocks of `grain` bytes.
Access block_cyclic(int rank, int ranks, Offset grain, Offset count) {
    const Layout view =
        Layout::tiled(Layout::block(grain), ranks * grain).shifted(rank * grain);
    return describe_access(view, 0, grain * count, points);
}

std::vector<Access> all_block_cyclic(int ranks, Offset grain, Offset count) {
    std::vector<Access> accesses;
    for (int rank = 0; rank < ranks; ++rank) {
        accesses.push_back(block_cyclic(rank, ranks, grain, count));
    }
    return accesses;
}

std::vector<int> nodes(int ranks, int ranks_per_node) {
    std::vector<int> node_of_rank(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        node_of_rank[rank] = rank / ranks_per_node;
    }
    return node_of_rank;
}

Plan plan_of(const std::vector<Access>& accesses, const base::Hints& hints = {},
             int ranks_per_node = 1 << 30, Direction direction = Direction::write) {
    const auto node_of_rank = nodes(static_cast<int>(accesses.size()), ranks_per_node);
    return make_plan(direction, accesses, hints, {.node_of_rank = node_of_rank}, points);
}

/// Domains and chunks must cover [begin, end) in order, without gaps.
void expect_complete(const Plan& plan) {
    Offset next = plan.begin;
    for (int d = 0; d < std::ssize(plan.domains); ++d) {
        EXPECT_EQ(plan.domains[d].begin, next);
        for (Offset round = 0; round < plan.rounds_of(d); ++round) {
            const Chunk chunk = plan.chunk(d, round);
            EXPECT_EQ(chunk.begin, next);
            EXPECT_LT(chunk.begin, chunk.end);
            EXPECT_LE(chunk.end - chunk.begin, plan.chunk_bytes);
            next = chunk.end;
        }
        EXPECT_EQ(plan.domains[d].end, next);
    }
    EXPECT_EQ(plan.end, next);
}

TEST(Plan, StagesSmallPieces) {
    const Plan plan = plan_of(all_block_cyclic(4, 4, 1 << 20));
    EXPECT_EQ(plan.way, Way::staged);
    EXPECT_EQ(plan.locality, Locality::node);
    EXPECT_TRUE(plan.is_covered);
    EXPECT_EQ(plan.begin, 0);
    EXPECT_EQ(plan.end, 4 << 22);
    expect_complete(plan);
}

TEST(Plan, GoesDirectForLargePieces) {
    EXPECT_EQ(plan_of(all_block_cyclic(4, 1 << 20, 64)).way, Way::direct);
}

TEST(Plan, HasNothingToDoWithoutData) {
    EXPECT_EQ(plan_of(std::vector<Access>(3)).way, Way::nothing);
}

TEST(Plan, SeesHoles) {
    auto accesses = all_block_cyclic(4, 4, 1 << 20);
    accesses.pop_back();
    const Plan plan = plan_of(accesses);
    EXPECT_EQ(plan.way, Way::staged);
    EXPECT_FALSE(plan.is_covered);
}

TEST(Plan, SeesHolesThatOverlapsMakeUpFor) {
    // Ranks 0 and 1 write the same pieces, nobody writes rank 1's: the byte count still fits.
    auto accesses = all_block_cyclic(4, 4, 1 << 20);
    accesses[1] = accesses[0];
    ASSERT_EQ(std::accumulate(accesses.begin(),
                              accesses.end(),
                              Offset{0},
                              [](Offset sum, const Access& a) { return sum + a.bytes; }),
              4 << 22);
    EXPECT_FALSE(plan_of(accesses).is_covered);
}

TEST(Plan, DoesNotStageWhatCannotBeModified) {
    auto accesses = all_block_cyclic(4, 4, 1 << 20);
    accesses.pop_back();
    const auto node_of_rank = nodes(3, 3);
    const Machine machine{.node_of_rank = node_of_rank, .can_modify = false};
    EXPECT_EQ(make_plan(Direction::write, accesses, {}, machine, points).way, Way::direct);
    EXPECT_EQ(make_plan(Direction::read, accesses, {}, machine, points).way, Way::staged);
}

TEST(Plan, DoesNotStageSparseAccesses) {
    std::vector<Access> accesses;
    for (int rank = 0; rank < 4; ++rank) {
        const Layout view = Layout::tiled(Layout::block(4), 1 << 20).shifted(rank * 4);
        accesses.push_back(describe_access(view, 0, 4 << 16, points));
    }
    EXPECT_EQ(plan_of(accesses).way, Way::direct);
}

TEST(Plan, DoesNotMixOverlapsInAtomicMode) {
    const std::vector<Access> accesses(3, block_cyclic(0, 2, 4, 1 << 20));
    const auto node_of_rank = nodes(3, 3);
    const Machine machine{.node_of_rank = node_of_rank, .is_atomic = true};
    EXPECT_EQ(make_plan(Direction::write, accesses, {}, machine, points).way, Way::direct);
}

TEST(Plan, ObeysHints) {
    const auto small = all_block_cyclic(4, 4, 1 << 20);
    const auto large = all_block_cyclic(4, 1 << 20, 16);
    base::Hints hints;
    hints.cb_write = base::Switch::disable;
    EXPECT_EQ(plan_of(small, hints).way, Way::direct);
    EXPECT_EQ(plan_of(small, hints, 1 << 30, Direction::read).way, Way::staged);
    hints.cb_write = base::Switch::enable;
    EXPECT_EQ(plan_of(large, hints).way, Way::staged);
    hints = {};
    hints.strategy = base::Strategy::two_phase;
    EXPECT_EQ(plan_of(large, hints).locality, Locality::rank);
    hints = {};
    hints.cb_nodes = 3;
    hints.cb_buffer_size = 10000;
    const Plan plan = plan_of(small, hints);
    EXPECT_EQ(plan.domains.size(), 3U);
    EXPECT_LE(plan.staging_bytes_per_node(1), 10000);
    expect_complete(plan);
}

TEST(Plan, CutsOnStripes) {
    base::Hints hints;
    hints.striping_unit = 1 << 20;
    auto accesses = all_block_cyclic(4, 12, 1 << 20);
    const Plan plan = plan_of(accesses, hints);
    for (std::size_t d = 1; d < plan.domains.size(); ++d) {
        EXPECT_EQ(plan.domains[d].begin % hints.striping_unit, 0);
    }
    expect_complete(plan);
}

TEST(Plan, SpreadsAggregatorsOverNodes) {
    base::Hints hints;
    hints.cb_nodes = 4;
    const Plan plan = plan_of(all_block_cyclic(16, 4, 1 << 18), hints, 4);
    std::vector<int> aggregators;
    for (const Domain& domain : plan.domains) {
        aggregators.push_back(domain.aggregator);
    }
    EXPECT_EQ(aggregators, (std::vector<int>{0, 4, 8, 12}));
}

TEST(Plan, IsCompleteForAwkwardRanges) {
    for (const Offset grain : {1, 3, 12, 100, 4097}) {
        for (const int ranks : {2, 3, 5, 7}) {
            for (const Offset buffer : {1, 64, 4096, 70000, 1 << 20}) {
                base::Hints hints;
                hints.cb_buffer_size = buffer;
                hints.strategy = base::Strategy::shared;
                auto accesses = all_block_cyclic(ranks, grain, 17);
                accesses[0] = block_cyclic(0, ranks, grain, 18);
                const Plan plan = plan_of(accesses, hints);
                ASSERT_EQ(plan.way, Way::staged);
                expect_complete(plan);
            }
        }
    }
}

TEST(Plan, ServesManyRanks) {
    const Plan plan = plan_of(all_block_cyclic(10'000, 4, 100'000), {}, 50);
    EXPECT_TRUE(plan.is_covered);
    EXPECT_EQ(plan.domains.size(), 200U * 4);
    expect_complete(plan);
    EXPECT_NE(describe(plan).find("staged by rank 9953"), std::string::npos);
}

}  // namespace
}  // namespace pario::plan

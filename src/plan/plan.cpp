#include "plan/plan.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

namespace pario::plan {

namespace {

using base::Strategy;
using base::Switch;
using layout::Coverage;

/// What a way costs, in nanoseconds; measured on a 2-core machine with the page cache. They only
/// have to rank the ways, not to foretell times.
namespace cost {
constexpr double read_call = 1'000;      // one pread, without its bytes
constexpr double write_call = 20'000;    // one pwrite; ranks wait for each other at the inode
constexpr double staged_start = 60'000;  // waking and agreeing, once a call
constexpr double staged_byte = 0.12;     // the extra copy through a staging buffer
}  // namespace cost

/// Below this share of accessed bytes, reading or writing the holes too costs more than it saves.
constexpr double least_density = 0.2;

constexpr Offset most_chunk = 1 << 30;  // a chunk's share of a rank is one message
constexpr Offset default_chunk = 1 << 20;
constexpr int most_default_domains_per_node = 4;

Offset round_up(Offset value, Offset unit) { return (value + unit - 1) / unit * unit; }

/// The accesses of all ranks together.
struct Total {
    Offset begin = std::numeric_limits<Offset>::max();
    Offset end = 0;
    Offset bytes = 0;
    Offset most_bytes = 0;
    Offset most_blocks = 0;
    int active_ranks = 0;
    bool is_monotone = true;
    Coverage coverage;
};

Total sum_up(std::span<const Access> accesses) {
    Total total;
    for (const Access& access : accesses) {
        if (access.bytes == 0) {
            continue;
        }
        ++total.active_ranks;
        total.begin = std::min(total.begin, access.begin);
        total.end = std::max(total.end, access.end);
        total.bytes += access.bytes;
        total.most_bytes = std::max(total.most_bytes, access.bytes);
        total.most_blocks = std::max(total.most_blocks, access.blocks);
        total.is_monotone = total.is_monotone && access.is_monotone;
        total.coverage += access.coverage;
    }
    return total;
}

/// Whether the ranks together touch every byte of the range exactly once.
bool covers_exactly(const Total& total, const layout::CoveragePoints& points) {
    if (total.bytes != total.end - total.begin) {
        return false;
    }
    const auto range = layout::Layout::block(total.bytes).shifted(total.begin);
    return total.coverage == layout::coverage_of(range, 0, total.bytes, 0, points);
}

struct Choice {
    Way way;
    std::string reason;
};

/// Where the bytes cannot be staged, whatever the hints say.
const char* obstacle(Direction direction, const Total& total, bool is_covered,
                     const Machine& machine) {
    if (!total.is_monotone) {
        return "a view does not run forward through the file";
    }
    if (is_covered) {
        return nullptr;
    }
    if (machine.is_atomic) {
        return "atomic mode with accesses that may overlap";
    }
    if (direction == Direction::write && !machine.can_modify) {
        return "holes between the accesses, and no way to read and lock them";
    }
    return nullptr;
}

double density_of(const Total& total) {
    return static_cast<double>(total.bytes) / static_cast<double>(total.end - total.begin);
}

bool is_staging_forced(Direction direction, const base::Hints& hints) {
    return hints.strategy == Strategy::shared || hints.strategy == Strategy::two_phase ||
           (direction == Direction::read ? hints.cb_read : hints.cb_write) == Switch::enable;
}

bool is_staging_forbidden(Direction direction, const base::Hints& hints) {
    return hints.strategy == Strategy::direct || hints.strategy == Strategy::list ||
           hints.strategy == Strategy::sieve ||
           (direction == Direction::read ? hints.cb_read : hints.cb_write) == Switch::disable;
}

Choice choose(Direction direction, const Total& total, bool is_covered, const base::Hints& hints,
              const Machine& machine) {
    if (total.bytes == 0) {
        return {Way::nothing, "no rank has anything to move"};
    }
    if (is_staging_forbidden(direction, hints)) {
        return {Way::direct, "asked for by a hint"};
    }
    if (const char* reason = obstacle(direction, total, is_covered, machine)) {
        return {Way::direct, reason};
    }
    if (is_staging_forced(direction, hints)) {
        return {Way::staged, "asked for by a hint"};
    }
    if (density_of(total) < least_density) {
        return {Way::direct, "accesses too sparse"};
    }
    if (total.active_ranks == 1) {
        return {Way::direct, "only one rank has data"};
    }
    const double call = direction == Direction::read ? cost::read_call : cost::write_call;
    const double direct = call * static_cast<double>(total.most_blocks);
    const double staged =
        cost::staged_start + cost::staged_byte * static_cast<double>(total.most_bytes);
    if (direct <= staged) {
        return {Way::direct, "large pieces"};
    }
    return {Way::staged, "small pieces"};
}

/// The aggregators: as many ranks as asked for, dealt out to the nodes in turn, so that every node
/// gets its share before one gets a second.
std::vector<int> choose_aggregators(const base::Hints& hints, const Machine& machine) {
    const int num_nodes =
        1 + *std::max_element(machine.node_of_rank.begin(), machine.node_of_rank.end());
    std::vector<std::vector<int>> ranks_of_node(num_nodes);
    for (int rank = 0; rank < std::ssize(machine.node_of_rank); ++rank) {
        ranks_of_node[machine.node_of_rank[rank]].push_back(rank);
    }
    const bool asked = hints.cb_nodes > 0;
    const auto wanted = asked ? std::min<Offset>(hints.cb_nodes, std::ssize(machine.node_of_rank))
                              : std::ssize(machine.node_of_rank);
    std::vector<int> aggregators;
    for (int turn = 0; std::ssize(aggregators) < wanted; ++turn) {
        if (!asked && turn == most_default_domains_per_node) {
            break;
        }
        for (const auto& ranks : ranks_of_node) {
            if (turn < std::ssize(ranks) && std::ssize(aggregators) < wanted) {
                aggregators.push_back(ranks[turn]);
            }
        }
    }
    // Neighbouring domains go to ranks in ascending order: with block distributions a rank then
    // tends to stage what it owns.
    std::sort(aggregators.begin(), aggregators.end());
    return aggregators;
}

/// Cuts the range into one domain for each aggregator; every cut lies on `unit`.
void cut_domains(Plan& plan, const std::vector<int>& aggregators, Offset unit) {
    const Offset base = plan.begin / unit * unit;
    const auto parts = std::ssize(aggregators);
    const Offset length = round_up((plan.end - base + parts - 1) / parts, unit);
    for (int i = 0; i < parts; ++i) {
        const Offset begin = std::max(plan.begin, base + i * length);
        const Offset end = std::min(plan.end, base + (i + 1) * length);
        if (begin < end) {
            plan.domains.push_back({begin, end, aggregators[i]});
        }
    }
}

void lay_out(Plan& plan, const base::Hints& hints, const Machine& machine) {
    const Offset page = std::max<Offset>(machine.alignment, 1);
    const Offset stripe = hints.striping_unit > 0 ? hints.striping_unit : page;
    const Offset buffer = hints.cb_buffer_size > 0 ? hints.cb_buffer_size
                                                   : chunks_in_flight * default_chunk;
    plan.locality =
        hints.strategy == Strategy::two_phase ? Locality::rank : Locality::node;
    cut_domains(plan, choose_aggregators(hints, machine), stripe);
    Offset longest = 0;
    for (const Domain& domain : plan.domains) {
        longest = std::max(longest, domain.end - domain.begin);
    }
    const Offset wanted =
        std::min({buffer / chunks_in_flight, round_up(longest, page), most_chunk});
    plan.chunk_bytes = wanted >= page ? wanted / page * page : std::max<Offset>(wanted, 1);
}

}  // namespace

Access describe_access(const layout::Layout& view, Offset begin, Offset end,
                       const layout::CoveragePoints& points) {
    if (begin == end) {
        return {};
    }
    const layout::Layout part = view.slice(begin, end);
    return {.begin = part.lower(),
            .end = part.upper(),
            .bytes = end - begin,
            .blocks = part.num_blocks(),
            .coverage = layout::coverage_of(view, begin, end, 0, points),
            .is_monotone = part.is_monotone()};
}

Offset Plan::rounds_of(int domain) const {
    const Domain& d = domains[domain];
    const Offset base = d.begin / chunk_bytes * chunk_bytes;
    return (d.end - base + chunk_bytes - 1) / chunk_bytes;
}

Chunk Plan::chunk(int domain, Offset round) const {
    const Domain& d = domains[domain];
    const Offset base = d.begin / chunk_bytes * chunk_bytes + round * chunk_bytes;
    return {std::max(base, d.begin), std::min(base + chunk_bytes, d.end)};
}

Offset Plan::staging_bytes_per_node(int domains_on_node) const {
    return domains_on_node * chunks_in_flight * chunk_bytes;
}

Plan make_plan(Direction direction, std::span<const Access> accesses, const base::Hints& hints,
               const Machine& machine, const layout::CoveragePoints& points) {
    const Total total = sum_up(accesses);
    Plan plan;
    plan.is_covered = total.bytes > 0 && covers_exactly(total, points);
    Choice choice = choose(direction, total, plan.is_covered, hints, machine);
    plan.way = choice.way;
    plan.reason = std::move(choice.reason);
    if (total.bytes > 0) {
        plan.begin = total.begin;
        plan.end = total.end;
    }
    if (plan.way == Way::staged) {
        lay_out(plan, hints, machine);
    }
    return plan;
}

std::string summary(const Plan& plan) {
    switch (plan.way) {
        case Way::nothing:
            return "nothing: " + plan.reason;
        case Way::direct:
            return "direct: " + plan.reason;
        case Way::staged:
            return (plan.locality == Locality::node ? "shared: " : "two_phase: ") + plan.reason;
    }
    return plan.reason;
}

std::string describe(const Plan& plan) {
    std::ostringstream text;
    text << summary(plan) << ", file bytes [" << plan.begin << ", " << plan.end << ")";
    if (plan.way == Way::staged) {
        text << (plan.is_covered ? ", fully covered" : ", with holes or overlaps") << ", "
             << plan.domains.size() << " domains in chunks of " << plan.chunk_bytes << " bytes\n";
        for (const Domain& domain : plan.domains) {
            text << "  [" << domain.begin << ", " << domain.end << ") staged by rank "
                 << domain.aggregator << "\n";
        }
    }
    return text.str();
}

}  // namespace pario::plan

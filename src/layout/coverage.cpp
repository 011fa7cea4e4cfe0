#include "layout/coverage.hpp"

#include <optional>
#include <tuple>

namespace pario::layout {

namespace {

using Node = Layout::Node;
using Kind = Node::Kind;

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
constexpr Offset order = static_cast<Offset>(prime) - 1;  // x^order == 1 for every x but 0
constexpr int exponent_bits = 61;

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum >= prime ? sum - prime : sum;
}

std::uint64_t subtract(std::uint64_t a, std::uint64_t b) {
    return add(a, prime - b);
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    const auto low = static_cast<std::uint64_t>(product) & prime;
    const auto high = static_cast<std::uint64_t>(product >> 61);
    return add(low, high);
}

/// The sums of one layout at one point x.
class Evaluation {
  public:
    explicit Evaluation(std::uint64_t x) {
        std::uint64_t square = x;
        for (std::uint64_t& entry : squares_) {
            entry = square;
            square = multiply(square, square);
        }
        // Fermat: a^(p-2) is the inverse of a. x is neither 0 nor 1.
        inverse_of_x_less_one_ = power_of(subtract(x, 1), prime - 2);
    }

    std::uint64_t x() const { return squares_.front(); }

    /// Sum of x^s over stream bytes [begin, end), begin < end, of `node` placed at 0.
    std::uint64_t range(const Node& node, Offset begin, Offset end) const {
        if (node.kind == Kind::block) {
            return bytes(begin, end);
        }
        std::uint64_t sum = 0;
        split_range(
            node,
            begin,
            end,
            [&](Offset index, Offset part_begin, Offset part_end) {
                sum = add(sum, part(node, index, part_begin, part_end));
            },
            [&](Offset first, Offset last) { sum = add(sum, children(node, first, last)); });
        return sum;
    }

    /// x^exponent for any sign.
    std::uint64_t power(Offset exponent) const {
        Offset rest = exponent % order;
        rest = rest < 0 ? rest + order : rest;
        std::uint64_t result = 1;
        for (std::size_t i = 0; rest > 0; ++i, rest >>= 1) {
            result = (rest & 1) != 0 ? multiply(result, squares_[i]) : result;
        }
        return result;
    }

    /// x^begin + ... + x^(end-1)
    std::uint64_t bytes(Offset begin, Offset end) const {
        return multiply(subtract(power(end), power(begin)), inverse_of_x_less_one_);
    }

  private:
    static std::uint64_t power_of(std::uint64_t base, std::uint64_t exponent) {
        std::uint64_t result = 1;
        for (; exponent > 0; exponent >>= 1, base = multiply(base, base)) {
            result = (exponent & 1) != 0 ? multiply(result, base) : result;
        }
        return result;
    }

    /// 1 + ratio + ... + ratio^(count-1), by doubling: no division, so ratio may be 1.
    static std::uint64_t geometric(std::uint64_t ratio, Offset count) {
        std::uint64_t sum = 0;    // of the terms so far
        std::uint64_t next = 1;   // the term after them
        std::uint64_t block = 1;  // of the first 2^i terms
        for (; count > 0; count >>= 1) {
            if ((count & 1) != 0) {
                sum = add(sum, multiply(next, block));
                next = multiply(next, ratio);
            }
            block = multiply(block, add(1, ratio));
            ratio = multiply(ratio, ratio);
        }
        return sum;
    }

    std::uint64_t part(const Node& node, Offset index, Offset begin, Offset end) const {
        const Offset at = node.offset_of_child(index);
        return node.kind == Kind::pieces
                   ? bytes(at + begin, at + end)
                   : multiply(power(at), range(node.child(index), begin, end));
    }

    std::uint64_t children(const Node& node, Offset first, Offset last) const {
        if (node.kind == Kind::strided) {
            const std::uint64_t copies =
                multiply(power(first * node.stride), geometric(power(node.stride), last - first));
            return multiply(copies, range(node.child(0), 0, node.child(0).size));
        }
        if (node.kind == Kind::indexed) {
            return multiply(powers_of_offsets(node, first, last),
                            range(node.child(0), 0, node.child(0).size));
        }
        std::uint64_t sum = 0;
        for (Offset i = first; i < last; ++i) {
            sum = add(sum, part(node, i, 0, node.size_of_child(i)));
        }
        return sum;
    }

    /// Sum of x^offset over children [first, last), each from the one before: small steps are
    /// small exponents.
    std::uint64_t powers_of_offsets(const Node& node, Offset first, Offset last) const {
        Offset at = node.offset_of_child(first);
        std::uint64_t term = power(at);
        std::uint64_t sum = term;
        for (Offset i = first + 1; i < last; ++i) {
            const Offset next = node.offset_of_child(i);
            term = next >= at ? multiply(term, power(next - at)) : power(next);
            at = next;
            sum = add(sum, term);
        }
        return sum;
    }

    std::array<std::uint64_t, exponent_bits> squares_{};  ///< x^(2^i)
    std::uint64_t inverse_of_x_less_one_ = 0;
};

/// splitmix64: spreads any seed, and the seed after it, over all 64 bits.
std::uint64_t mixed(std::uint64_t seed) {
    seed += 0x9e3779b97f4a7c15U;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9U;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebU;
    return seed ^ (seed >> 31);
}

/// The evaluation at x, kept for the next time: its powers of x take longer to make than most
/// layouts to sum up. A program has one pair of points as a rule.
const Evaluation& evaluation_at(std::uint64_t x, std::size_t which) {
    thread_local std::array<std::optional<Evaluation>, std::tuple_size_v<decltype(Coverage::value)>>
        kept;
    std::optional<Evaluation>& evaluation = kept[which];
    if (!evaluation || evaluation->x() != x) {
        evaluation.emplace(x);
    }
    return *evaluation;
}

}  // namespace

Coverage& Coverage::operator+=(const Coverage& other) {
    for (std::size_t i = 0; i < value.size(); ++i) {
        value[i] = add(value[i], other.value[i]);
    }
    return *this;
}

CoveragePoints CoveragePoints::from_seed(std::uint64_t seed) {
    const auto valid = [](std::uint64_t number) { return number % (prime - 2) + 2; };
    const std::uint64_t first = mixed(seed);
    return {{valid(first), valid(mixed(first))}};
}

Coverage coverage_of(
    const Layout& layout, Offset begin, Offset end, Offset origin, const CoveragePoints& points) {
    check_range(layout, begin, end);
    Coverage coverage;
    if (begin == end) {
        return coverage;
    }
    for (std::size_t i = 0; i < coverage.value.size(); ++i) {
        const Evaluation& evaluation = evaluation_at(points.x[i], i);
        coverage.value[i] = multiply(evaluation.power(layout.shift() - origin),
                                     evaluation.range(*layout.root(), begin, end));
    }
    return coverage;
}

Coverage full_coverage(Offset length, const CoveragePoints& points) {
    Coverage coverage;
    for (std::size_t i = 0; i < coverage.value.size(); ++i) {
        coverage.value[i] = evaluation_at(points.x[i], i).bytes(0, length);
    }
    return coverage;
}

}  // namespace pario::layout

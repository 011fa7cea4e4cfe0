#include "base/hints.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

namespace pario::base {

namespace {

struct NumberHint {
    std::string_view name;
    std::int64_t Hints::* value;
};
struct SwitchHint {
    std::string_view name;
    Switch Hints::* value;
};
template <typename Value>
struct Word {
    std::string_view name;
    Value value;
};

constexpr std::array<NumberHint, 4> sizes{{
    {"cb_buffer_size", &Hints::cb_buffer_size},
    {"ind_rd_buffer_size", &Hints::ind_rd_buffer_size},
    {"ind_wr_buffer_size", &Hints::ind_wr_buffer_size},
    {"striping_unit", &Hints::striping_unit},
}};
constexpr std::array<NumberHint, 2> counts{{
    {"cb_nodes", &Hints::cb_nodes},
    {"striping_factor", &Hints::striping_factor},
}};
constexpr std::array<SwitchHint, 4> switches{{
    {"romio_cb_read", &Hints::cb_read},
    {"romio_cb_write", &Hints::cb_write},
    {"romio_ds_read", &Hints::ds_read},
    {"romio_ds_write", &Hints::ds_write},
}};
constexpr std::array<std::string_view, 10> stored_only{
    "access_style",
    "cb_block_size",
    "chunked",
    "chunked_item",
    "chunked_size",
    "file_perm",
    "filename",
    "io_node_list",
    "nb_proc",
    "num_io_nodes",
};
constexpr std::string_view collective_buffering = "collective_buffering";
constexpr std::string_view strategy_hint = "pario_strategy";

constexpr std::array<Word<Switch>, 3> switch_words{{
    {"automatic", Switch::automatic},
    {"enable", Switch::enable},
    {"disable", Switch::disable},
}};
constexpr std::array<Word<Switch>, 2> truth_words{{
    {"true", Switch::enable},
    {"false", Switch::disable},
}};
constexpr std::array<Word<Strategy>, 6> strategy_words{{
    {"automatic", Strategy::automatic},
    {"direct", Strategy::direct},
    {"list", Strategy::list},
    {"sieve", Strategy::sieve},
    {"two_phase", Strategy::two_phase},
    {"shared", Strategy::shared},
}};

/// The value without blanks around it, in lower case.
std::string plain(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) {
        return {};
    }
    std::string result(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
    std::ranges::transform(result, result.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return result;
}

/// A positive decimal number that is all of `text`.
std::optional<std::int64_t> count_of(std::string_view text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc{} || stop != end || number <= 0) {
        return std::nullopt;
    }
    return number;
}

/// The same, where a last letter k, m or g multiplies by a power of 1024.
std::optional<std::int64_t> size_of(std::string_view text) {
    constexpr std::string_view suffixes = "kmg";
    const auto power = text.empty() ? std::string_view::npos : suffixes.find(text.back());
    if (power == std::string_view::npos) {
        return count_of(text);
    }
    const auto shift = 10 * (power + 1);
    const auto number = count_of(text.substr(0, text.size() - 1));
    if (!number || *number > (std::numeric_limits<std::int64_t>::max() >> shift)) {
        return std::nullopt;
    }
    return *number << shift;
}

template <typename Words>
auto value_of(const Words& words, std::string_view text)
    -> std::optional<decltype(words[0].value)> {
    const auto found = std::ranges::find(words, text, &Words::value_type::name);
    return found == words.end() ? std::nullopt : std::optional(found->value);
}

template <typename Words, typename Value>
std::string name_of(const Words& words, Value value) {
    return std::string(std::ranges::find(words, value, &Words::value_type::value)->name);
}

template <typename Words>
std::string refusal(const Words& words) {
    std::string text = "not one of";
    for (const auto& word : words) {
        text.append(" ").append(word.name);
    }
    return text;
}

template <typename Table>
auto find_hint(const Table& table, std::string_view key) {
    const auto found = std::ranges::find(table, key, &Table::value_type::name);
    return found == table.end() ? nullptr : &*found;
}

/// Puts `parsed` into `target` where there is something to put.
/// \return empty, or `reason` where there is nothing
template <typename Value>
std::string assign(Value& target, const std::optional<Value>& parsed, std::string reason) {
    if (!parsed) {
        return reason;
    }
    target = *parsed;
    return {};
}

std::string take_collective_buffering(Hints& hints, std::string_view text) {
    const auto parsed = value_of(truth_words, text);
    assign(hints.cb_read, parsed, {});
    return assign(hints.cb_write, parsed, refusal(truth_words));
}

/// Takes over one hint.
/// \return why the value was refused; empty where it was taken or the key is not known
std::string take(Hints& hints, const std::string& key, const std::string& value) {
    const std::string text = plain(value);
    if (const auto* size = find_hint(sizes, key)) {
        return assign(hints.*size->value, size_of(text), "not a positive number of bytes");
    }
    if (const auto* count = find_hint(counts, key)) {
        return assign(hints.*count->value, count_of(text), "not a positive number");
    }
    if (const auto* toggle = find_hint(switches, key)) {
        return assign(hints.*toggle->value, value_of(switch_words, text), refusal(switch_words));
    }
    if (key == strategy_hint) {
        return assign(hints.strategy, value_of(strategy_words, text), refusal(strategy_words));
    }
    if (key == collective_buffering) {
        return take_collective_buffering(hints, text);
    }
    if (std::ranges::find(stored_only, key) != stored_only.end()) {
        hints.stored[key] = value;
    }
    return {};
}

}  // namespace

void Hints::update(const HintMap& given) {
    // The map is sorted, so collective_buffering comes before the romio_cb_* that refine it.
    for (const auto& [key, value] : given) {
        const std::string reason = take(*this, key, value);
        if (reason.empty()) {
            continue;
        }
        // The same info object is often given again and again, with each view: say it once.
        const std::string line = key + "=" + value + ": " + reason;
        if (std::ranges::find(rejected, line) == rejected.end()) {
            rejected.push_back(line);
        }
    }
}

HintMap Hints::effective() const {
    HintMap result = stored;
    const auto report_number = [&](const NumberHint& hint) {
        if (this->*hint.value != 0) {
            result.emplace(hint.name, std::to_string(this->*hint.value));
        }
    };
    std::ranges::for_each(sizes, report_number);
    std::ranges::for_each(counts, report_number);
    for (const auto& hint : switches) {
        result.emplace(hint.name, name_of(switch_words, this->*hint.value));
    }
    if (cb_read == cb_write && cb_read != Switch::automatic) {
        result.emplace(collective_buffering, name_of(truth_words, cb_read));
    }
    result.emplace(strategy_hint, name_of(strategy_words, strategy));
    return result;
}

}  // namespace pario::base

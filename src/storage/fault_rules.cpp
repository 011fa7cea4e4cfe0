#include "storage/fault_rules.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>

#include "base/error.hpp"

namespace pario::storage {

namespace {

constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

struct OperationName {
    std::string_view name;
    Operation operation;
};
constexpr std::array<OperationName, 8> operation_names{{
    {"open", Operation::open},
    {"read", Operation::read},
    {"write", Operation::write},
    {"sync", Operation::sync},
    {"resize", Operation::resize},
    {"lock", Operation::lock},
    {"close", Operation::close},
    {"any", Operation::any},
}};

struct ErrorName {
    std::string_view name;
    int number;
};
constexpr std::array<ErrorName, 22> error_names{{
    {"EACCES", EACCES},       {"EAGAIN", EAGAIN}, {"EBADF", EBADF},
    {"EDQUOT", EDQUOT},       {"EEXIST", EEXIST}, {"EFBIG", EFBIG},
    {"EINTR", EINTR},         {"EINVAL", EINVAL}, {"EIO", EIO},
    {"EISDIR", EISDIR},       {"EMFILE", EMFILE}, {"ENOENT", ENOENT},
    {"ENOLCK", ENOLCK},       {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC},
    {"ENOSYS", ENOSYS},       {"ENXIO", ENXIO},   {"EPERM", EPERM},
    {"EROFS", EROFS},         {"ESTALE", ESTALE}, {"EOPNOTSUPP", EOPNOTSUPP},
    {"ETIMEDOUT", ETIMEDOUT},
}};

[[noreturn]] void refuse(std::string_view rule, const std::string& reason) {
    throw base::Error(base::Errc::argument,
                      "fault rule '" + std::string(rule) + "': " + reason +
                          "; a rule is op:nth:what, such as write:3:EIO or read:*:short=7");
}

template <typename Names>
auto find_name(const Names& names, std::string_view name) {
    return std::ranges::find(names, name, &Names::value_type::name);
}

std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, number);
    return failure == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

Operation parse_operation(std::string_view rule, std::string_view text) {
    const auto found = find_name(operation_names, text);
    if (found == operation_names.end()) {
        refuse(rule, "there is no operation '" + std::string(text) + "'");
    }
    return found->operation;
}

CallRange parse_calls(std::string_view rule, std::string_view text) {
    if (text == "*") {
        return {1, forever};
    }
    const bool open_ended = text.ends_with('+');
    const auto number = number_of(open_ended ? text.substr(0, text.size() - 1) : text);
    if (!number || *number < 1) {
        refuse(rule, "'" + std::string(text) + "' is not a call number, a number and '+', or '*'");
    }
    return {*number, open_ended ? forever : *number};
}

Fault parse_fault(std::string_view rule, std::string_view text) {
    constexpr std::string_view short_transfer = "short=";
    if (text.starts_with(short_transfer)) {
        const auto bytes = number_of(text.substr(short_transfer.size()));
        if (!bytes || *bytes < 0) {
            refuse(rule, "'" + std::string(text) + "' has no number of bytes");
        }
        return {.error_number = std::nullopt, .most_bytes = static_cast<std::size_t>(*bytes)};
    }
    const auto found = find_name(error_names, text);
    if (found == error_names.end()) {
        refuse(rule, "'" + std::string(text) + "' is no errno name known here, and not short=K");
    }
    return {.error_number = found->number, .most_bytes = std::nullopt};
}

FaultRule parse_rule(std::string_view rule) {
    const auto first = rule.find(':');
    const auto second = first == std::string_view::npos ? first : rule.find(':', first + 1);
    if (second == std::string_view::npos) {
        refuse(rule, "it does not have three parts");
    }
    FaultRule result{parse_operation(rule, rule.substr(0, first)),
                     parse_calls(rule, rule.substr(first + 1, second - first - 1)),
                     parse_fault(rule, rule.substr(second + 1))};
    const bool moves_bytes = result.operation == Operation::read ||
                             result.operation == Operation::write ||
                             result.operation == Operation::any;
    if (result.fault.most_bytes && !moves_bytes) {
        refuse(rule, "only read, write and any can be short");
    }
    return result;
}

}  // namespace

std::vector<FaultRule> parse_fault_rules(std::string_view text) {
    std::vector<FaultRule> rules;
    while (!text.empty()) {
        const auto end = std::min(text.find(';'), text.size());
        rules.push_back(parse_rule(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return rules;
}

Fault FaultSchedule::next(Operation operation) {
    const std::lock_guard guard(mutex_);
    ++counts_[static_cast<std::size_t>(operation)];
    ++counts_[static_cast<std::size_t>(Operation::any)];
    Fault result;
    for (const auto& rule : rules_) {
        if (rule.operation != operation && rule.operation != Operation::any) {
            continue;
        }
        const auto count = counts_[static_cast<std::size_t>(rule.operation)];
        if (count < rule.calls.first || count > rule.calls.last) {
            continue;
        }
        if (rule.fault.error_number && !result.error_number) {
            result.error_number = rule.fault.error_number;
        }
        if (rule.fault.most_bytes) {
            result.most_bytes = std::min(result.most_bytes.value_or(*rule.fault.most_bytes),
                                         *rule.fault.most_bytes);
        }
    }
    return result;
}

std::optional<int> FaultSchedule::always(Operation operation) const {
    for (const auto& rule : rules_) {
        const bool matches = rule.operation == operation || rule.operation == Operation::any;
        if (matches && rule.calls.first == 1 && rule.calls.last == forever &&
            rule.fault.error_number) {
            return rule.fault.error_number;
        }
    }
    return std::nullopt;
}

}  // namespace pario::storage

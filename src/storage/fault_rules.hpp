/// Which system calls a test wants to fail, and how: the rules of faulty_system_calls() as data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pario::storage {

/// The groups of system calls that rules can name; `any` stands for each of the others.
enum class Operation : std::uint8_t { open, read, write, sync, resize, lock, close, any };

/// Which calls a rule means: those from the `first` to the `last` one of its operation.
struct CallRange {
    std::int64_t first;
    std::int64_t last;
};

/// What a call has to do instead of its work; without both, its work.
struct Fault {
    std::optional<int> error_number;        ///< fail with this errno
    std::optional<std::size_t> most_bytes;  ///< move at most so many bytes
};

struct FaultRule {
    Operation operation;
    CallRange calls;
    Fault fault;
};

/// Reads "op:nth:what;…" as described at faulty_system_calls(); throws Error(argument).
std::vector<FaultRule> parse_fault_rules(std::string_view text);

/// Counts calls and tells which of them are to fail. Safe to use from several threads.
class FaultSchedule {
  public:
    explicit FaultSchedule(std::vector<FaultRule> rules) : rules_(std::move(rules)) {}

    /// Counts one call of `operation` and says what is to happen to it. Where several rules
    /// match, an errno goes before short transfers, and the smallest of those counts.
    Fault next(Operation operation);

    /// The errno of the first rule that makes every call of `operation` fail; counts nothing.
    std::optional<int> always(Operation operation) const;

  private:
    std::vector<FaultRule> rules_;
    std::mutex mutex_;
    std::array<std::int64_t, static_cast<std::size_t>(Operation::any) + 1> counts_{};
};

}  // namespace pario::storage

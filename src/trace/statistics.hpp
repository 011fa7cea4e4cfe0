/// Room `trace`: what happened to a file, and why. Knows nothing of the rooms it watches.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace pario::trace {

/// Where the time of transfers goes.
enum class Activity { plan, exchange, wait, file };
inline constexpr int num_activities = 4;

/// How bytes were moved.
enum class Path { direct, list, sieve, shared, two_phase };
inline constexpr int num_paths = 5;
std::string_view name(Path path);

enum class Flow { read, write };

/// Of one rank and one file. Travels between ranks as it is.
struct Counters {
    struct Use {
        std::int64_t calls = 0;
        std::int64_t bytes = 0;
    };
    std::array<std::array<Use, num_paths>, 2> uses{};  ///< [flow][path]
    std::array<std::int64_t, num_activities> nanoseconds{};
    std::int64_t plans_made = 0;
    std::int64_t plans_reused = 0;

    void count(Flow flow, Path path, std::int64_t bytes);
    void spend(Activity activity, std::chrono::nanoseconds time);
    std::chrono::nanoseconds time_in(Activity activity) const;
};

/// Adds the time of its own life to an activity.
class Span {
  public:
    Span(Counters& counters, Activity activity)
        : counters_(counters), activity_(activity), start_(std::chrono::steady_clock::now()) {}
    ~Span() { counters_.spend(activity_, std::chrono::steady_clock::now() - start_); }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

  private:
    Counters& counters_;
    Activity activity_;
    std::chrono::steady_clock::time_point start_;
};

/// Everything there is to say about one file when it is closed.
struct Report {
    std::string path;
    std::string machine;                        ///< "4 ranks on 2 nodes, ext4"
    std::span<const Counters> ranks;            ///< of every rank
    std::map<std::string, std::int64_t> reasons;  ///< why a way was chosen -> how often (rank 0)
    std::map<std::string, std::string> hints;   ///< effective
    std::span<const std::string> rejected_hints;
};

/// What PARIO_EXPLAIN=1 prints.
std::string explain(const Report& report);

}  // namespace pario::trace

#include "trace/statistics.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace pario::trace {

std::string_view name(Path path) {
    switch (path) {
        case Path::direct:
            return "direct";
        case Path::list:
            return "list";
        case Path::sieve:
            return "sieve";
        case Path::shared:
            return "shared";
        case Path::two_phase:
            return "two_phase";
    }
    return "?";
}

void Counters::count(Flow flow, Path path, std::int64_t bytes) {
    Use& use = uses[static_cast<int>(flow)][static_cast<int>(path)];
    ++use.calls;
    use.bytes += bytes;
}

void Counters::spend(Activity activity, std::chrono::nanoseconds time) {
    nanoseconds[static_cast<int>(activity)] += time.count();
}

std::chrono::nanoseconds Counters::time_in(Activity activity) const {
    return std::chrono::nanoseconds(nanoseconds[static_cast<int>(activity)]);
}

namespace {

void tell_uses(std::ostream& text, const Report& report) {
    for (const Flow flow : {Flow::write, Flow::read}) {
        for (int path = 0; path < num_paths; ++path) {
            Counters::Use sum;
            for (const Counters& rank : report.ranks) {
                const Counters::Use& use = rank.uses[static_cast<int>(flow)][path];
                sum.calls += use.calls;
                sum.bytes += use.bytes;
            }
            if (sum.calls > 0) {
                text << "  " << (flow == Flow::write ? "written " : "read    ") << std::left
                     << std::setw(10) << name(static_cast<Path>(path)) << std::right
                     << std::setw(10) << sum.calls << " calls " << std::setw(16) << sum.bytes
                     << " bytes (all ranks)\n";
            }
        }
    }
}

void tell_times(std::ostream& text, const Report& report) {
    constexpr std::array<const char*, num_activities> names{"plan", "exchange", "wait", "file"};
    text << "  time, slowest rank:";
    for (int activity = 0; activity < num_activities; ++activity) {
        std::int64_t most = 0;
        for (const Counters& rank : report.ranks) {
            most = std::max(most, rank.nanoseconds[activity]);
        }
        text << (activity == 0 ? " " : ", ") << names[activity] << " " << std::fixed
             << std::setprecision(3) << static_cast<double>(most) * 1e-6 << " ms";
    }
    text << "\n";
}

}  // namespace

std::string explain(const Report& report) {
    std::ostringstream text;
    text << "pario: '" << report.path << "' (" << report.machine << ")\n";
    tell_uses(text, report);
    for (const auto& [reason, times] : report.reasons) {
        text << "  chosen " << times << " times: " << reason << "\n";
    }
    const Counters& here = report.ranks.front();
    if (here.plans_made + here.plans_reused > 0) {
        text << "  plans: " << here.plans_made << " made, " << here.plans_reused << " reused\n";
    }
    tell_times(text, report);
    text << "  hints:";
    for (const auto& [key, value] : report.hints) {
        text << " " << key << "=" << value;
    }
    text << "\n";
    for (const std::string& rejected : report.rejected_hints) {
        text << "  hint ignored: " << rejected << "\n";
    }
    return text.str();
}

}  // namespace pario::trace

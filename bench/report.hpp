/// What a run prints: JSON lines on standard output, progress on standard error; rank 0 only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "options.hpp"
#include "team.hpp"

namespace pario::bench {

/// The rates of one contender in one case.
struct Measurement {
    std::string bench;
    std::string direction;
    std::string name;  ///< of the case
    std::string who;
    std::int64_t bytes = 0;  ///< moved by all ranks in each repeat
    std::vector<double> seconds;
};

/// The times of setting one view.
struct ViewMeasurement {
    std::string name;
    std::string who;
    std::int64_t pieces = 0;        ///< of one rank
    std::int64_t memory_bytes = 0;  ///< that stayed; the largest of all ranks and repeats
    std::vector<double> seconds;
};

class Report {
  public:
    explicit Report(const Team& team) : is_on_(team.is_first()) {}

    void header(const Team& team, const Options& options) const;
    void add(const Measurement& measurement) const;
    void add(const ViewMeasurement& measurement) const;
    void progress(const std::string& line) const;

  private:
    bool is_on_;
};

}  // namespace pario::bench

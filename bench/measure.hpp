/// Runs cases: all contenders in turn, repeat by repeat, so that a machine that gets slower or
/// faster does so for all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cases.hpp"
#include "contender.hpp"
#include "report.hpp"

namespace pario::bench {

/// Measures the rate at which all ranks copy memory at the same time: no transfer through the
/// page cache can be faster than about this. Collective.
void measure_copying(const Team& team, const Options& options, const Report& report);

/// Measures cases in files of its own in the chosen directory. All calls are collective.
class Measurer {
  public:
    Measurer(const Team& team,
             const Options& options,
             const Report& report,
             std::vector<std::unique_ptr<Contender>> contenders);

    /// Writes and reads every case.
    void run(const std::vector<Case>& cases);

  private:
    struct Lane;

    std::vector<Lane> make_lanes(const Case& one, Direction direction);
    void run(const Case& one, Direction direction);
    double repeat(Lane& lane, const Case& one, Direction direction);
    void report(const Lane& lane, const Case& one, Direction direction) const;

    void prepare_written_file(const Lane& lane) const;
    void settle_written_file(const Lane& lane) const;
    void check_written_file(const Lane& lane) const;
    void make_source(const std::vector<Case>& cases);
    void warm_source(const Lane& lane) const;
    std::string path(const std::string& name) const;
    void remove(const std::string& path) const;

    const Team& team_;
    const Options& options_;
    const Report& report_;
    std::vector<std::unique_ptr<Contender>> contenders_;
    std::string prefix_;
    std::string source_;
};

}  // namespace pario::bench

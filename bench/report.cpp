#include "report.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "environment.hpp"
#include <nlohmann/json.hpp>

namespace pario::bench {
namespace {

using Json = nlohmann::ordered_json;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> rates_mb_s(const Measurement& measurement) {
    std::vector<double> rates;
    for (const double seconds : measurement.seconds) {
        rates.push_back(static_cast<double>(measurement.bytes) / seconds / 1e6);
    }
    return rates;
}

/// Six digits tell all that a measurement knows.
double rounded(double value) {
    std::ostringstream text;
    text << std::setprecision(6) << value;
    return std::stod(text.str());
}

Json rounded(const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) {
        list.push_back(rounded(value));
    }
    return list;
}

void print(const Json& line) {
    std::cout << line.dump() << std::endl;
}

}  // namespace

void Report::header(const Team& team, const Options& options) const {
    if (!is_on_) {
        return;
    }
    print({{"kind", "header"},
           {"mpi", mpi_version()},
           {"ranks", team.size()},
           {"nodes", team.num_nodes()},
           {"file_system", file_system(options.directory)},
           {"bytes", options.bytes},
           {"native_bytes", options.native_bytes},
           {"level_bytes", options.level_bytes},
           {"repeats", options.repeats},
           {"cap_s", options.cap_s},
           {"file", options.file == FilePolicy::fresh ? "fresh" : "reuse"}});
}

void Report::add(const Measurement& measurement) const {
    if (!is_on_) {
        return;
    }
    const std::vector<double> rates = rates_mb_s(measurement);
    print({{"kind", "measurement"},
           {"bench", measurement.bench},
           {"direction", measurement.direction},
           {"case", measurement.name},
           {"who", measurement.who},
           {"bytes", measurement.bytes},
           {"rates_mb_s", rounded(rates)},
           {"median_mb_s", rounded(median(rates))}});
    std::ostringstream line;
    line << "  " << std::setw(6) << measurement.who << "  " << std::fixed << std::setprecision(1)
         << std::setw(9) << median(rates) << " MB/s";
    progress(line.str());
}

void Report::add(const ViewMeasurement& measurement) const {
    if (!is_on_) {
        return;
    }
    print({{"kind", "measurement"},
           {"bench", "view"},
           {"direction", "set_view"},
           {"case", measurement.name},
           {"who", measurement.who},
           {"pieces", measurement.pieces},
           {"seconds", rounded(measurement.seconds)},
           {"median_seconds", rounded(median(measurement.seconds))},
           {"memory_bytes", measurement.memory_bytes}});
}

void Report::progress(const std::string& line) const {
    if (is_on_) {
        std::cerr << line << std::endl;
    }
}

}  // namespace pario::bench

#include "options.hpp"

#include <algorithm>
#include <sstream>

#include <CLI/CLI.hpp>

namespace pario::bench {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Adds `--name` for a size in bytes, with units: 64KiB, 1GB.
void add_size(CLI::App& app,
              const std::string& name,
              std::int64_t& bytes,
              const std::string& help) {
    app.add_option(name, bytes, help)
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
}

/// Adds `--name` for a comma-separated choice of the names that are its default.
void add_choice(CLI::App& app,
                const std::string& name,
                std::vector<std::string>& chosen,
                const std::string& help) {
    app.add_option(name, chosen, help)
        ->delimiter(',')
        ->check(CLI::IsMember(chosen))
        ->capture_default_str();
}

const CLI::Validator& whole_words() {
    static const CLI::Validator validator(
        [](const std::string& text) {
            return std::stoll(text) % 4 == 0 ? "" : "a grain must be a multiple of 4 bytes";
        },
        "MULTIPLE OF 4",
        "whole_words");
    return validator;
}

void add_options(CLI::App& app, Options& options) {
    add_choice(app, "--bench", options.benches, "what to measure");
    add_choice(app, "--who", options.contenders, "whom to measure");
    app.add_option("--grains", options.grains_bytes, "bytes of one piece, comma-separated")
        ->delimiter(',')
        ->check(whole_words())
        ->check(CLI::PositiveNumber)
        ->transform(CLI::AsSizeValue(false))
        ->capture_default_str();
    app.add_option("--dir", options.directory, "where the files are made")
        ->check(CLI::ExistingDirectory)
        ->capture_default_str();
    add_size(app, "--bytes", options.bytes, "size of a file, all ranks");
    add_size(app,
             "--native-bytes",
             options.native_bytes,
             "the same for the MPI's own MPI-IO where pieces in file or memory are below 1 KiB");
    add_size(app, "--level-bytes", options.level_bytes, "the same for --bench levels");
    app.add_option("--repeats", options.repeats, "measurements of each case")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--cap",
                   options.cap_s,
                   "a case whose first repeat takes longer (seconds) is not repeated")
        ->capture_default_str();
    app.add_option_function<std::string>(
           "--file",
           [&options](const std::string& name) {
               options.file = name == "fresh" ? FilePolicy::fresh : FilePolicy::reuse;
           },
           "write to a new file or over one that is there")
        ->check(CLI::IsMember({"fresh", "reuse"}))
        ->default_str("fresh");
    app.add_flag("--native-view",
                 options.native_view,
                 "measure a view of 10^9 pieces with the MPI's own MPI-IO too; "
                 "may use many gigabytes of memory");
}

}  // namespace

bool Options::has_bench(const std::string& name) const {
    return contains(benches, name);
}

bool Options::has_contender(const std::string& name) const {
    return contains(contenders, name);
}

Parsed parse(int argc, char** argv, Printing printing) {
    Options options;
    CLI::App app(
        "Measures Pario, the MPI's own MPI-IO and block I/O (each rank one contiguous "
        "block) in one run.\nPrints JSON lines; MB are 10^6 bytes.",
        "pario_bench");
    add_options(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::ostringstream unseen;
        const bool prints = printing == Printing::on;
        const int status =
            app.exit(error, prints ? std::cout : unseen, prints ? std::cerr : unseen);
        return {.options = std::nullopt, .exit_status = status};
    }
    return {.options = options, .exit_status = 0};
}

}  // namespace pario::bench

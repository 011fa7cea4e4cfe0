/// What the user asked for on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pario::bench {

/// Which file a writing measurement finds. The same for all contenders.
enum class FilePolicy {
    fresh,  ///< none: the file is new, as in a program that writes its results
    reuse,  ///< one of full size, clean and in the page cache, to be overwritten
};

struct Options {
    std::vector<std::string> benches = {"grain", "memory", "darray", "levels", "view"};
    std::vector<std::string> contenders = {"pario", "native", "block"};
    std::vector<std::int64_t> grains_bytes = {4, 16, 64, 256, 1024, 4096, 65536, 1048576};
    std::string directory = ".";
    std::int64_t bytes = std::int64_t{256} << 20;        ///< of all ranks
    std::int64_t native_bytes = std::int64_t{32} << 20;  ///< where pieces are small
    std::int64_t level_bytes = std::int64_t{32} << 20;   ///< bench "levels"
    int repeats = 5;
    double cap_s = 20;
    FilePolicy file = FilePolicy::fresh;
    bool native_view = false;

    bool has_bench(const std::string& name) const;
    bool has_contender(const std::string& name) const;
};

/// What to do after the command line was read: run with options, or end with an exit status.
struct Parsed {
    std::optional<Options> options;
    int exit_status = 0;
};

enum class Printing { on, off };

/// \param printing  on for the one rank that shows help and errors
Parsed parse(int argc, char** argv, Printing printing);

}  // namespace pario::bench

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "base/hints.hpp"

namespace pario::base {

namespace {

constexpr const char* blanks = " \t\r";

std::string trimmed(const std::string& text) {
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

}  // namespace

HintMap read_hint_file(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw Error(Errc::info, "hints file '" + path + "' cannot be read: " + std::strerror(errno));
    }
    HintMap hints;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        line = trimmed(line);
        if (line.empty() || line.front() == '#') {
            continue;
        }
        const auto end_of_key = line.find_first_of(blanks);
        if (end_of_key == std::string::npos) {
            throw Error(Errc::info,
                        "hints file '" + path + "', line " + std::to_string(number) + ": '" + line +
                            "' has no value; write a key, a blank and a value");
        }
        hints[line.substr(0, end_of_key)] = trimmed(line.substr(end_of_key));
    }
    return hints;
}

HintMap hints_from_environment() {
    HintMap hints;
    for (const char* variable : {"ROMIO_HINTS", "PARIO_HINTS"}) {
        const char* path = std::getenv(variable);
        if (path != nullptr && *path != '\0') {
            for (auto& [key, value] : read_hint_file(path)) {
                hints[key] = value;
            }
        }
    }
    return hints;
}

}  // namespace pario::base

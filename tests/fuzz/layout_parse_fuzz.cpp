/// libFuzzer entry for Layout::parse; not part of the normal build:
///     clang++ -std=c++20 -g -fsanitize=fuzzer,address,undefined -Isrc \
///         tests/fuzz/layout_parse_fuzz.cpp src/layout/*.cpp src/base/error.cpp -o
///         layout_parse_fuzz
#include <cstdlib>

#include "base/error.hpp"
#include "layout/layout.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using pario::layout::Layout;
    try {
        const Layout layout = Layout::parse({reinterpret_cast<const std::byte*>(data), size});
        if (!(Layout::parse(layout.serialise()) == layout)) {
            std::abort();
        }
    } catch (const pario::base::Error& error) {
        if (error.code() != pario::base::Errc::argument) {
            std::abort();
        }
    }
    return 0;
}

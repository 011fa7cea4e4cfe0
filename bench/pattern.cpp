#include "pattern.hpp"

#include <algorithm>

namespace pario::bench {

void Memory::wipe() {
    std::fill(words_.begin(), words_.end(), untouched);
}

void Memory::fill(const Pieces& pieces) {
    std::uint32_t* word = words_.data();
    pieces.for_each([&](std::int64_t first) {
        for (std::int64_t i = 0; i < pieces.length; ++i) {
            *word = content(first + i);
            word += stride_;
        }
    });
}

bool Memory::holds(const Pieces& pieces) const {
    const std::uint32_t* word = words_.data();
    bool good = true;
    pieces.for_each([&](std::int64_t first) {
        for (std::int64_t i = 0; i < pieces.length; ++i) {
            good = good && *word == content(first + i);
            for (std::int64_t between = 1; between < stride_; ++between) {
                good = good && word[between] == untouched;
            }
            word += stride_;
        }
    });
    return good;
}

}  // namespace pario::bench

/// Casts that refuse to lose a value.
#pragma once

#include <string>
#include <utility>

#include "base/error.hpp"

namespace pario::base {

/// `value` as a `To`; throws Error(argument) naming the value where it does not fit.
template <typename To, typename From>
To checked_cast(From value) {
    if (!std::in_range<To>(value)) {
        throw Error(Errc::argument, "value " + std::to_string(value) + " is out of range");
    }
    return static_cast<To>(value);
}

}  // namespace pario::base

/// Offset arithmetic that refuses to overflow.
#pragma once

#include <limits>

#include "base/error.hpp"
#include "layout/layout.hpp"

namespace pario::layout {

[[noreturn]] inline void throw_overflow() {
    throw base::Error(base::Errc::argument, "offsets or sizes of the layout exceed 63 bits");
}

inline Offset checked_add(Offset a, Offset b) {
    Offset result = 0;
    if (__builtin_add_overflow(a, b, &result)) {
        throw_overflow();
    }
    return result;
}

inline Offset checked_subtract(Offset a, Offset b) {
    Offset result = 0;
    if (__builtin_sub_overflow(a, b, &result)) {
        throw_overflow();
    }
    return result;
}

inline Offset checked_multiply(Offset a, Offset b) {
    Offset result = 0;
    if (__builtin_mul_overflow(a, b, &result)) {
        throw_overflow();
    }
    return result;
}

/// For counts >= 0 that only inform: the largest value stands for "that many or more".
inline Offset saturating_add(Offset a, Offset b) {
    Offset result = 0;
    return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<Offset>::max() : result;
}

inline Offset saturating_multiply(Offset a, Offset b) {
    Offset result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<Offset>::max() : result;
}

/// `at + count * stride == expected`, without overflow.
inline bool continues_at(Offset at, Offset count, Offset stride, Offset expected) {
    Offset span = 0;
    Offset next = 0;
    return !__builtin_mul_overflow(count, stride, &span) &&
           !__builtin_add_overflow(at, span, &next) && next == expected;
}

}  // namespace pario::layout

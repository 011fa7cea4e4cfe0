#include "exchange/event.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace pario::exchange {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "a futex is one plain word");

namespace {

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
    return ::syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

void Event::notify() {
    count_.fetch_add(1);
    if (sleepers_.load() > 0) {
        futex(count_, FUTEX_WAKE, INT_MAX, nullptr);
    }
}

void Event::sleep(std::uint32_t seen, std::chrono::microseconds at_most) {
    constexpr int looks = 40;
    for (int look = 0; look < looks; ++look) {
        if (read() != seen) {
            return;
        }
        ::sched_yield();
    }
    const timespec timeout{.tv_sec = 0, .tv_nsec = at_most.count() * 1000};
    sleepers_.fetch_add(1);
    if (count_.load() == seen) {
        futex(count_, FUTEX_WAIT, seen, &timeout);
    }
    sleepers_.fetch_sub(1);
}

}  // namespace pario::exchange

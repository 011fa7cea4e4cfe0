/// Waiting that sleeps. Ranks may outnumber cores, so a rank with nothing to do must give its
/// core to the rank that it waits for.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace pario::exchange {

/// A counter in memory that ranks share; it changes whenever something happened that somebody
/// may be waiting for. Use: read(), look for work, and where there is none sleep(the value read).
class alignas(64) Event {
  public:
    std::uint32_t read() const { return count_.load(std::memory_order_acquire); }

    /// Wakes everybody who sleeps. To be called after the change that they wait for.
    void notify();

    /// Returns when the counter is no longer `seen`, or after `at_most`. Looks again a few times
    /// before it really sleeps, because waking up takes longer than most waits; in between it
    /// offers its core to whoever can use it.
    void sleep(std::uint32_t seen, std::chrono::microseconds at_most);

  private:
    std::atomic<std::uint32_t> count_{0};
    std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace pario::exchange

/// Keeps a rank that sieves and ranks that only write apart, inside one node and one open file.
///
/// Sieving reads a window, changes it and writes it back; what somebody writes into its holes in
/// between would be lost. Range locks prevent that, at two microseconds a write. But most files
/// are never sieved: as long as this one is not, a write costs two atomic additions here.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace pario::exchange {

/// In memory that the node shares; all zero at first.
class alignas(64) Gate {
  public:
    /// For a file that was just opened; before any rank uses it.
    void open() { is_sieved_.store(0); }

    /// A rank wants to write. \return whether it may without a lock, and has to leave() then
    bool enter() {
        writers_.fetch_add(1);
        if (is_sieved_.load() == 0) {
            return true;
        }
        leave();
        return false;
    }
    void leave() { writers_.fetch_sub(1); }

    /// From now on nobody writes without a lock; returns when nobody does any more.
    void close() {
        is_sieved_.store(1);
        while (writers_.load() != 0) {
            ::sched_yield();
        }
    }

  private:
    std::atomic<std::int32_t> writers_;
    std::atomic<std::int32_t> is_sieved_;
};

}  // namespace pario::exchange

/// Staging buffers for chunks, in memory that the ranks of a node share.
///
///     | Head | Slot 0 | Slot 1 | … | chunk 0 | chunk 1 | … |
///
/// A slot serves one chunk after another. Its ticket says which: it counts up each time the slot
/// becomes free. Ranks count the same tickets by themselves, so nothing has to be reset or agreed
/// on between two transfers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exchange/event.hpp"
#include "exchange/shared_memory.hpp"
#include "layout/layout.hpp"

namespace pario::exchange {

using layout::Offset;

enum class Phase : std::uint32_t { empty, preparing, ready, full };

/// All zero at first.
struct alignas(64) Slot {
    std::atomic<std::uint64_t> ticket;
    std::atomic<Phase> phase;
    std::atomic<std::uint32_t> visitors;  ///< ranks that are through with this chunk
    std::atomic<Offset> valid_bytes;      ///< of what was read for it; < 0: reading failed
};

class Staging {
  public:
    Staging() = default;
    /// \param memory  zeroed, at least bytes_needed(); shared by all ranks that use this staging
    Staging(SharedMemory memory, int num_slots);

    static std::size_t bytes_needed(int num_slots, Offset chunk_bytes);
    bool fits(int num_slots, Offset chunk_bytes) const;

    Event& event() const;
    /// Set while a rank writes chunks to the file.
    std::atomic<std::uint32_t>& is_writing() const;
    Slot& slot(int index) const;
    std::byte* chunk(int index, Offset chunk_bytes) const;

    /// The ticket of a slot's next use, counted by this rank.
    std::uint64_t& next_ticket(int index) { return next_ticket_[index]; }

  private:
    SharedMemory memory_;
    std::vector<std::uint64_t> next_ticket_;
};

}  // namespace pario::exchange

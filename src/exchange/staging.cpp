#include "exchange/staging.hpp"

#include <utility>

namespace pario::exchange {

namespace {

constexpr std::size_t page = 4096;

struct Head {
    Event event;
    alignas(64) std::atomic<std::uint32_t> is_writing;
};

Head& head_of(std::byte* memory) { return *reinterpret_cast<Head*>(memory); }

std::size_t chunks_start(int num_slots) {
    return (sizeof(Head) + num_slots * sizeof(Slot) + page - 1) / page * page;
}

/// Chunks begin on pages, so that direct I/O and vector copies find them aligned.
std::size_t chunk_spacing(Offset chunk_bytes) {
    return (static_cast<std::size_t>(chunk_bytes) + page - 1) / page * page;
}

}  // namespace

Staging::Staging(SharedMemory memory, int num_slots)
    : memory_(std::move(memory)), next_ticket_(num_slots) {}

std::size_t Staging::bytes_needed(int num_slots, Offset chunk_bytes) {
    return chunks_start(num_slots) + num_slots * chunk_spacing(chunk_bytes);
}

bool Staging::fits(int num_slots, Offset chunk_bytes) const {
    const int slots = static_cast<int>(next_ticket_.size());
    return num_slots <= slots &&
           chunks_start(slots) + num_slots * chunk_spacing(chunk_bytes) <= memory_.size();
}

Event& Staging::event() const { return head_of(memory_.data()).event; }

std::atomic<std::uint32_t>& Staging::is_writing() const {
    return head_of(memory_.data()).is_writing;
}

Slot& Staging::slot(int index) const {
    return reinterpret_cast<Slot*>(memory_.data() + sizeof(Head))[index];
}

std::byte* Staging::chunk(int index, Offset chunk_bytes) const {
    return memory_.data() + chunks_start(static_cast<int>(next_ticket_.size())) +
           index * chunk_spacing(chunk_bytes);
}

}  // namespace pario::exchange

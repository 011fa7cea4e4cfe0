/// What the files hold, and which part of it is whose. Everything is counted in 4-byte words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace pario::bench {

constexpr std::int64_t word_bytes = 4;

/// The word at index `file_word` of every file of this program: a reader needs to know nothing
/// of the writer. Neither zero nor all ones for the first 2^32 - 2 words, so that a hole or an
/// untouched buffer is seen.
constexpr std::uint32_t content(std::int64_t file_word) {
    return static_cast<std::uint32_t>(file_word + 1) * 2654435761U;
}

/// One rank's part of a file: a grid of equal pieces, in stream order.
///
///     begin            begin + inner_stride
///       |<- length ->|   |<- length ->|   …  inner_count pieces, the next row outer_stride further
struct Pieces {
    std::int64_t begin = 0;
    std::int64_t length = 0;
    std::int64_t inner_count = 1;
    std::int64_t inner_stride = 0;
    std::int64_t outer_count = 1;
    std::int64_t outer_stride = 0;

    std::int64_t num_words() const { return length * inner_count * outer_count; }

    /// Calls `visit(first file word of the piece)` for every piece, in stream order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::int64_t outer = 0; outer < outer_count; ++outer) {
            for (std::int64_t inner = 0; inner < inner_count; ++inner) {
                visit(begin + outer * outer_stride + inner * inner_stride);
            }
        }
    }
};

/// Allocates on page boundaries: some processors copy several times slower in the kernel where a
/// buffer begins elsewhere, and that must not decide between contenders.
template <typename T>
struct OnPages {
    using value_type = T;
    static constexpr std::align_val_t alignment{4096};

    OnPages() = default;
    template <typename U>
    explicit OnPages(const OnPages<U>&) {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(count * sizeof(T), alignment));
    }
    void deallocate(T* address, std::size_t) { ::operator delete(address, alignment); }
    friend bool operator==(const OnPages&, const OnPages&) { return true; }
};

/// A rank's memory: one word of data every `stride` words; the words between belong to nobody.
class Memory {
  public:
    /// \param stride  in words, > 0
    Memory(std::int64_t num_words, std::int64_t stride)
        : words_(static_cast<std::size_t>(num_words * stride), untouched), stride_(stride) {}

    std::uint32_t* data() { return words_.data(); }

    /// Makes all of it `untouched`.
    void wipe();
    /// Sets the data to what the file holds at `pieces`.
    void fill(const Pieces& pieces);
    /// Whether the data is what the file holds at `pieces`, and all words between are untouched.
    bool holds(const Pieces& pieces) const;

  private:
    static constexpr std::uint32_t untouched = 0xffffffffU;

    std::vector<std::uint32_t, OnPages<std::uint32_t>> words_;
    std::int64_t stride_;
};

}  // namespace pario::bench

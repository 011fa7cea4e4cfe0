/// Memory as one stream of bytes, wherever its layout puts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "layout/copy.hpp"
#include "layout/layout.hpp"

namespace pario::layout {

class UserMemory {
  public:
    UserMemory(std::byte* base, const Layout& layout) : base_(base), layout_(layout) {}

    std::byte* base() const { return base_; }
    const Layout& layout() const { return layout_; }
    Offset size() const { return layout_.size(); }
    bool is_contiguous() const { return layout_.is_contiguous(); }

    /// Stream bytes [begin, end) where they lie. Needs is_contiguous().
    std::span<std::byte> contiguous(Offset begin, Offset end) const {
        // By way of an integer: absolute addresses (MPI_BOTTOM) have a null base.
        const auto start =
            reinterpret_cast<std::uintptr_t>(base_) + (layout_.lower() + begin);
        return {reinterpret_cast<std::byte*>(start), static_cast<std::size_t>(end - begin)};
    }

    /// Copies the stream from byte `begin` on into `out`.
    void gather(Offset begin, std::span<std::byte> out) const {
        pack(base_, layout_, begin, begin + std::ssize(out), out.data());
    }

    /// Copies `in` to the stream from byte `begin` on.
    void scatter(Offset begin, std::span<const std::byte> in) const {
        unpack(in.data(), base_, layout_, begin, begin + std::ssize(in));
    }

    /// Copies stream bytes [begin, end) to the same stream bytes of `target`, offset 0 at `bytes`.
    void gather_to(std::byte* bytes, const Layout& target, Offset begin,
                   Offset end) const {
        copy({base_, layout_, begin}, {bytes, target, begin}, end - begin);
    }

    /// The other way.
    void scatter_from(const std::byte* bytes, const Layout& source, Offset begin,
                      Offset end) const {
        copy({bytes, source, begin}, {base_, layout_, begin}, end - begin);
    }

  private:
    std::byte* base_;
    const Layout& layout_;
};

}  // namespace pario::layout

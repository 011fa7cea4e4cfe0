/// Random layouts together with what they mean: the plain list of their byte offsets.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "layout/layout.hpp"

namespace pario::layout::oracle {

/// `offsets[s]` is where stream byte s lives.
struct Sample {
    Layout layout;
    std::vector<Offset> offsets;

    Offset size() const { return static_cast<Offset>(offsets.size()); }
    Offset lower() const { return offsets.empty() ? 0 : *std::ranges::min_element(offsets); }
    Offset upper() const { return offsets.empty() ? 0 : *std::ranges::max_element(offsets) + 1; }
};

/// Appends a copy of `child` moved by `by`.
inline void append_moved(std::vector<Offset>& list, const std::vector<Offset>& child, Offset by) {
    for (const Offset offset : child) {
        list.push_back(offset + by);
    }
}

/// Makes trees of at most `max_bytes` bytes from all constructors of Layout.
class Generator {
  public:
    explicit Generator(std::uint64_t seed) : random_(seed) {}

    Offset between(Offset low, Offset high) {
        return std::uniform_int_distribution<Offset>(low, high)(random_);
    }

    Sample tree() { return tree(static_cast<int>(between(0, 4))); }

    Sample tree(int levels) {
        Sample sample = levels == 0 ? leaf() : node(levels);
        return sample.size() <= max_bytes ? sample : leaf();
    }

    /// Stream bytes [begin, end), possibly none.
    std::pair<Offset, Offset> range(Offset size) {
        const Offset a = between(0, size);
        const Offset b = between(0, size);
        return {std::min(a, b), std::max(a, b)};
    }

  private:
    static constexpr Offset max_bytes = 1500;

    Sample leaf() {
        static constexpr Offset lengths[] = {
            0, 1, 2, 3, 4, 4, 4, 5, 7, 8, 12, 16, 24, 33, 64, 100, 128, 150};
        const Offset length = lengths[between(0, std::size(lengths) - 1)];
        Sample sample{Layout::block(length), {}};
        for (Offset i = 0; i < length; ++i) {
            sample.offsets.push_back(i);
        }
        return sample;
    }

    Sample node(int levels) {
        switch (between(0, 6)) {
            case 0:
                return strided(tree(levels - 1));
            case 1:
                return strided(tree(levels - 1));
            case 2:
                return indexed(tree(levels - 1));
            case 3:
                return pieces();
            case 4:
                return structure(levels);
            case 5:
                return shifted(tree(levels - 1));
            default:
                return sliced(tree(levels - 1));
        }
    }

    /// Strides and steps that often fit the child exactly, and often do not.
    Offset step(const Sample& child) {
        const Offset span = child.upper() - child.lower();
        switch (between(0, 5)) {
            case 0:
                return child.size();
            case 1:
                return span;
            case 2:
                return span + between(1, 9);
            case 3:
                return -span - between(0, 3);
            case 4:
                return 2 * child.size();
            default:
                return between(-40, 40);
        }
    }

    Sample strided(const Sample& child) {
        const Offset count = between(0, 5);
        const Offset stride = step(child);
        Sample sample{Layout::strided(count, stride, child.layout), {}};
        for (Offset i = 0; i < count; ++i) {
            append_moved(sample.offsets, child.offsets, i * stride);
        }
        return sample;
    }

    /// Regular, repeating, rising or wild.
    std::vector<Offset> positions(const Sample& child) {
        std::vector<Offset> list;
        const Offset count = between(0, between(0, 9) == 0 ? 24 : 6);
        const Offset small = step(child);
        const Offset large = between(-200, 200);
        const Offset kind = between(0, 3);
        Offset at = between(-30, 30);
        for (Offset i = 0; i < count; ++i) {
            list.push_back(kind == 1 ? at + i / 2 * large + i % 2 * small : at);
            at += kind == 0 ? small : kind == 2 ? child.upper() - child.lower() + between(0, 2) : 0;
            at = kind == 3 ? between(-100, 100) : at;
        }
        return list;
    }

    Sample indexed(const Sample& child) {
        const std::vector<Offset> list = positions(child);
        Sample sample{Layout::indexed(list, child.layout), {}};
        for (const Offset offset : list) {
            append_moved(sample.offsets, child.offsets, offset);
        }
        return sample;
    }

    Sample pieces() {
        std::vector<Piece> list;
        std::vector<Offset> offsets;
        const Offset count = between(0, between(0, 9) == 0 ? 24 : 6);
        Offset at = between(-50, 50);
        for (Offset i = 0; i < count; ++i) {
            list.push_back({at, between(0, 9)});
            for (Offset j = 0; j < list.back().length; ++j) {
                offsets.push_back(at + j);
            }
            at += between(0, 4) == 0 ? between(-60, 60) : list.back().length + between(0, 3);
        }
        return {Layout::pieces(list), offsets};
    }

    Sample structure(int levels) {
        std::vector<Part> parts;
        std::vector<Offset> offsets;
        Sample child = tree(levels - 1);
        const Offset count = between(0, 5);
        for (Offset i = 0; i < count; ++i) {
            if (between(0, 1) == 0) {
                child = tree(levels - 1);
            }
            const Offset end = offsets.empty() ? 0 : offsets.back() + 1;
            const Offset at = between(0, 2) == 0 ? between(-80, 80) : end + between(0, 4);
            parts.push_back({at, child.layout});
            append_moved(offsets, child.offsets, at);
        }
        return {Layout::structure(parts), offsets};
    }

    Sample shifted(const Sample& child) {
        const Offset by = between(-1000, 1000);
        Sample sample{child.layout.shifted(by), {}};
        append_moved(sample.offsets, child.offsets, by);
        return sample;
    }

    Sample sliced(const Sample& child) {
        const auto [begin, end] = range(child.size());
        return {child.layout.slice(begin, end),
                std::vector<Offset>(child.offsets.begin() + begin, child.offsets.begin() + end)};
    }

    std::mt19937_64 random_;
};

/// Bytes of memory that hold every offset of a sample, with a margin that must stay untouched.
class Memory {
  public:
    Memory(const Sample& sample, unsigned fill)
        : lower_(sample.lower() - margin),
          bytes_(static_cast<std::size_t>(sample.upper() - lower_ + margin)) {
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            bytes_[i] = static_cast<std::byte>(i * 31 + fill + i / 251);
        }
    }
    std::byte* base() { return bytes_.data() - lower_; }
    std::byte& at(Offset offset) { return bytes_[static_cast<std::size_t>(offset - lower_)]; }
    friend bool operator==(const Memory&, const Memory&) = default;

  private:
    static constexpr Offset margin = 70;
    Offset lower_;
    std::vector<std::byte> bytes_;
};

}  // namespace pario::layout::oracle

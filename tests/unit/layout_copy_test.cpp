/// Kernels at every piece length and every alignment, and copies larger than the inner buffer.
#include <array>
#include <cstdint>
#include <string>

#include "layout/copy.hpp"
#include "layout_oracle.hpp"
#include <gtest/gtest.h>

namespace pario::layout {
namespace {

using oracle::Memory;
using oracle::Sample;

Sample sample_of(const Layout& layout) {
    Sample sample{layout, {}};
    layout.visit_runs(0, layout.size(), [&](const Run& run, Offset) {
        for (Offset i = 0; i < run.count * run.length; ++i) {
            sample.offsets.push_back(run.offset + i / run.length * run.stride + i % run.length);
        }
    });
    return sample;
}

/// Packs and unpacks [begin, end) and compares with moving byte by byte.
void check_transfer(const Sample& sample, Offset begin, Offset end) {
    Memory source(sample, 1);
    Memory target(sample, 100);
    Memory expected = target;
    for (Offset stream = begin; stream < end; ++stream) {
        const Offset offset = sample.offsets[static_cast<std::size_t>(stream)];
        expected.at(offset) = source.at(offset);
    }
    std::vector<std::byte> packed(static_cast<std::size_t>(end - begin));
    pack(source.base(), sample.layout, begin, end, packed.data());
    for (Offset stream = begin; stream < end; ++stream) {
        ASSERT_EQ(packed[static_cast<std::size_t>(stream - begin)],
                  source.at(sample.offsets[static_cast<std::size_t>(stream)]));
    }
    unpack(packed.data(), target.base(), sample.layout, begin, end);
    ASSERT_EQ(target, expected);
}

TEST(LayoutCopy, every_piece_length) {
    for (Offset length = 1; length <= 300; ++length) {
        SCOPED_TRACE("length " + std::to_string(length));
        for (const Offset count : {1, 2, 3, 4, 5, 11}) {
            for (const Offset gap : {1, 3, 8}) {
                const Sample sample =
                    sample_of(Layout::strided(count, length + gap, Layout::block(length)));
                check_transfer(sample, 0, sample.size());
            }
        }
        const std::vector<Offset> irregular = {0, 2 * length, 7 * length + 1, 400 * length};
        const Sample sample = sample_of(Layout::indexed(irregular, Layout::block(length)));
        check_transfer(sample, 0, sample.size());
        check_transfer(sample, length / 2, sample.size() - length / 3);
    }
}

/// Structures of 2 to 18 fields: both sides of the limit up to which fields are moved together.
TEST(LayoutCopy, arrays_of_structures) {
    for (Offset fields = 2; fields <= 18; ++fields) {
        std::vector<Piece> pieces;
        Offset at = 0;
        for (Offset i = 0; i < fields; ++i) {
            pieces.push_back({at, i % 3 + 1 + i % 2 * 30});
            at += pieces.back().length + 1 + i % 4;
        }
        for (const Offset count : {2, 5, 700}) {
            for (const Offset stride : {at, at + 11, -at}) {
                SCOPED_TRACE(std::to_string(fields) + " fields, stride " + std::to_string(stride));
                const Sample sample =
                    sample_of(Layout::strided(count, stride, Layout::pieces(pieces)));
                check_transfer(sample, 0, sample.size());
                check_transfer(sample, 1, sample.size() - 1);
            }
        }
    }
}

TEST(LayoutCopy, through_the_buffer) {
    const Sample source = sample_of(Layout::strided(9000, 20, Layout::block(12)));
    const Sample target = sample_of(Layout::strided(15000, 9, Layout::block(7)));
    Memory from(source, 5);
    Memory to(target, 77);
    Memory expected = to;
    const Offset bytes = 100'003;
    for (Offset i = 0; i < bytes; ++i) {
        expected.at(target.offsets[static_cast<std::size_t>(i + 11)]) =
            from.at(source.offsets[static_cast<std::size_t>(i + 5)]);
    }
    copy({from.base(), source.layout, 5}, {to.base(), target.layout, 11}, bytes);
    EXPECT_EQ(to, expected);
}

/// MPI_BOTTOM: a null base, and offsets that are addresses.
TEST(LayoutCopy, absolute_addresses) {
    std::array<std::byte, 16> memory{};
    for (std::size_t i = 0; i < memory.size(); ++i) {
        memory[i] = static_cast<std::byte>(i);
    }
    const auto address = static_cast<Offset>(reinterpret_cast<std::intptr_t>(memory.data()));
    const Layout layout = Layout::strided(4, 4, Layout::block(2)).shifted(address);
    std::array<std::byte, 8> out{};
    pack(nullptr, layout, 0, 8, out.data());
    EXPECT_EQ(out[2], std::byte{4});
    EXPECT_EQ(out[7], std::byte{13});
    out.fill(std::byte{9});
    const Layout contiguous = Layout::block(8);
    copy({out.data(), contiguous, 0}, {nullptr, layout, 0}, 8);
    EXPECT_EQ(memory[12], std::byte{9});
    EXPECT_EQ(memory[14], std::byte{14});
}

}  // namespace
}  // namespace pario::layout

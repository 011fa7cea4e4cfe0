/// Random nested datatypes, each with the plain list of the byte offsets that it stands for.
///
/// The list is made here, by the rules of the MPI standard's typemaps, and never by asking MPI:
/// it is what the transfers are held against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "mpi_test.hpp"

namespace mpi_test {

/// A datatype and its typemap as bytes: stream byte i lies at offsets[i]. `extent` is the distance
/// from one copy to the next; the lower bound is always 0.
struct TypeMap {
    Datatype type;
    std::vector<std::int64_t> offsets;
    std::int64_t extent;

    std::int64_t size() const { return static_cast<std::int64_t>(offsets.size()); }

    /// Offset of byte `stream` in endlessly many copies of the type.
    std::int64_t at(std::int64_t stream) const {
        return stream / size() * extent + offsets[static_cast<std::size_t>(stream % size())];
    }
};

/// What typemaps are made for. Those of a file view ascend, and their holes are whole etypes, as
/// MPI demands; those of memory visit their blocks in any order, with gaps of any length.
enum class Purpose { view, memory };

class TypeMaker {
  public:
    TypeMaker(std::uint64_t seed, Purpose purpose) : random_(seed), purpose_(purpose) {}

    /// A dense element of `bytes` bytes.
    static TypeMap element(int bytes) {
        std::vector<std::int64_t> offsets(static_cast<std::size_t>(bytes));
        std::iota(offsets.begin(), offsets.end(), 0);
        return {contiguous(bytes, MPI_BYTE), std::move(offsets), bytes};
    }

    /// A random tree of constructors over `leaf`; no byte occurs twice.
    TypeMap nest(TypeMap leaf, int max_depth) {
        gap_unit_ = purpose_ == Purpose::view ? leaf.extent : 1;
        const int depth = number(0, max_depth);
        for (int level = 0; level < depth && leaf.size() <= max_bytes_to_wrap; ++level) {
            leaf = wrap(std::move(leaf));
        }
        return leaf;
    }

    int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

    std::uint64_t next_seed() { return random_(); }

    bool chance(int percent) { return number(1, 100) <= percent; }

    template <typename T>
    T pick(const std::vector<T>& choices) {
        return choices[static_cast<std::size_t>(number(0, static_cast<int>(choices.size()) - 1))];
    }

  private:
    static constexpr std::int64_t max_bytes_to_wrap = 400;

    /// Blocks of whole child extents; `starts` and `end` count child extents.
    struct Blocks {
        std::vector<int> lengths;
        std::vector<int> starts;
        int end = 0;
    };

    std::int64_t gap(int max_units) { return number(0, max_units) * gap_unit_; }

    TypeMap wrap(TypeMap child) {
        switch (number(0, 9)) {
            case 0:
                return wrap_contiguous(std::move(child));
            case 1:
            case 2:
                return wrap_vector(std::move(child));
            case 3:
                return wrap_hvector(std::move(child));
            case 4:
                return wrap_indexed(std::move(child));
            case 5:
                return wrap_hindexed(std::move(child));
            case 6:
                return wrap_indexed_block(std::move(child));
            case 7:
                return wrap_struct(std::move(child));
            case 8:
                return wrap_subarray(std::move(child));
            default:
                return wrap_resized(std::move(child));
        }
    }

    /// Copies of the child at byte offsets `starts`, each `length` child extents long.
    static std::vector<std::int64_t> repeat(const TypeMap& child,
                                            const std::vector<std::int64_t>& starts,
                                            const std::vector<int>& lengths) {
        std::vector<std::int64_t> offsets;
        for (std::size_t block = 0; block < starts.size(); ++block) {
            for (int copy = 0; copy < lengths[block]; ++copy) {
                for (const std::int64_t offset : child.offsets) {
                    offsets.push_back(starts[block] + copy * child.extent + offset);
                }
            }
        }
        return offsets;
    }

    /// Makes the extent explicit, so that it does not depend on an MPI's rules for bounds.
    static TypeMap finish(MPI_Datatype type,
                          std::vector<std::int64_t> offsets,
                          std::int64_t extent) {
        const Datatype inner(type);
        return {resized(inner, extent), std::move(offsets), extent};
    }

    Blocks random_blocks(bool equal_lengths) {
        Blocks blocks;
        const int count = number(1, 4);
        const int common = number(1, 3);
        for (int i = 0; i < count; ++i) {
            blocks.end += number(0, 2);
            blocks.starts.push_back(blocks.end);
            blocks.lengths.push_back(equal_lengths ? common : number(i == 0 ? 1 : 0, 3));
            blocks.end += blocks.lengths.back();
        }
        if (purpose_ == Purpose::memory) {
            shuffle(blocks);
        }
        return blocks;
    }

    void shuffle(Blocks& blocks) {
        for (std::size_t i = blocks.starts.size(); i-- > 1;) {
            const auto other = static_cast<std::size_t>(number(0, static_cast<int>(i)));
            std::swap(blocks.starts[i], blocks.starts[other]);
            std::swap(blocks.lengths[i], blocks.lengths[other]);
        }
    }

    static std::vector<std::int64_t> scaled(const std::vector<int>& starts, std::int64_t factor) {
        std::vector<std::int64_t> result;
        for (const int start : starts) {
            result.push_back(start * factor);
        }
        return result;
    }

    TypeMap wrap_contiguous(TypeMap child) {
        const int count = number(1, 4);
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(count, child.type, &type);
        return finish(type, repeat(child, {0}, {count}), count * child.extent);
    }

    TypeMap wrap_vector(TypeMap child) {
        const int count = number(1, 4);
        const int length = number(1, 3);
        const int stride = length + number(0, 3);
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_vector(count, length, stride, child.type, &type);
        std::vector<int> starts(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
            starts[static_cast<std::size_t>(i)] = i * stride;
        }
        return finish(
            type,
            repeat(child, scaled(starts, child.extent), std::vector<int>(starts.size(), length)),
            count * stride * child.extent);
    }

    TypeMap wrap_hvector(TypeMap child) {
        const int count = number(1, 4);
        const int length = number(1, 3);
        const std::int64_t stride = length * child.extent + gap(9);
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_hvector(count, length, stride, child.type, &type);
        std::vector<std::int64_t> starts;
        for (int i = 0; i < count; ++i) {
            starts.push_back(i * stride);
        }
        return finish(
            type, repeat(child, starts, std::vector<int>(starts.size(), length)), count * stride);
    }

    TypeMap wrap_indexed(TypeMap child) {
        const Blocks blocks = random_blocks(false);
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_indexed(static_cast<int>(blocks.starts.size()),
                         blocks.lengths.data(),
                         blocks.starts.data(),
                         child.type,
                         &type);
        return finish(type,
                      repeat(child, scaled(blocks.starts, child.extent), blocks.lengths),
                      (blocks.end + number(0, 2)) * child.extent);
    }

    TypeMap wrap_hindexed(TypeMap child) {
        const Blocks blocks = random_blocks(false);
        const std::vector<std::int64_t> starts = scaled(blocks.starts, child.extent + gap(5));
        const std::vector<MPI_Aint> displacements(starts.begin(), starts.end());
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_hindexed(static_cast<int>(starts.size()),
                                 blocks.lengths.data(),
                                 displacements.data(),
                                 child.type,
                                 &type);
        auto offsets = repeat(child, starts, blocks.lengths);
        const std::int64_t extent = end_of(starts, blocks.lengths, child.extent) + gap(7);
        return finish(type, std::move(offsets), extent);
    }

    TypeMap wrap_indexed_block(TypeMap child) {
        const Blocks blocks = random_blocks(true);
        const int count = static_cast<int>(blocks.starts.size());
        const auto starts = scaled(blocks.starts, child.extent);
        MPI_Datatype type = MPI_DATATYPE_NULL;
        if (chance(50)) {
            MPI_Type_create_indexed_block(
                count, blocks.lengths[0], blocks.starts.data(), child.type, &type);
        } else {
            const std::vector<MPI_Aint> displacements(starts.begin(), starts.end());
            MPI_Type_create_hindexed_block(
                count, blocks.lengths[0], displacements.data(), child.type, &type);
        }
        return finish(type, repeat(child, starts, blocks.lengths), blocks.end * child.extent);
    }

    /// Some copies of the child, a gap, and one more that is a duplicate of its type.
    TypeMap wrap_struct(TypeMap child) {
        const std::vector<int> lengths{number(1, 2), 1};
        const std::vector<std::int64_t> starts{0, lengths[0] * child.extent + gap(6)};
        MPI_Datatype duplicate = MPI_DATATYPE_NULL;
        MPI_Type_dup(child.type, &duplicate);
        const Datatype owner(duplicate);
        const std::array<MPI_Datatype, 2> types{child.type, owner};
        const std::array<MPI_Aint, 2> displacements{0, starts[1]};
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_struct(2, lengths.data(), displacements.data(), types.data(), &type);
        return finish(type, repeat(child, starts, lengths), starts[1] + child.extent + gap(3));
    }

    /// A box of a 2-D array of children, rows or columns first.
    TypeMap wrap_subarray(TypeMap child) {
        const bool rows_first = chance(50);
        std::array<int, 2> sizes{};
        std::array<int, 2> box{};
        std::array<int, 2> first{};
        for (std::size_t d = 0; d < 2; ++d) {
            sizes[d] = number(1, 4);
            box[d] = number(1, sizes[d]);
            first[d] = number(0, sizes[d] - box[d]);
        }
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Type_create_subarray(2,
                                 sizes.data(),
                                 box.data(),
                                 first.data(),
                                 rows_first ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                                 child.type,
                                 &type);
        const std::size_t slow = rows_first ? 0 : 1;
        const std::size_t fast = 1 - slow;
        std::vector<std::int64_t> starts;
        for (int line = first[slow]; line < first[slow] + box[slow]; ++line) {
            starts.push_back((line * sizes[fast] + first[fast]) * child.extent);
        }
        return finish(type,
                      repeat(child, starts, std::vector<int>(starts.size(), box[fast])),
                      sizes[0] * sizes[1] * child.extent);
    }

    TypeMap wrap_resized(TypeMap child) {
        child.extent += gap(9);
        child.type = resized(child.type, child.extent);
        return child;
    }

    static std::int64_t end_of(const std::vector<std::int64_t>& starts,
                               const std::vector<int>& lengths,
                               std::int64_t child_extent) {
        std::int64_t end = 0;
        for (std::size_t i = 0; i < starts.size(); ++i) {
            end = std::max(end, starts[i] + lengths[i] * child_extent);
        }
        return end;
    }

    std::mt19937_64 random_;
    Purpose purpose_;
    std::int64_t gap_unit_ = 1;
};

}  // namespace mpi_test

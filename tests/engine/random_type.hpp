/// Random nested datatypes for the property tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "naive_type.hpp"

#include <mpi.h>

namespace naive {

/// What the random numbers may be. `plain`: pieces ascend, nothing is empty, extents are > 0:
/// every MPI packs these right. `wild`: anything that the standard allows.
enum class Range { plain, wild };

/// Random nested datatypes: every constructor, in both forms, of types up to `depth` deep.
class Generator {
  public:
    Generator(unsigned seed, Range range) : random_(seed), range_(range) {}

    Type make(int depth) {
        if (depth == 0 || chance(10)) {
            return leaf();
        }
        while (true) {
            Type type = wrap(make(depth - 1), depth);
            const auto [low, high] = std::minmax_element(type.offsets.begin(), type.offsets.end());
            const bool is_near = type.offsets.empty() || (*low > -reach && *high < reach);
            if (type.size() < 2000 && std::abs(type.extent) < reach / 2 && is_near) {
                return type;
            }
        }
    }

  private:
    static constexpr std::int64_t reach = 1 << 19;  ///< no offset lies farther away

    bool is_plain() const { return range_ == Range::plain; }
    int number(int low, int high) {
        return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
    }
    bool chance(int percent) { return number(1, 100) <= percent; }
    Form form() { return has_large_forms && chance(50) ? Form::large : Form::small; }
    Unit unit() { return chance(50) ? Unit::extents : Unit::bytes; }
    int order() { return chance(50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN; }
    int amount(int high) { return number(is_plain() ? 1 : 0, high); }

    std::vector<int> numbers(int count, int low, int high) {
        std::vector<int> result(count);
        for (int& value : result) {
            value = number(low, high);
        }
        return result;
    }

    std::vector<int> amounts(int count, int high) {
        return numbers(count, is_plain() ? 1 : 0, high);
    }

    /// Plain: from one block of `length` to the next.
    int stride(const Type& child, int length, Unit unit) {
        const int block = unit == Unit::extents ? length : length * static_cast<int>(child.extent);
        return is_plain() ? block + number(0, 5) : number(-6, 6);
    }

    std::vector<int> displacements(const Type& child, const std::vector<int>& lengths, Unit unit) {
        std::vector<int> result;
        int next = number(0, 5);
        for (const int length : lengths) {
            result.push_back(is_plain() ? next : number(-9, 20));
            next += stride(child, length, unit);
        }
        return result;
    }

    Type leaf() {
        switch (number(0, 5)) {
            case 0:
                return named(MPI_CHAR, "CHAR");
            case 1:
                return named(MPI_SHORT, "SHORT");
            case 2:
                return named(MPI_DOUBLE, "DOUBLE");
            case 3:
                return named(MPI_DOUBLE_INT, "DOUBLE_INT");
            case 4:
                return short_int();
            default:
                return int_type();
        }
    }

    Type wrap(const Type& child, int depth) {
        const Unit in = unit();
        const int length = amount(3);
        const std::vector<int> lengths = amounts(amount(4), 3);
        const std::vector<int> equal(lengths.size(), length);
        switch (number(0, 8)) {
            case 0:
                return dup(child);
            case 1:
                return contiguous(child, amount(5), form());
            case 2:
                return vector(child, amount(4), length, stride(child, length, in), in, form());
            case 3:
                return indexed(child, lengths, displacements(child, lengths, in), in, form());
            case 4:
                return indexed_block(child, length, displacements(child, equal, in), in, form());
            case 5:
                return is_plain() ? resized(child, 0, child.extent + number(0, 24), form())
                                  : resized(child, number(-8, 8), number(-24, 64), form());
            case 6:
                return random_structure(child, depth);
            case 7:
                return random_subarray(child);
            default:
                return random_darray(child);
        }
    }

    Type random_structure(const Type& child, int depth) {
        std::vector<Type> children = {child};
        const int count = number(1, 3);
        while (static_cast<int>(children.size()) < count) {
            children.push_back(chance(20) ? child : make(depth - 1));
        }
        const std::vector<int> lengths = amounts(count, 2);
        std::vector<int> places = numbers(count, -40, 160);
        int next = number(0, 9);
        for (int i = 0; is_plain() && i < count; ++i) {
            places[i] = next;
            next += stride(children[i], lengths[i], Unit::bytes);
        }
        return structure(children, lengths, places, form());
    }

    Type random_subarray(const Type& child) {
        const std::vector<int> sizes = numbers(number(1, 3), 1, 4);
        std::vector<int> subsizes;
        std::vector<int> starts;
        for (const int size : sizes) {
            subsizes.push_back(number(1, size));
            starts.push_back(number(0, size - subsizes.back()));
        }
        return subarray(child, sizes, subsizes, starts, order(), form());
    }

    Type random_darray(const Type& child) {
        Darray array;
        array.order = order();
        for (int d = number(1, 3); d > 0; --d) {
            add_dimension(array);
        }
        return darray(child, array, number(0, array.num_processes() - 1), form());
    }

    void add_dimension(Darray& array) {
        const int num_processes = number(1, 3);
        const int size = number(is_plain() ? 5 : 1, 6);  // plain: every process has a share
        const int enough = (size + num_processes - 1) / num_processes;
        array.sizes.push_back(size);
        array.grid.push_back(num_processes);
        switch (number(num_processes > 1 ? 1 : 0, 4)) {
            case 0:
                array.distributions.push_back(MPI_DISTRIBUTE_NONE);
                array.arguments.push_back(MPI_DISTRIBUTE_DFLT_DARG);
                break;
            case 1:
                array.distributions.push_back(MPI_DISTRIBUTE_BLOCK);
                array.arguments.push_back(MPI_DISTRIBUTE_DFLT_DARG);
                break;
            case 2:
                array.distributions.push_back(MPI_DISTRIBUTE_BLOCK);
                array.arguments.push_back(enough + (is_plain() ? 0 : number(0, 2)));
                break;
            case 3:
                array.distributions.push_back(MPI_DISTRIBUTE_CYCLIC);
                array.arguments.push_back(MPI_DISTRIBUTE_DFLT_DARG);
                break;
            default:
                array.distributions.push_back(MPI_DISTRIBUTE_CYCLIC);
                array.arguments.push_back(number(1, is_plain() ? 2 : 4));
        }
    }

    std::mt19937 random_;
    Range range_;
};

}  // namespace naive

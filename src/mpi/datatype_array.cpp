#include "mpi/datatype_array.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "layout/arithmetic.hpp"

namespace pario::mpi {

using layout::checked_multiply;
using layout::Layout;
using layout::Offset;

namespace {

/// The indices [start, start + length) of one dimension, every `period`, as far as `size` goes:
///
///     size 11, start 2, length 2, period 4
///     0 1 [2 3] 4 5 [6 7] 8 9 [10]        two full blocks and a ragged one
struct Share {
    Offset size;
    Offset start;
    Offset length;
    Offset period;
};

/// The share of a dimension whose neighbours are `stride_bytes` apart and look like `inner`.
Layout along(const Share& share, Offset stride_bytes, const Layout& inner) {
    const Offset room = share.size - share.start - share.length;
    const Offset num_full = room < 0 ? 0 : room / share.period + 1;
    const Offset tail_start = share.start + checked_multiply(num_full, share.period);
    const Offset tail_length = std::clamp<Offset>(share.size - tail_start, 0, share.length);
    const Layout block = Layout::strided(share.length, stride_bytes, inner);
    const Layout full =
        Layout::strided(num_full, checked_multiply(share.period, stride_bytes), block);
    const Layout tail = Layout::strided(tail_length, stride_bytes, inner);
    // An empty tail must not ask for an offset that no byte of the array has.
    const std::vector<layout::Part> parts = {
        {checked_multiply(share.start, stride_bytes), full},
        {tail_length > 0 ? checked_multiply(tail_start, stride_bytes) : 0, tail}};
    return Layout::structure(parts);
}

/// From the fastest dimension outwards: each wraps what the ones inside it gave.
Layout nest(std::span<const Share> shares, Offset order, const TypeLayout& element) {
    Layout result = element.layout;
    Offset stride_bytes = element.extent;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const Share& share = shares[order == MPI_ORDER_FORTRAN ? i : shares.size() - 1 - i];
        result = along(share, stride_bytes, result);
        stride_bytes = checked_multiply(stride_bytes, share.size);
    }
    return result;
}

/// How one dimension of a darray is dealt to the processes along it.
struct Deal {
    Offset distribution;
    Offset argument;
    Offset num_processes;
    Offset coordinate;
};

Offset block_length(const Deal& deal, Offset size) {
    const bool is_default = deal.argument == MPI_DISTRIBUTE_DFLT_DARG;
    switch (deal.distribution) {
        case MPI_DISTRIBUTE_NONE:
            return size;
        case MPI_DISTRIBUTE_CYCLIC:
            return is_default ? 1 : deal.argument;
        case MPI_DISTRIBUTE_BLOCK:
            return is_default ? (size + deal.num_processes - 1) / deal.num_processes
                              : deal.argument;
        default:
            throw base::Error(base::Errc::type,
                              "darray distribution " + std::to_string(deal.distribution) +
                                  " is none of block, cyclic and none");
    }
}

Share share_of(const Deal& deal, Offset size) {
    const Offset length = block_length(deal, size);
    return {size,
            checked_multiply(deal.coordinate, length),
            length,
            checked_multiply(deal.num_processes, length)};
}

/// The place of `rank` in a row-major grid.
std::vector<Offset> coordinates(Offset rank, std::span<const Offset> grid) {
    std::vector<Offset> result(grid.size());
    for (std::size_t i = grid.size(); i-- > 0;) {
        result[i] = rank % grid[i];
        rank /= grid[i];
    }
    return result;
}

}  // namespace

Offset Arguments::next() {
    return next(1).front();
}

std::span<const Offset> Arguments::next(Offset count) {
    if (count < 0 || count > static_cast<Offset>(rest_.size())) {
        throw base::Error(base::Errc::internal, "a datatype has fewer arguments than it needs");
    }
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
}

Layout subarray(Arguments& arguments, const TypeLayout& element) {
    const Offset num_dimensions = arguments.next();
    const auto sizes = arguments.next(num_dimensions);
    const auto subsizes = arguments.next(num_dimensions);
    const auto starts = arguments.next(num_dimensions);
    std::vector<Share> shares;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        shares.push_back({sizes[i], starts[i], subsizes[i], sizes[i]});
    }
    return nest(shares, arguments.next(), element);
}

Layout darray(Arguments& arguments, const TypeLayout& element) {
    arguments.next();  // the number of processes is the product of the grid
    const Offset rank = arguments.next();
    const Offset num_dimensions = arguments.next();
    const auto sizes = arguments.next(num_dimensions);
    const auto distributions = arguments.next(num_dimensions);
    const auto distribution_arguments = arguments.next(num_dimensions);
    const auto grid = arguments.next(num_dimensions);
    const auto place = coordinates(rank, grid);
    std::vector<Share> shares;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const Deal deal = {distributions[i], distribution_arguments[i], grid[i], place[i]};
        shares.push_back(share_of(deal, sizes[i]));
    }
    return nest(shares, arguments.next(), element);
}

}  // namespace pario::mpi

/// The two constructors that cut a piece out of an N-dimensional array.
#pragma once

#include <span>

#include "mpi/datatype.hpp"

namespace pario::mpi {

/// Reads the numbers of a constructor's argument list one after another.
class Arguments {
  public:
    explicit Arguments(std::span<const layout::Offset> numbers) : rest_(numbers) {}

    /// Both throw Error(internal) past the end.
    layout::Offset next();
    std::span<const layout::Offset> next(layout::Offset count);

  private:
    std::span<const layout::Offset> rest_;
};

/// Arguments: ndims, sizes, subsizes, starts, order.
layout::Layout subarray(Arguments& arguments, const TypeLayout& element);

/// Arguments: size, rank, ndims, gsizes, distribs, dargs, psizes, order. The arithmetic is that
/// of MPI 4.1, section 5.1.4: the process grid is row-major whatever the order of the array.
layout::Layout darray(Arguments& arguments, const TypeLayout& element);

}  // namespace pario::mpi

/// What a datatype constructor means: its arguments and the layouts of its children give a
/// layout. Symbolic: the cost is that of the arguments, never that of the data.
#pragma once

#include <span>

#include "mpi/datatype.hpp"
#include "mpi/datatype_contents.hpp"

namespace pario::mpi {

/// \param type      only looked at where it is predefined
/// \param contents  of `type`
/// \param bounds    of `type`
/// \param children  the layouts of contents.types, in that order
/// \return its bytes in typemap order. Throws Error(type) for what cannot be decoded
/// and Error(argument) where 63 bits do not hold an offset.
layout::Layout decode(MPI_Datatype type,
                      const TypeContents& contents,
                      const TypeBounds& bounds,
                      std::span<const TypeLayout> children);

/// `count` instances of `child`, its extent apart.
layout::Layout repeated(layout::Offset count, const TypeLayout& child);

}  // namespace pario::mpi

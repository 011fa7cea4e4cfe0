/// MPI datatypes as layouts. Every constructor of the standard, also the large-count forms, by
/// MPI_Type_get_envelope(_c) and MPI_Type_get_contents(_c); the layout is cached on the datatype
/// in an attribute, so that a second look costs one lookup.
#pragma once

#include "layout/layout.hpp"

#include <mpi.h>

namespace pario::mpi {

/// One instance of a datatype: its bytes in typemap order, offsets relative to the buffer
/// address, and where the next instance begins.
struct TypeLayout {
    layout::Layout layout;
    layout::Offset lower_bound = 0;
    layout::Offset extent = 0;             ///< upper bound - lower bound; may be <= 0
    layout::Offset size = 0;               ///< bytes of data, == layout.size()
    bool is_committed_predefined = false;  ///< a named type
};

/// Throws Error(type) for MPI_DATATYPE_NULL and for what cannot be decoded. The reference stays
/// valid as long as the datatype lives and until finalise.
const TypeLayout& layout_of(MPI_Datatype type);

/// `count` instances, `extent` apart: a whole request in memory.
layout::Layout memory_layout(const TypeLayout& type, layout::Offset count);

}  // namespace pario::mpi

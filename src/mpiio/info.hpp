/// MPI_Info objects as hint maps and back.
#pragma once

#include "base/hints.hpp"

#include <mpi.h>

namespace pario::mpiio {

/// Every key of `info`; none for MPI_INFO_NULL. Throws Error(info) where MPI refuses it.
base::HintMap hints_of(MPI_Info info);

/// A new info object with these hints, which the caller frees.
MPI_Info info_of(const base::HintMap& hints);

}  // namespace pario::mpiio

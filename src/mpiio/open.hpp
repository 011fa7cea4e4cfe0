/// Opening, closing and deleting files.
#pragma once

#include <mpi.h>

namespace pario::mpiio {

class OpenFile;

/// Collective over `comm`. Throws where the file cannot be opened, on all ranks.
MPI_File open(MPI_Comm comm, const char* filename, int amode, MPI_Info info);

/// Collective. The handle is dead afterwards, also when this throws.
void close(MPI_File handle, OpenFile& file);

/// Removes a file; not collective.
void remove(const char* filename, MPI_Info info);

}  // namespace pario::mpiio

/// MPI_File handles: small numbers in the place of pointers.
///
/// Both MPIs declare MPI_File as a pointer to a type that programs cannot see, so its bits are
/// ours to choose. They are a number in a table of open files, the same number that Fortran
/// programs hold in an INTEGER. So garbage and stale handles are recognised without looking
/// through a pointer, and converting between C and Fortran is a cast. MPI_FILE_NULL keeps the
/// MPI's value, in Fortran 0. A number comes back only after 2^31 other files were opened.
#pragma once

#include <memory>

#include <mpi.h>

namespace pario::mpiio {

class OpenFile;

/// Puts an open file into the table.
MPI_File enlist(std::shared_ptr<OpenFile> file);

/// The file of a live handle; empty for MPI_FILE_NULL, closed files and garbage.
std::shared_ptr<OpenFile> find(MPI_File handle);

/// Takes the file out; the handle is then dead.
void delist(MPI_File handle);

/// True while at least one file is open.
bool any_open();

/// The handle as a Fortran INTEGER: 0 for MPI_FILE_NULL, -1 for what cannot be a handle.
int number_of(MPI_File handle);

/// The other way; MPI_FILE_NULL for numbers <= 0. Does not ask whether the file is open.
MPI_File handle_of(int number);

}  // namespace pario::mpiio

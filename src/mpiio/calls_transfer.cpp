/// MPI_File_*: reads and writes. Each function is one line: what makes it different.
#include "mpiio/export.hpp"
#include "mpiio/transfer.hpp"

#include <mpi.h>

using pario::mpiio::Coordination;
using pario::mpiio::Direction;
using pario::mpiio::Positioning;

/// A function that names an offset. `Pointer` is void* or const void*, `direction` and
/// `coordination` are enumerators.
#define PARIO_AT(name, Count, Pointer, direction, coordination)                  \
    PARIO_MPI(int, name)                                                         \
    (MPI_File fh,                                                                \
     MPI_Offset offset,                                                          \
     Pointer buf,                                                                \
     Count count,                                                                \
     MPI_Datatype datatype,                                                      \
     MPI_Status * status) {                                                      \
        return pario::mpiio::transfer({"MPI_" #name,                             \
                                       Direction::direction,                     \
                                       Coordination::coordination,               \
                                       Positioning::explicit_offset},            \
                                      fh,                                        \
                                      offset,                                    \
                                      {const_cast<void*>(buf), count, datatype}, \
                                      status);                                   \
    }

/// A function that uses the individual file pointer.
#define PARIO_POINTER(name, Count, Pointer, direction, coordination)                      \
    PARIO_MPI(int, name)                                                                  \
    (MPI_File fh, Pointer buf, Count count, MPI_Datatype datatype, MPI_Status * status) { \
        return pario::mpiio::transfer({"MPI_" #name,                                      \
                                       Direction::direction,                              \
                                       Coordination::coordination,                        \
                                       Positioning::individual},                          \
                                      fh,                                                 \
                                      0,                                                  \
                                      {const_cast<void*>(buf), count, datatype},          \
                                      status);                                            \
    }

PARIO_WITH_COUNTS(PARIO_AT, File_read_at, void*, read, independent)
PARIO_WITH_COUNTS(PARIO_AT, File_read_at_all, void*, read, collective)
PARIO_WITH_COUNTS(PARIO_AT, File_write_at, const void*, write, independent)
PARIO_WITH_COUNTS(PARIO_AT, File_write_at_all, const void*, write, collective)

PARIO_WITH_COUNTS(PARIO_POINTER, File_read, void*, read, independent)
PARIO_WITH_COUNTS(PARIO_POINTER, File_read_all, void*, read, collective)
PARIO_WITH_COUNTS(PARIO_POINTER, File_write, const void*, write, independent)
PARIO_WITH_COUNTS(PARIO_POINTER, File_write_all, const void*, write, collective)

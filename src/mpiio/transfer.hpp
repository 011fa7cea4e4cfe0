/// All reads and writes: one function.
#pragma once

#include <string_view>

#include "engine/file.hpp"

#include <mpi.h>

namespace pario::mpiio {

using engine::Coordination;
using engine::Direction;
using engine::Offset;

/// Where a transfer begins: at an offset that the call names, or at the individual pointer.
enum class Positioning { explicit_offset, individual };

/// What makes one routine different from another.
struct Routine {
    std::string_view name;
    Direction direction;
    Coordination coordination;
    Positioning positioning;
};

/// The user's side of a transfer.
struct Buffer {
    void* address;
    Offset count;
    MPI_Datatype type;
};

/// Makes the transfer and returns its MPI error code.
/// \param offset  in etypes; not looked at with the individual pointer
int transfer(const Routine& routine,
             MPI_File handle,
             Offset offset,
             const Buffer& buffer,
             MPI_Status* status);

}  // namespace pario::mpiio

/// File views: what MPI_File_set_view takes, checked, and as the layout that the engine wants.
#pragma once

#include <cstdint>
#include <string>

#include "layout/layout.hpp"

#include <mpi.h>

namespace pario::mpiio {

using layout::Offset;

/// A datatype that outlives the program's: a duplicate where the program could free its own.
class KeptType {
  public:
    explicit KeptType(MPI_Datatype type);
    ~KeptType();
    KeptType(KeptType&& other) noexcept;
    KeptType& operator=(KeptType&& other) noexcept;

    /// For MPI_File_get_view: predefined types as they are, others as a duplicate that the
    /// program frees.
    MPI_Datatype new_reference() const;

  private:
    MPI_Datatype type_;
    bool owned_;
};

/// What a program says about a view.
struct ViewArguments {
    Offset displacement;
    MPI_Datatype etype;
    MPI_Datatype filetype;
    const char* datarep;
};

/// A view in force.
struct View {
    Offset displacement = 0;
    KeptType etype{MPI_BYTE};
    KeptType filetype{MPI_BYTE};
    std::string datarep = "native";
    Offset etype_size = 1;
    Offset etype_extent = 1;

    /// What all ranks must agree on: data representation and extent of the etype.
    std::uint64_t common_part() const;
};

/// What the engine gets for a view: the bytes of this rank's stream in the file.
/// \param writable  overlap within the view is forbidden then
/// Throws what the standard forbids: Error(argument) for a negative displacement, Error(type) for
/// etypes and filetypes, Error(unsupported_datarep).
layout::Layout checked_layout(const ViewArguments& view, bool writable);

/// The bookkeeping of arguments that checked_layout() has accepted.
View view_of(const ViewArguments& view);

/// The first byte of the stream `view` that lies at or beyond file offset `end`. O(log size)
/// look-ups; for views whose offsets do not decrease.
Offset stream_bytes_before(const layout::Layout& view, Offset end);

}  // namespace pario::mpiio

/// Two MPI-IOs in one process, as tables of functions.
#pragma once

#include <optional>

#include <mpi.h>

namespace pario::bench {

/// The calls of one MPI-IO that the benches use. A handle that one table's `open` made must only
/// be given to functions of the same table.
struct FileApi {
    decltype(&MPI_File_open) open = nullptr;
    decltype(&MPI_File_close) close = nullptr;
    decltype(&MPI_File_set_view) set_view = nullptr;
    decltype(&MPI_File_read_all) read_all = nullptr;
    decltype(&MPI_File_write_all) write_all = nullptr;
    decltype(&MPI_File_read_at) read_at = nullptr;
    decltype(&MPI_File_write_at) write_at = nullptr;
    decltype(&MPI_File_read_at_all) read_at_all = nullptr;
    decltype(&MPI_File_write_at_all) write_at_all = nullptr;
};

/// The functions of Pario, which this program is linked with; none where it was linked with the
/// MPI alone.
std::optional<FileApi> pario_api();

/// The MPI's own functions, in the library of the MPI itself, past the drop-in.
FileApi native_api();

}  // namespace pario::bench

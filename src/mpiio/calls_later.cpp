/// MPI_File_*: what does not work yet. The functions are here all the same, because a handle of
/// ours must never reach the MPI's own MPI-IO; each says its name and fails.
#include "base/error.hpp"
#include "mpiio/export.hpp"
#include "mpiio/guard.hpp"

#include <mpi.h>

using namespace pario::mpiio;

namespace {

[[noreturn]] void refuse(const char* name) {
    throw pario::base::Error(pario::base::Errc::unsupported_operation,
                             std::string(name) + " is not supported yet by Pario");
}

int not_yet(const char* name, MPI_File fh) {
    return guarded(name, fh, [&](OpenFile&) { refuse(name); });
}

int not_yet(const char* name, MPI_File fh, MPI_Request* request) {
    if (request != nullptr) {
        *request = MPI_REQUEST_NULL;
    }
    return not_yet(name, fh);
}

}  // namespace

#define PARIO_BLOCKING(name, Count, Pointer)                                       \
    PARIO_MPI(int, name)(MPI_File fh, Pointer, Count, MPI_Datatype, MPI_Status*) { \
        return not_yet("MPI_" #name, fh);                                          \
    }
#define PARIO_NONBLOCKING(name, Count, Pointer)                                              \
    PARIO_MPI(int, name)(MPI_File fh, Pointer, Count, MPI_Datatype, MPI_Request * request) { \
        return not_yet("MPI_" #name, fh, request);                                           \
    }
#define PARIO_NONBLOCKING_AT(name, Count, Pointer)                                   \
    PARIO_MPI(int, name)                                                             \
    (MPI_File fh, MPI_Offset, Pointer, Count, MPI_Datatype, MPI_Request * request) { \
        return not_yet("MPI_" #name, fh, request);                                   \
    }
#define PARIO_BEGIN(name, Count, Pointer)                             \
    PARIO_MPI(int, name)(MPI_File fh, Pointer, Count, MPI_Datatype) { \
        return not_yet("MPI_" #name, fh);                             \
    }
#define PARIO_BEGIN_AT(name, Count, Pointer)                                      \
    PARIO_MPI(int, name)(MPI_File fh, MPI_Offset, Pointer, Count, MPI_Datatype) { \
        return not_yet("MPI_" #name, fh);                                         \
    }
#define PARIO_END(name, Pointer)                              \
    PARIO_MPI(int, name)(MPI_File fh, Pointer, MPI_Status*) { \
        return not_yet("MPI_" #name, fh);                     \
    }

// Nonblocking, independent and collective.
PARIO_WITH_COUNTS(PARIO_NONBLOCKING_AT, File_iread_at, void*)
PARIO_WITH_COUNTS(PARIO_NONBLOCKING_AT, File_iread_at_all, void*)
PARIO_WITH_COUNTS(PARIO_NONBLOCKING_AT, File_iwrite_at, const void*)
PARIO_WITH_COUNTS(PARIO_NONBLOCKING_AT, File_iwrite_at_all, const void*)
PARIO_WITH_COUNTS(PARIO_NONBLOCKING, File_iread, void*)
PARIO_WITH_COUNTS(PARIO_NONBLOCKING, File_iread_all, void*)
PARIO_WITH_COUNTS(PARIO_NONBLOCKING, File_iwrite, const void*)
PARIO_WITH_COUNTS(PARIO_NONBLOCKING, File_iwrite_all, const void*)

// Split collective.
PARIO_WITH_COUNTS(PARIO_BEGIN_AT, File_read_at_all_begin, void*)
PARIO_END(File_read_at_all_end, void*)
PARIO_WITH_COUNTS(PARIO_BEGIN_AT, File_write_at_all_begin, const void*)
PARIO_END(File_write_at_all_end, const void*)
PARIO_WITH_COUNTS(PARIO_BEGIN, File_read_all_begin, void*)
PARIO_END(File_read_all_end, void*)
PARIO_WITH_COUNTS(PARIO_BEGIN, File_write_all_begin, const void*)
PARIO_END(File_write_all_end, const void*)

// Shared file pointer.
PARIO_WITH_COUNTS(PARIO_BLOCKING, File_read_shared, void*)
PARIO_WITH_COUNTS(PARIO_BLOCKING, File_write_shared, const void*)
PARIO_WITH_COUNTS(PARIO_NONBLOCKING, File_iread_shared, void*)
PARIO_WITH_COUNTS(PARIO_NONBLOCKING, File_iwrite_shared, const void*)
PARIO_WITH_COUNTS(PARIO_BLOCKING, File_read_ordered, void*)
PARIO_WITH_COUNTS(PARIO_BLOCKING, File_write_ordered, const void*)
PARIO_WITH_COUNTS(PARIO_BEGIN, File_read_ordered_begin, void*)
PARIO_END(File_read_ordered_end, void*)
PARIO_WITH_COUNTS(PARIO_BEGIN, File_write_ordered_begin, const void*)
PARIO_END(File_write_ordered_end, const void*)

PARIO_MPI(int, File_seek_shared)(MPI_File fh, MPI_Offset, int) {
    return not_yet("MPI_File_seek_shared", fh);
}

PARIO_MPI(int, File_get_position_shared)(MPI_File fh, MPI_Offset*) {
    return not_yet("MPI_File_get_position_shared", fh);
}

// Data representations of the user.
PARIO_MPI(int, Register_datarep)
(const char*,
 MPI_Datarep_conversion_function*,
 MPI_Datarep_conversion_function*,
 MPI_Datarep_extent_function*,
 void*) {
    return guarded("MPI_Register_datarep", [] { refuse("MPI_Register_datarep"); });
}

#if MPI_VERSION >= 4
PARIO_MPI(int, Register_datarep_c)
(const char*,
 MPI_Datarep_conversion_function_c*,
 MPI_Datarep_conversion_function_c*,
 MPI_Datarep_extent_function*,
 void*) {
    return guarded("MPI_Register_datarep_c", [] { refuse("MPI_Register_datarep_c"); });
}
#endif

/// MPI_File_*: handles in Fortran and as integers.
#include "mpiio/export.hpp"
#include "mpiio/handles.hpp"

#include <mpi.h>

PARIO_MPI(MPI_Fint, File_c2f)(MPI_File file) {
    return pario::mpiio::number_of(file);
}
PARIO_MPI(MPI_File, File_f2c)(MPI_Fint file) {
    return pario::mpiio::handle_of(file);
}

#if MPI_VERSION >= 5
PARIO_MPI(int, File_toint)(MPI_File file) {
    return pario::mpiio::number_of(file);
}
PARIO_MPI(MPI_File, File_fromint)(int file) {
    return pario::mpiio::handle_of(file);
}
#endif

// Open MPI's Fortran bindings make error handlers inside the library, where we cannot see the
// user's function; so the drop-in has these Fortran names as well. One kind of function serves
// both languages (calls_errhandler.cpp).
#ifdef OPEN_MPI
using FortranHandler = void(MPI_Fint* file, MPI_Fint* code);

extern "C" PARIO_PUBLIC void mpi_file_create_errhandler_(FortranHandler* function,
                                                         MPI_Fint* errhandler,
                                                         MPI_Fint* ierror) {
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;
    const int code = MPI_File_create_errhandler(
        reinterpret_cast<MPI_File_errhandler_function*>(function), &made);
    if (code == MPI_SUCCESS) {
        *errhandler = MPI_Errhandler_c2f(made);
    }
    if (ierror != nullptr) {
        *ierror = code;
    }
}

#define PARIO_SAME_AS_CREATE(name)          \
    extern "C" PARIO_PUBLIC __attribute__(( \
        alias("mpi_file_create_errhandler_"))) decltype(mpi_file_create_errhandler_) name;

PARIO_SAME_AS_CREATE(mpi_file_create_errhandler)
PARIO_SAME_AS_CREATE(mpi_file_create_errhandler__)
PARIO_SAME_AS_CREATE(MPI_FILE_CREATE_ERRHANDLER)
PARIO_SAME_AS_CREATE(pmpi_file_create_errhandler)
PARIO_SAME_AS_CREATE(pmpi_file_create_errhandler_)
PARIO_SAME_AS_CREATE(pmpi_file_create_errhandler__)
PARIO_SAME_AS_CREATE(PMPI_FILE_CREATE_ERRHANDLER)
PARIO_SAME_AS_CREATE(ompi_file_create_errhandler_f)
#endif

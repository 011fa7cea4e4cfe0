/// MPI_File_*: error handlers.
#include "mpi/comm.hpp"
#include "mpiio/errhandler.hpp"
#include "mpiio/export.hpp"
#include "mpiio/guard.hpp"
#include "mpiio/native.hpp"

#include <mpi.h>

using namespace pario::mpiio;
using pario::mpi::check;

namespace {

using AnyFunction = void (*)();

/// A Fortran function gets here as well: it takes the address of an INTEGER handle, and the low
/// half of an MPI_File of ours is exactly that (handles.hpp).
void call_standard(AnyFunction function, void* /*extra_state*/, MPI_File file, int code) {
    reinterpret_cast<MPI_File_errhandler_function*>(function)(&file, &code);
}

}  // namespace

PARIO_MPI(int, File_create_errhandler)
(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler) {
    return guarded("MPI_File_create_errhandler", [&] {
        require_argument(function != nullptr && errhandler != nullptr, "null pointer");
        auto* const create =
            native<decltype(MPI_File_create_errhandler)>("PMPI_File_create_errhandler");
        check(create(function, errhandler), "MPI_File_create_errhandler");
        register_handler(
            *errhandler,
            {Reaction::Kind::calls, call_standard, reinterpret_cast<AnyFunction>(function)});
    });
}

PARIO_MPI(int, File_set_errhandler)(MPI_File fh, MPI_Errhandler errhandler) {
    constexpr const char* name = "MPI_File_set_errhandler";
    if (fh == MPI_FILE_NULL) {
        return guarded(name, [&] { set_default_handler(ErrorHandler(errhandler)); });
    }
    // MPICH's own MPI_File_close calls this one, by the name that we define as well.
    if (native_is_in_use() && number_of(fh) < 0) {
        return native<decltype(MPI_File_set_errhandler)>("PMPI_File_set_errhandler")(fh,
                                                                                     errhandler);
    }
    return guarded(name, fh, [&](OpenFile& file) { file.set_handler(ErrorHandler(errhandler)); });
}

PARIO_MPI(int, File_get_errhandler)(MPI_File fh, MPI_Errhandler* errhandler) {
    constexpr const char* name = "MPI_File_get_errhandler";
    const auto answer = [&](const ErrorHandler& handler) {
        require_argument(errhandler != nullptr, "null pointer");
        *errhandler = handler.new_reference();
    };
    if (fh == MPI_FILE_NULL) {
        return guarded(name, [&] { answer(default_handler()); });
    }
    return guarded(name, fh, [&](OpenFile& file) { answer(file.handler()); });
}

PARIO_MPI(int, File_call_errhandler)(MPI_File fh, int errorcode) {
    constexpr const char* name = "MPI_File_call_errhandler";
    if (fh == MPI_FILE_NULL) {
        return guarded(name, [&] { default_handler().react(fh, errorcode, MPI_COMM_WORLD); });
    }
    return guarded(
        name, fh, [&](OpenFile& file) { file.handler().react(fh, errorcode, file.comm()); });
}

// MPICH's Fortran bindings make their handlers by this one.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 50000000
namespace {

void call_extended(AnyFunction function, void* extra_state, MPI_File file, int code) {
    reinterpret_cast<MPIX_File_errhandler_function_x*>(function)(file, code, extra_state);
}

}  // namespace

extern "C" PARIO_PUBLIC int MPIX_File_create_errhandler_x(MPIX_File_errhandler_function_x* function,
                                                          MPIX_Destructor_function* destructor,
                                                          void* extra_state,
                                                          MPI_Errhandler* errhandler) {
    return guarded("MPIX_File_create_errhandler_x", [&] {
        require_argument(function != nullptr && errhandler != nullptr, "null pointer");
        auto* const create =
            native<decltype(MPIX_File_create_errhandler_x)>("PMPIX_File_create_errhandler_x");
        check(create(function, destructor, extra_state, errhandler),
              "MPIX_File_create_errhandler_x");
        register_handler(*errhandler,
                         {Reaction::Kind::calls,
                          call_extended,
                          reinterpret_cast<AnyFunction>(function),
                          extra_state});
    });
}

extern "C" PARIO_PUBLIC
    __attribute__((alias("MPIX_File_create_errhandler_x"))) decltype(PMPIX_File_create_errhandler_x)
        PMPIX_File_create_errhandler_x;
#endif

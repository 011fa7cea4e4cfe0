#include "mpiio/guard.hpp"

#include <new>

#include "mpiio/errhandler.hpp"
#include "mpiio/error_code.hpp"

namespace pario::mpiio {

namespace {

using base::Errc;
using base::Error;

/// The exception in flight as an Error.
Error current_error() {
    try {
        throw;
    } catch (const Error& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return Error(Errc::memory, "out of memory");
    } catch (const std::exception& other) {
        return Error(Errc::internal, std::string("unexpected failure: ") + other.what());
    }
}

}  // namespace

bool is_finalized() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized != 0;
}

bool mpi_is_running() {
    int initialized = 0;
    MPI_Initialized(&initialized);
    return !is_finalized() && (initialized || any_open());
}

bool is_usable(MPI_Comm comm) {
    const bool needs_init =
        comm == MPI_COMM_NULL || comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF;
    return !is_finalized() && (mpi_is_running() || !needs_init);
}

void require_argument(bool holds, const char* cause) {
    if (!holds) {
        throw Error(Errc::argument, cause);
    }
}

int report_exception(std::string_view name, MPI_File handle, OpenFile* file) {
    const Error error = current_error().in(name, file != nullptr ? file->path() : "");
    const int code = code_with_text(class_of(error.code()), error.what());
    if (file != nullptr) {
        file->handler().react(handle, code, file->comm());
    } else {
        default_handler().react(MPI_FILE_NULL, code, MPI_COMM_WORLD);
    }
    return code;
}

int report_without_file(int mpi_class, const std::string& text, MPI_Comm comm) {
    const int code = code_with_text(mpi_class, text);
    default_handler().react(MPI_FILE_NULL, code, comm);
    return code;
}

int not_running() noexcept {
    return MPI_ERR_OTHER;
}

void throw_no_file(MPI_File handle) {
    throw Error(Errc::file_handle,
                handle == MPI_FILE_NULL ? "the file handle is MPI_FILE_NULL"
                                        : "the file handle is not that of an open file");
}

}  // namespace pario::mpiio

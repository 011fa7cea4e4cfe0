/// Where exceptions end: every MPI function runs its body in here, and an error becomes a return
/// code after the error handler that is responsible has seen it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "engine/file.hpp"
#include "mpiio/handles.hpp"
#include "mpiio/open_file.hpp"

#include <mpi.h>

namespace pario::mpiio {

/// True between MPI_Init and MPI_Finalize, and as long as a session has a file open.
bool mpi_is_running();

/// True where `comm` can be used: as above, or it comes from a session.
bool is_usable(MPI_Comm comm);

/// Throws Error(argument) with this cause where `holds` is false.
void require_argument(bool holds, const char* cause);

/// Turns the exception in flight into an error code and shows it to the handler of `file`, or to
/// the default one where that is null.
int report_exception(std::string_view name, MPI_File handle, OpenFile* file);

/// The same for an error that has no base::Errc.
int report_without_file(int mpi_class, const std::string& text, MPI_Comm comm);

/// The return code of any function where MPI is not running.
int not_running() noexcept;

/// True after MPI_Finalize.
bool is_finalized();

/// Throws Error(file_handle): the handle is not live.
[[noreturn]] void throw_no_file(MPI_File handle);

/// Runs the body of a function that has no file.
template <typename Body>
int guarded(std::string_view name, Body&& body) {
    if (!mpi_is_running()) {
        return not_running();
    }
    try {
        body();
        return MPI_SUCCESS;
    } catch (...) {
        return report_exception(name, MPI_FILE_NULL, nullptr);
    }
}

/// Runs body(OpenFile&) of a function on a file.
template <typename Body>
int guarded(std::string_view name, MPI_File handle, Body&& body) {
    // An open file means that MPI was started.
    std::shared_ptr<OpenFile> file = find(handle);
    if (is_finalized() || (!file && !mpi_is_running())) {
        return not_running();
    }
    try {
        if (!file) {
            throw_no_file(handle);
        }
        body(*file);
        return MPI_SUCCESS;
    } catch (...) {
        return report_exception(name, file ? handle : MPI_FILE_NULL, file.get());
    }
}

/// The Call of a collective function. What `check_arguments` throws goes along in it: the rank has
/// to take part all the same, or the others would wait for it for ever.
template <typename Check>
engine::Call collective_call(std::string_view name, Check&& check_arguments) {
    engine::Call call{name};
    try {
        check_arguments();
    } catch (const base::Error& error) {
        call.refused = error;
    }
    return call;
}

}  // namespace pario::mpiio

#include "mpiio/errhandler.hpp"

#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpiio/error_code.hpp"
#include "mpiio/guard.hpp"
#include "mpiio/native.hpp"

namespace pario::mpiio {

namespace {

using base::Errc;
using base::Error;

/// What the handlers do that this program made, and the default one. Never destroyed: files may
/// be used while static objects die. MPI may give the handle of a freed handler to a new one; that
/// simply replaces the entry, because a file keeps its own copy and a reference, and a handle
/// with a reference is not given out again.
struct Handlers {
    std::mutex mutex;
    std::map<MPI_Errhandler, Reaction> made;
    ErrorHandler for_null;
};

Handlers& handlers() {
    static Handlers& all = *new Handlers;
    return all;
}

std::optional<Reaction> predefined(MPI_Errhandler handle) {
    using Kind = Reaction::Kind;
    if (handle == MPI_ERRORS_RETURN) {
        return Reaction{Kind::returns};
    }
    if (handle == MPI_ERRORS_ARE_FATAL) {
        return Reaction{Kind::aborts_all};
    }
#ifdef MPI_ERRORS_ABORT
    if (handle == MPI_ERRORS_ABORT) {
        return Reaction{Kind::aborts_file};
    }
#endif
    return std::nullopt;
}

Reaction reaction_of(MPI_Errhandler handle) {
    if (const auto reaction = predefined(handle)) {
        return *reaction;
    }
    Handlers& all = handlers();
    const std::lock_guard lock(all.mutex);
    const auto found = all.made.find(handle);
    if (handle == MPI_ERRHANDLER_NULL || found == all.made.end()) {
        throw Error(Errc::argument, "the error handler was not made for files");
    }
    return found->second;
}

/// One more reference to a handler. MPI has no call for that; but its own MPI_FILE_NULL hands out
/// a reference to whatever handler it has.
MPI_Errhandler add_reference(MPI_Errhandler handle) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    auto* const get = native<decltype(MPI_File_get_errhandler)>("PMPI_File_get_errhandler");
    auto* const set = native<decltype(MPI_File_set_errhandler)>("PMPI_File_set_errhandler");
    MPI_Errhandler before = MPI_ERRHANDLER_NULL;
    MPI_Errhandler reference = MPI_ERRHANDLER_NULL;
    mpi::check(get(MPI_FILE_NULL, &before), "MPI_File_get_errhandler");
    mpi::check(set(MPI_FILE_NULL, handle), "MPI_File_set_errhandler");
    mpi::check(get(MPI_FILE_NULL, &reference), "MPI_File_get_errhandler");
    mpi::check(set(MPI_FILE_NULL, before), "MPI_File_set_errhandler");
    mpi::check(MPI_Errhandler_free(&before), "MPI_Errhandler_free");
    return reference;
}

void abort_with_text(int code, MPI_Comm comm) {
    std::fprintf(stderr, "pario: %s\n", text_of(code).c_str());
    std::fflush(stderr);
    int mpi_class = code;  // fits into an exit status
    MPI_Error_class(code, &mpi_class);
    MPI_Abort(comm, mpi_class);
}

}  // namespace

ErrorHandler::ErrorHandler(MPI_Errhandler handle)
    : handle_(handle), reaction_(reaction_of(handle)) {
    if (reaction_.kind == Reaction::Kind::calls) {
        handle_ = add_reference(handle);
        owns_reference_ = true;
    }
}

ErrorHandler::~ErrorHandler() {
    if (owns_reference_ && mpi_is_running()) {
        MPI_Errhandler_free(&handle_);
    }
}

ErrorHandler::ErrorHandler(const ErrorHandler& other)
    : handle_(other.owns_reference_ ? add_reference(other.handle_) : other.handle_),
      reaction_(other.reaction_),
      owns_reference_(other.owns_reference_) {}

ErrorHandler::ErrorHandler(ErrorHandler&& other) noexcept
    : handle_(other.handle_),
      reaction_(other.reaction_),
      owns_reference_(std::exchange(other.owns_reference_, false)) {}

ErrorHandler& ErrorHandler::operator=(ErrorHandler other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(reaction_, other.reaction_);
    std::swap(owns_reference_, other.owns_reference_);
    return *this;
}

MPI_Errhandler ErrorHandler::new_reference() const {
    return add_reference(handle_);
}

void ErrorHandler::react(MPI_File file, int code, MPI_Comm comm) const {
    switch (reaction_.kind) {
        case Reaction::Kind::returns:
            return;
        case Reaction::Kind::aborts_file:
            return abort_with_text(code, comm);
        case Reaction::Kind::aborts_all:
            return abort_with_text(code, MPI_COMM_WORLD);
        case Reaction::Kind::calls:
            return reaction_.call(reaction_.function, reaction_.extra_state, file, code);
    }
}

void register_handler(MPI_Errhandler handle, const Reaction& reaction) {
    Handlers& all = handlers();
    const std::lock_guard lock(all.mutex);
    all.made[handle] = reaction;
}

ErrorHandler default_handler() {
    Handlers& all = handlers();
    const std::lock_guard lock(all.mutex);
    return all.for_null;
}

void set_default_handler(ErrorHandler handler) {
    Handlers& all = handlers();
    const std::lock_guard lock(all.mutex);
    all.for_null = std::move(handler);
}

}  // namespace pario::mpiio

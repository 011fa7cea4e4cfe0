/// Error handlers of files: which one a file has, and what it does.
///
/// Handlers are objects of the MPI, so that MPI_Errhandler_free and the like work on them; what
/// they do with *our* files must be known here, because the MPI cannot call a handler for a file
/// that is not its own.
#pragma once

#include <mpi.h>

namespace pario::mpiio {

/// What to do with an error.
struct Reaction {
    enum class Kind { returns, aborts_file, aborts_all, calls };
    /// Calls the user's function, in whatever way it was made.
    using Caller = void (*)(void (*function)(), void* extra_state, MPI_File file, int code);

    Kind kind = Kind::returns;
    Caller call = nullptr;
    void (*function)() = nullptr;
    void* extra_state = nullptr;
};

/// A handler that a file holds on to: one reference to the MPI's object, released at the end.
class ErrorHandler {
  public:
    /// MPI_ERRORS_RETURN, which every file begins with.
    ErrorHandler() = default;

    /// Throws Error(argument) for MPI_ERRHANDLER_NULL and for handlers that were not made by
    /// MPI_File_create_errhandler.
    explicit ErrorHandler(MPI_Errhandler handle);
    ~ErrorHandler();
    ErrorHandler(const ErrorHandler& other);
    ErrorHandler(ErrorHandler&& other) noexcept;
    ErrorHandler& operator=(ErrorHandler other) noexcept;

    /// The handle with one more reference, which the program may free.
    MPI_Errhandler new_reference() const;

    /// Acts on an error of `file` (MPI_FILE_NULL where there is none).
    /// \param comm  whose ranks an aborting handler ends
    void react(MPI_File file, int code, MPI_Comm comm) const;

  private:
    MPI_Errhandler handle_ = MPI_ERRORS_RETURN;
    Reaction reaction_;
    bool owns_reference_ = false;
};

/// Makes known what a handler does that the MPI has just made for the program.
void register_handler(MPI_Errhandler handle, const Reaction& reaction);

/// The handler of MPI_FILE_NULL: that of calls without a file, and of files to come.
ErrorHandler default_handler();
void set_default_handler(ErrorHandler handler);

}  // namespace pario::mpiio

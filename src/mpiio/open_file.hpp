/// What stands behind a handle: an engine file, and what only MPI-IO knows of it: access mode,
/// view, individual file pointer and error handler.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "engine/file.hpp"
#include "mpiio/errhandler.hpp"
#include "mpiio/view.hpp"

#include <mpi.h>

namespace pario::mpiio {

/// One open file on one rank. Calls on one file from several threads are allowed; the mutex
/// guards what is kept here, never a transfer.
class OpenFile {
  public:
    /// \param position  where the individual pointer begins, in bytes of the default view
    OpenFile(std::unique_ptr<engine::File> file,
             std::string path,
             int amode,
             ErrorHandler handler,
             Offset position);

    engine::File& engine() { return *engine_; }
    /// The engine file, to be closed; afterwards only path(), comm() and handler() may be used.
    std::unique_ptr<engine::File> release_engine() { return std::move(engine_); }

    const std::string& path() const { return path_; }
    MPI_Comm comm() const;
    int amode() const { return amode_; }
    bool is_readable() const { return (amode_ & MPI_MODE_WRONLY) == 0; }
    bool is_writable() const { return (amode_ & MPI_MODE_RDONLY) == 0; }

    ErrorHandler handler() const;
    void set_handler(ErrorHandler handler);

    /// Throws Error(unsupported_operation) in a file opened with MPI_MODE_SEQUENTIAL, where only
    /// the shared pointer may be used.
    void require_random_access() const;
    /// Throws Error(read_only).
    void require_writable() const;

    /// Runs look(const View&) while the view cannot change.
    template <typename Look>
    auto with_view(Look&& look) const {
        const std::lock_guard lock(mutex_);
        return look(view_);
    }
    /// Takes over a view and puts the pointer at its beginning.
    void set_view(View view);
    Offset etype_size() const;

    /// The individual pointer, in bytes of the stream.
    Offset position() const;
    void set_position(Offset position);
    /// The position, and moves the pointer on by `bytes` in one step.
    Offset advance(Offset bytes);
    /// Puts the pointer back from `from` to `to`, unless another thread has moved it meanwhile.
    void step_back(Offset from, Offset to);

  private:
    std::unique_ptr<engine::File> engine_;
    std::string path_;
    int amode_;

    mutable std::mutex mutex_;
    ErrorHandler handler_;
    View view_;
    Offset position_;
};

/// `count` etypes in bytes. Throws Error(argument) for what 63 bits cannot hold.
Offset bytes_of_etypes(Offset count, Offset etype_size);

/// `bytes` in etypes; a partial one counts as a whole.
Offset etypes_of_bytes(Offset bytes, Offset etype_size);

}  // namespace pario::mpiio

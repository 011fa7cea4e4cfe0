/// Room `base`: what every other room may use. It knows nothing of MPI, files or layouts.
///
/// One error type and one list of codes for all faces. A face maps `Errc` to its own world (the
/// drop-in to MPI error classes, Python to exception types).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pario::base {

/// What went wrong, in the words of the MPI standard's I/O error classes (MPI 4.1, section 14.7)
/// and a few that only the engine needs. The numbers never change meaning: they travel between
/// ranks.
enum class Errc : std::int32_t {
    success = 0,
    argument,               ///< MPI_ERR_ARG: an argument that is wrong in itself
    count,                  ///< MPI_ERR_COUNT: negative count
    type,                   ///< MPI_ERR_TYPE: null, uncommitted or forbidden datatype
    buffer,                 ///< MPI_ERR_BUFFER: null buffer with data to move
    info,                   ///< MPI_ERR_INFO: null or invalid info
    access,                 ///< MPI_ERR_ACCESS: permission denied; read on a write-only file
    amode,                  ///< MPI_ERR_AMODE: forbidden combination of open modes
    bad_file,               ///< MPI_ERR_BAD_FILE: invalid file name (too long, a directory)
    file_exists,            ///< MPI_ERR_FILE_EXISTS
    file_in_use,            ///< MPI_ERR_FILE_IN_USE: deleting a file that is open
    no_space,               ///< MPI_ERR_NO_SPACE
    no_such_file,           ///< MPI_ERR_NO_SUCH_FILE
    not_same,               ///< MPI_ERR_NOT_SAME: collective arguments differ between ranks
    quota,                  ///< MPI_ERR_QUOTA
    read_only,              ///< MPI_ERR_READ_ONLY: read-only file or file system
    io,                     ///< MPI_ERR_IO: anything else that the file system said
    unsupported_datarep,    ///< MPI_ERR_UNSUPPORTED_DATAREP
    unsupported_operation,  ///< MPI_ERR_UNSUPPORTED_OPERATION
    duplicate_datarep,      ///< MPI_ERR_DUP_DATAREP
    conversion,             ///< MPI_ERR_CONVERSION
    file_handle,            ///< MPI_ERR_FILE: invalid file handle
    memory,                 ///< MPI_ERR_NO_MEM
    communication,          ///< MPI_ERR_OTHER: an MPI call underneath failed
    internal,               ///< MPI_ERR_INTERN: a promise inside Pario was broken
};

/// The code that a system error number stands for (ENOENT -> no_such_file, ENOSPC -> no_space …).
Errc code_of_errno(int error_number) noexcept;

/// A short text for a code: "no such file".
std::string_view describe(Errc code) noexcept;

/// The one error of Pario: what failed, where, and why. `what()` is a full sentence that names
/// operation, file, offset and reason.
class Error : public std::runtime_error {
  public:
    static constexpr std::int64_t no_offset = -1;
    static constexpr int no_rank = -1;

    /// \param code    class of the failure
    /// \param cause   reason and, where there is one, what to do next; no trailing full stop
    /// \param offset  byte offset in the file, or no_offset
    Error(Errc code, std::string cause, std::int64_t offset = no_offset);

    /// A copy that also names the call, the file and the rank it happened on; parts that are
    /// already named stay. `rank` may be no_rank.
    Error in(std::string_view operation, std::string_view path, int rank = no_rank) const;

    Errc code() const noexcept { return code_; }
    std::int64_t offset() const noexcept { return offset_; }
    int rank() const noexcept { return rank_; }
    const std::string& cause() const noexcept { return cause_; }
    const std::string& operation() const noexcept { return operation_; }
    const std::string& path() const noexcept { return path_; }

  private:
    Error(Errc code, std::string cause, std::int64_t offset, std::string operation,
          std::string path, int rank);

    Errc code_;
    std::int64_t offset_;
    int rank_ = no_rank;
    std::string cause_;
    std::string operation_;
    std::string path_;
};

/// Throws the Error for the current `errno` of a failed system call.
/// \param system_call  its name, "pwrite"
[[noreturn]] void throw_errno(std::string_view system_call,
                              std::int64_t offset = Error::no_offset);

}  // namespace pario::base

#include "base/error.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace pario::base {

Errc code_of_errno(int error_number) noexcept {
    switch (error_number) {
        case 0:
            return Errc::success;
        case ENOENT:
            return Errc::no_such_file;
        case EEXIST:
            return Errc::file_exists;
        case EACCES:
        case EPERM:
            return Errc::access;
        case EROFS:
            return Errc::read_only;
        case ENOSPC:
        case EFBIG:
            return Errc::no_space;
        case EDQUOT:
            return Errc::quota;
        case ENAMETOOLONG:
        case EISDIR:
        case ENOTDIR:
        case ELOOP:
            return Errc::bad_file;
        case ETXTBSY:
            return Errc::file_in_use;
        case ENOMEM:
            return Errc::memory;
        case EINVAL:
            return Errc::argument;
        default:
            return Errc::io;
    }
}

std::string_view describe(Errc code) noexcept {
    switch (code) {
        case Errc::success:
            return "success";
        case Errc::argument:
            return "invalid argument";
        case Errc::count:
            return "invalid count";
        case Errc::type:
            return "invalid datatype";
        case Errc::buffer:
            return "invalid buffer";
        case Errc::info:
            return "invalid info";
        case Errc::access:
            return "permission denied";
        case Errc::amode:
            return "invalid access mode";
        case Errc::bad_file:
            return "invalid file name";
        case Errc::file_exists:
            return "file exists";
        case Errc::file_in_use:
            return "file in use";
        case Errc::no_space:
            return "no space left";
        case Errc::no_such_file:
            return "no such file";
        case Errc::not_same:
            return "arguments differ between ranks";
        case Errc::quota:
            return "quota exceeded";
        case Errc::read_only:
            return "read-only file or file system";
        case Errc::io:
            return "I/O error";
        case Errc::unsupported_datarep:
            return "unsupported data representation";
        case Errc::unsupported_operation:
            return "unsupported operation";
        case Errc::duplicate_datarep:
            return "data representation already registered";
        case Errc::conversion:
            return "data conversion failed";
        case Errc::file_handle:
            return "invalid file handle";
        case Errc::memory:
            return "out of memory";
        case Errc::communication:
            return "communication failed";
        case Errc::internal:
            return "internal error";
    }
    return "unknown error";
}

namespace {

std::string sentence(std::string_view operation, std::string_view path, std::int64_t offset,
                     int rank, std::string_view cause) {
    std::string text;
    if (!operation.empty()) {
        text.append(operation).append(": ");
    }
    if (!path.empty()) {
        text.append("'").append(path).append("': ");
    }
    if (offset != Error::no_offset) {
        text.append("at byte ").append(std::to_string(offset)).append(": ");
    }
    text.append(cause);
    if (rank != Error::no_rank) {
        text.append(" (rank ").append(std::to_string(rank)).append(")");
    }
    return text;
}

}  // namespace

Error::Error(Errc code, std::string cause, std::int64_t offset)
    : Error(code, std::move(cause), offset, {}, {}, no_rank) {}

Error::Error(Errc code, std::string cause, std::int64_t offset, std::string operation,
             std::string path, int rank)
    : std::runtime_error(sentence(operation, path, offset, rank, cause)),
      code_(code),
      offset_(offset),
      rank_(rank),
      cause_(std::move(cause)),
      operation_(std::move(operation)),
      path_(std::move(path)) {}

Error Error::in(std::string_view operation, std::string_view path, int rank) const {
    return {code_,
            cause_,
            offset_,
            operation_.empty() ? std::string(operation) : operation_,
            path_.empty() ? std::string(path) : path_,
            rank_ == no_rank ? rank : rank_};
}

void throw_errno(std::string_view system_call, std::int64_t offset) {
    const int number = errno;
    throw Error(code_of_errno(number),
                std::string(system_call) + " failed: " + std::strerror(number),
                offset);
}

}  // namespace pario::base

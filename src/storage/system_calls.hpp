/// The seam between the POSIX backend and the kernel: every call that moves bytes, changes a file
/// or waits goes through here, so that tests can make it fail.
#pragma once

#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "storage/storage.hpp"
#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>

namespace pario::storage {

/// Each function does what the system call of its name does: -1 and errno where it fails.
class SystemCalls {
  public:
    virtual ~SystemCalls() = default;

    virtual int open(const char* path, int flags, mode_t permissions) = 0;
    virtual ssize_t pread(int file, void* buffer, std::size_t bytes, off_t offset) = 0;
    virtual ssize_t pwrite(int file, const void* buffer, std::size_t bytes, off_t offset) = 0;
    virtual ssize_t preadv(int file, const iovec* pieces, int count, off_t offset) = 0;
    virtual ssize_t pwritev(int file, const iovec* pieces, int count, off_t offset) = 0;
    virtual int fsync(int file) = 0;
    virtual int ftruncate(int file, off_t bytes) = 0;
    virtual int fallocate(int file, int mode, off_t offset, off_t bytes) = 0;
    /// fcntl with an open-file-description lock command: F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW.
    virtual int lock(int file, int command, struct flock* range) = 0;
    virtual int close(int file) = 0;
};

/// Repeats a system call for as long as a signal interrupts it before it did anything.
template <typename Call>
auto uninterrupted(const Call& call) {
    auto result = call();
    while (result < 0 && errno == EINTR) {
        result = call();
    }
    return result;
}

/// Throws the Error for the `errno` of a failed system call on `path`.
[[noreturn]] void fail(std::string_view system_call,
                       const std::string& path,
                       Offset offset = base::Error::no_offset);

/// An open descriptor; closes it silently unless that was done before. Locks share it with their
/// file, so that one given back late cannot meet a number that means another file by then.
struct Descriptor {
    Descriptor(int open_number, std::shared_ptr<SystemCalls> system_calls)
        : number(open_number), calls(std::move(system_calls)) {}
    ~Descriptor() {
        if (number >= 0) {
            calls->close(number);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number;
    std::shared_ptr<SystemCalls> calls;
};

}  // namespace pario::storage

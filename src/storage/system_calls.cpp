#include "storage/system_calls.hpp"

#include <unistd.h>

namespace pario::storage {

namespace {

class RealSystemCalls final : public SystemCalls {
  public:
    int open(const char* path, int flags, mode_t permissions) override {
        return ::open(path, flags, permissions);
    }
    ssize_t pread(int file, void* buffer, std::size_t bytes, off_t offset) override {
        return ::pread(file, buffer, bytes, offset);
    }
    ssize_t pwrite(int file, const void* buffer, std::size_t bytes, off_t offset) override {
        return ::pwrite(file, buffer, bytes, offset);
    }
    ssize_t preadv(int file, const iovec* pieces, int count, off_t offset) override {
        return ::preadv(file, pieces, count, offset);
    }
    ssize_t pwritev(int file, const iovec* pieces, int count, off_t offset) override {
        return ::pwritev(file, pieces, count, offset);
    }
    int fsync(int file) override { return ::fsync(file); }
    int ftruncate(int file, off_t bytes) override { return ::ftruncate(file, bytes); }
    int fallocate(int file, int mode, off_t offset, off_t bytes) override {
        return ::fallocate(file, mode, offset, bytes);
    }
    int lock(int file, int command, struct flock* range) override {
        return ::fcntl(file, command, range);
    }
    int close(int file) override { return ::close(file); }
};

}  // namespace

void fail(std::string_view system_call, const std::string& path, Offset offset) {
    try {
        base::throw_errno(system_call, offset);
    } catch (const base::Error& error) {
        throw error.in({}, path);
    }
}

std::shared_ptr<SystemCalls> real_system_calls() {
    static const auto calls = std::make_shared<RealSystemCalls>();
    return calls;
}

}  // namespace pario::storage

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>
#include <vector>

#include "storage/fault_rules.hpp"
#include "storage/storage.hpp"
#include "storage/system_calls.hpp"

namespace pario::storage {

namespace {

int fail_with(int error_number) {
    errno = error_number;
    return -1;
}

std::size_t limited(std::size_t bytes, const Fault& fault) {
    return std::min(bytes, fault.most_bytes.value_or(std::numeric_limits<std::size_t>::max()));
}

/// The first bytes of a vectored transfer, as many as the fault lets through.
std::vector<iovec> limited(const iovec* pieces, int count, const Fault& fault) {
    std::vector<iovec> result(pieces, pieces + count);
    std::size_t left = fault.most_bytes.value_or(std::numeric_limits<std::size_t>::max());
    for (auto& piece : result) {
        piece.iov_len = std::min(piece.iov_len, left);
        left -= piece.iov_len;
    }
    return result;
}

class FaultySystemCalls final : public SystemCalls {
  public:
    FaultySystemCalls(std::vector<FaultRule> rules, std::shared_ptr<SystemCalls> kernel)
        : schedule_(std::move(rules)), kernel_(std::move(kernel)) {}

    int open(const char* path, int flags, mode_t permissions) override {
        return unless_failing(
            Operation::open, [&](const Fault&) { return kernel_->open(path, flags, permissions); });
    }
    ssize_t pread(int file, void* buffer, std::size_t bytes, off_t offset) override {
        return unless_failing(Operation::read, [&](const Fault& fault) {
            return kernel_->pread(file, buffer, limited(bytes, fault), offset);
        });
    }
    ssize_t pwrite(int file, const void* buffer, std::size_t bytes, off_t offset) override {
        return unless_failing(Operation::write, [&](const Fault& fault) {
            return kernel_->pwrite(file, buffer, limited(bytes, fault), offset);
        });
    }
    ssize_t preadv(int file, const iovec* pieces, int count, off_t offset) override {
        return unless_failing(Operation::read, [&](const Fault& fault) {
            return kernel_->preadv(file, limited(pieces, count, fault).data(), count, offset);
        });
    }
    ssize_t pwritev(int file, const iovec* pieces, int count, off_t offset) override {
        return unless_failing(Operation::write, [&](const Fault& fault) {
            return kernel_->pwritev(file, limited(pieces, count, fault).data(), count, offset);
        });
    }
    int fsync(int file) override {
        return unless_failing(Operation::sync, [&](const Fault&) { return kernel_->fsync(file); });
    }
    int ftruncate(int file, off_t bytes) override {
        return unless_failing(Operation::resize,
                              [&](const Fault&) { return kernel_->ftruncate(file, bytes); });
    }
    int fallocate(int file, int mode, off_t offset, off_t bytes) override {
        return unless_failing(Operation::resize, [&](const Fault&) {
            return kernel_->fallocate(file, mode, offset, bytes);
        });
    }

    /// Only taking a lock is counted. Asking whether locks work fails where taking one always
    /// does, so that facts and locks agree; giving one back never fails, or others would hang.
    int lock(int file, int command, struct flock* range) override {
        if (command == F_OFD_GETLK) {
            const auto error_number = schedule_.always(Operation::lock);
            return error_number ? fail_with(*error_number) : kernel_->lock(file, command, range);
        }
        if (range->l_type == F_UNLCK) {
            return kernel_->lock(file, command, range);
        }
        return unless_failing(Operation::lock,
                              [&](const Fault&) { return kernel_->lock(file, command, range); });
    }

    /// As in Linux, the descriptor is gone also where closing reports an error.
    int close(int file) override {
        const auto fault = schedule_.next(Operation::close);
        const int result = kernel_->close(file);
        return fault.error_number ? fail_with(*fault.error_number) : result;
    }

  private:
    template <typename Work>
    auto unless_failing(Operation operation, const Work& work) -> decltype(work(Fault{})) {
        const auto fault = schedule_.next(operation);
        return fault.error_number ? fail_with(*fault.error_number) : work(fault);
    }

    FaultSchedule schedule_;
    std::shared_ptr<SystemCalls> kernel_;
};

}  // namespace

std::shared_ptr<SystemCalls> faulty_system_calls(const std::string& rules) {
    return std::make_shared<FaultySystemCalls>(parse_fault_rules(rules), real_system_calls());
}

}  // namespace pario::storage

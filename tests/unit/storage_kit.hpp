/// What the storage tests share: a folder of their own, bytes to write, plain looks at a file that
/// do not go through the code under test, and system calls that remember what was asked of them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/storage.hpp"
#include "storage/system_calls.hpp"
#include <unistd.h>

namespace pario::storage::test {

using Bytes = std::vector<std::byte>;

/// A folder that is there for one test; everybody may enter it.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "pario.XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) {
            throw std::runtime_error("cannot make a folder for the test");
        }
        path_ = pattern;
        std::filesystem::permissions(path_, std::filesystem::perms{0777});
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string path() const { return path_.string(); }
    std::string file(const std::string& name = "file") const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

/// `count` bytes, none of them zero, different for different seeds.
inline Bytes some_bytes(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> value(1, 255);
    Bytes bytes(count);
    for (auto& byte : bytes) {
        byte = static_cast<std::byte>(value(random));
    }
    return bytes;
}

inline Bytes contents_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return {begin, begin + text.size()};
}

inline void make_file(const std::string& path, const Bytes& contents = {}) {
    std::ofstream stream(path, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(contents.data()), std::ssize(contents));
}

/// The Error that `work` throws; nothing where it throws none.
inline std::optional<base::Error> error_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const base::Error& error) {
        return error;
    }
    return std::nullopt;
}

/// The code of that Error; success where nothing was thrown.
inline base::Errc code_of(const std::function<void()>& work) {
    const auto error = error_of(work);
    return error ? error->code() : base::Errc::success;
}

/// Remembers transfers and open flags. Pretending, it moves nothing and says that all was moved.
class RecordingSystemCalls final : public SystemCalls {
  public:
    enum class Mode { real, pretend };
    struct Transfer {
        std::string call;
        Offset offset;
        std::size_t bytes;
        int pieces;
        bool operator==(const Transfer&) const = default;
    };

    explicit RecordingSystemCalls(Mode mode = Mode::real) : mode_(mode) {}

    std::vector<Transfer> transfers;
    std::vector<int> open_flags;

    int open(const char* path, int flags, mode_t permissions) override {
        open_flags.push_back(flags);
        return kernel_->open(path, flags, permissions);
    }
    ssize_t pread(int file, void* buffer, std::size_t bytes, off_t offset) override {
        transfers.push_back({"pread", offset, bytes, 1});
        return pretend() ? ssize_t(bytes) : kernel_->pread(file, buffer, bytes, offset);
    }
    ssize_t pwrite(int file, const void* buffer, std::size_t bytes, off_t offset) override {
        transfers.push_back({"pwrite", offset, bytes, 1});
        return pretend() ? ssize_t(bytes) : kernel_->pwrite(file, buffer, bytes, offset);
    }
    ssize_t preadv(int file, const iovec* pieces, int count, off_t offset) override {
        transfers.push_back({"preadv", offset, total(pieces, count), count});
        return pretend() ? ssize_t(total(pieces, count))
                         : kernel_->preadv(file, pieces, count, offset);
    }
    ssize_t pwritev(int file, const iovec* pieces, int count, off_t offset) override {
        transfers.push_back({"pwritev", offset, total(pieces, count), count});
        return pretend() ? ssize_t(total(pieces, count))
                         : kernel_->pwritev(file, pieces, count, offset);
    }
    int fsync(int file) override { return kernel_->fsync(file); }
    int ftruncate(int file, off_t bytes) override { return kernel_->ftruncate(file, bytes); }
    int fallocate(int file, int mode, off_t offset, off_t bytes) override {
        return kernel_->fallocate(file, mode, offset, bytes);
    }
    int lock(int file, int command, struct flock* range) override {
        return kernel_->lock(file, command, range);
    }
    int close(int file) override { return kernel_->close(file); }

  private:
    bool pretend() const { return mode_ == Mode::pretend; }
    static std::size_t total(const iovec* pieces, int count) {
        std::size_t bytes = 0;
        for (int i = 0; i < count; ++i) {
            bytes += pieces[i].iov_len;
        }
        return bytes;
    }

    Mode mode_;
    std::shared_ptr<SystemCalls> kernel_ = real_system_calls();
};

}  // namespace pario::storage::test

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "storage/facts.hpp"
#include "storage/segments.hpp"
#include "storage/storage.hpp"
#include "storage/system_calls.hpp"
#include <sys/stat.h>
#include <unistd.h>

namespace pario::storage {

namespace {

enum class Direction { read, write };

struct flock lock_range(short type, Offset begin, Offset end) {
    struct flock range{};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = begin;
    range.l_len = end - begin;
    return range;
}

class PosixRangeLock final : public RangeLock {
  public:
    PosixRangeLock(std::shared_ptr<Descriptor> file, Offset begin, Offset end)
        : file_(std::move(file)), begin_(begin), end_(end) {}
    ~PosixRangeLock() override {
        auto range = lock_range(F_UNLCK, begin_, end_);
        file_->calls->lock(file_->number, F_OFD_SETLK, &range);
    }
    PosixRangeLock(const PosixRangeLock&) = delete;
    PosixRangeLock& operator=(const PosixRangeLock&) = delete;

  private:
    std::shared_ptr<Descriptor> file_;
    Offset begin_;
    Offset end_;
};

/// The pieces that are left when the first `moved` bytes are done.
std::span<iovec> advance(std::span<iovec> pieces, std::size_t moved) {
    while (!pieces.empty() && moved >= pieces.front().iov_len) {
        moved -= pieces.front().iov_len;
        pieces = pieces.subspan(1);
    }
    if (!pieces.empty()) {
        pieces.front().iov_base = static_cast<std::byte*>(pieces.front().iov_base) + moved;
        pieces.front().iov_len -= moved;
    }
    return pieces;
}

bool means_no_locks(int error_number) {
    return error_number == ENOLCK || error_number == EINVAL || error_number == EOPNOTSUPP ||
           error_number == ENOSYS;
}

/// Where opening for writing gave a descriptor that also reads (see open_posix) everything works.
/// Where it did not, no range locks are reported and none are given: without reading nobody can
/// read-modify-write, and callers that find no locks do not try.
class PosixStorage final : public Storage {
  public:
    PosixStorage(std::string path, Access access, std::shared_ptr<SystemCalls> calls)
        : path_(std::move(path)),
          access_(access),
          file_(std::make_shared<Descriptor>(-1, std::move(calls))) {}

    void open(Creation creation, mode_t permissions);

    Offset read(std::span<std::byte> buffer, Offset offset) override {
        check_range(offset, std::ssize(buffer));
        return transfer(Direction::read, {buffer.data(), buffer.size()}, offset);
    }
    void write(std::span<const std::byte> buffer, Offset offset) override {
        check_range(offset, std::ssize(buffer));
        transfer(Direction::write,
                 {const_cast<std::byte*>(buffer.data()), buffer.size()},  // iovec knows no const
                 offset);
    }
    Offset read_list(std::span<const ReadSegment> segments) override;
    void write_list(std::span<const WriteSegment> segments) override;
    Offset size() override;
    void resize(Offset bytes) override;
    void preallocate(Offset bytes) override;
    void sync() override;
    std::unique_ptr<RangeLock> lock(Offset begin, Offset end, LockMode mode) override;
    std::unique_ptr<RangeLock> try_lock(Offset begin, Offset end) override;
    const Facts& facts() const override { return facts_; }
    void close() override;

  private:
    Offset transfer(Direction direction, iovec piece, Offset offset) {
        return piece.iov_len == 0 ? 0 : transfer(direction, std::span(&piece, 1), offset);
    }
    Offset transfer(Direction direction, std::span<iovec> pieces, Offset offset);
    ssize_t move_some(Direction direction, std::span<const iovec> pieces, Offset offset);
    void open_descriptor(int flags, mode_t permissions);
    void check_permitted(Direction direction, Offset offset) const;
    std::unique_ptr<RangeLock> take_lock(Offset begin, Offset end, short type, int command);

    std::string path_;
    Access access_;
    std::shared_ptr<Descriptor> file_;
    bool readable_ = true;
    Facts facts_;
};

int creation_flags(Creation creation) {
    switch (creation) {
        case Creation::open_existing:
            return 0;
        case Creation::create_if_missing:
            return O_CREAT;
        case Creation::create_new:
            return O_CREAT | O_EXCL;
    }
    return 0;
}

void PosixStorage::open_descriptor(int flags, mode_t permissions) {
    file_->number = uninterrupted(
        [&] { return file_->calls->open(path_.c_str(), flags | O_CLOEXEC, permissions); });
}

void PosixStorage::open(Creation creation, mode_t permissions) {
    const int creating = creation_flags(creation);
    open_descriptor(creating | (access_ == Access::read_only ? O_RDONLY : O_RDWR), permissions);
    if (file_->number < 0 && errno == EACCES && access_ == Access::write_only) {
        open_descriptor(creating | O_WRONLY, permissions);
        readable_ = false;
    }
    if (file_->number < 0) {
        fail("open", path_);
    }
    struct stat status{};
    if (::fstat(file_->number, &status) != 0) {
        fail("fstat", path_);
    }
    if (S_ISDIR(status.st_mode)) {  // opening one for reading succeeds
        errno = EISDIR;
        fail("open", path_);
    }
    facts_ = facts_of(*file_, path_);
    facts_.has_range_locks = facts_.has_range_locks && readable_;
}

/// The kernel would only say "bad file descriptor".
void PosixStorage::check_permitted(Direction direction, Offset offset) const {
    if (direction == Direction::read && !readable_) {
        throw base::Error(base::Errc::access, "the file permits writing only", offset)
            .in({}, path_);
    }
    if (direction == Direction::write && access_ == Access::read_only) {
        throw base::Error(base::Errc::read_only, "the file was opened for reading only", offset)
            .in({}, path_);
    }
}

/// One system call; its return value.
ssize_t PosixStorage::move_some(Direction direction, std::span<const iovec> pieces, Offset offset) {
    auto& calls = *file_->calls;
    if (pieces.size() > 1) {
        const int count = static_cast<int>(pieces.size());  // at most IOV_MAX
        return direction == Direction::read
                   ? calls.preadv(file_->number, pieces.data(), count, offset)
                   : calls.pwritev(file_->number, pieces.data(), count, offset);
    }
    const auto& piece = pieces.front();
    const auto bytes = std::min(piece.iov_len, static_cast<std::size_t>(max_call_bytes));
    return direction == Direction::read
               ? calls.pread(file_->number, piece.iov_base, bytes, offset)
               : calls.pwrite(file_->number, piece.iov_base, bytes, offset);
}

/// Moves all pieces, however many system calls it takes; consumes `pieces`.
/// \return bytes moved; reading, less than all where the file ends
Offset PosixStorage::transfer(Direction direction, std::span<iovec> pieces, Offset offset) {
    check_permitted(direction, offset);
    const Offset begin = offset;
    while (!pieces.empty()) {
        const auto moved = uninterrupted([&] { return move_some(direction, pieces, offset); });
        if (moved < 0) {
            fail(direction == Direction::read ? "pread" : "pwrite", path_, offset);
        }
        if (moved == 0 && direction == Direction::write) {
            throw base::Error(base::Errc::io, "pwrite wrote nothing and gave no reason", offset)
                .in({}, path_);
        }
        if (moved == 0) {
            break;
        }
        offset += moved;
        pieces = advance(pieces, static_cast<std::size_t>(moved));
    }
    return offset - begin;
}

Offset PosixStorage::read_list(std::span<const ReadSegment> segments) {
    Offset total = 0;
    for_each_run(segments, [&](Run& run) {
        total += transfer(Direction::read, std::span(run.pieces), run.offset);
    });
    return total;
}

void PosixStorage::write_list(std::span<const WriteSegment> segments) {
    for_each_run(segments,
                 [&](Run& run) { transfer(Direction::write, std::span(run.pieces), run.offset); });
}

Offset PosixStorage::size() {
    struct stat status{};
    if (::fstat(file_->number, &status) != 0) {
        fail("fstat", path_);
    }
    return status.st_size;
}

void PosixStorage::resize(Offset bytes) {
    check_range(0, bytes);
    if (uninterrupted([&] { return file_->calls->ftruncate(file_->number, bytes); }) != 0) {
        fail("ftruncate", path_, bytes);
    }
}

/// Not posix_fallocate(3): where the file system cannot reserve space, glibc's writes a byte to
/// each block instead, which can destroy what another rank writes meanwhile. Here the file then
/// only grows to `bytes`, without a reservation; nobody else may be growing it at the same time.
void PosixStorage::preallocate(Offset bytes) {
    check_range(0, bytes);
    if (bytes == 0) {
        return;
    }
    if (uninterrupted([&] { return file_->calls->fallocate(file_->number, 0, 0, bytes); }) == 0) {
        return;
    }
    if (errno != EOPNOTSUPP && errno != ENOSYS) {
        fail("fallocate", path_, bytes);
    }
    if (size() < bytes) {
        resize(bytes);
    }
}

void PosixStorage::sync() {
    if (uninterrupted([&] { return file_->calls->fsync(file_->number); }) != 0) {
        fail("fsync", path_);
    }
}

/// Locks belong to the open file: two locks taken through one Storage never wait for each other,
/// and must not overlap. A file that was opened for reading only can take no exclusive lock: it
/// takes a shared one, which keeps every writer out.
std::unique_ptr<RangeLock> PosixStorage::lock(Offset begin, Offset end, LockMode mode) {
    const bool is_shared = mode == LockMode::shared || access_ == Access::read_only;
    return take_lock(begin, end, is_shared ? F_RDLCK : F_WRLCK, F_OFD_SETLKW);
}

std::unique_ptr<RangeLock> PosixStorage::try_lock(Offset begin, Offset end) {
    return access_ == Access::read_only ? nullptr : take_lock(begin, end, F_WRLCK, F_OFD_SETLK);
}

/// \param command  F_OFD_SETLKW waits, F_OFD_SETLK does not
/// \return nullptr where there are no locks, or not without waiting
std::unique_ptr<RangeLock> PosixStorage::take_lock(Offset begin, Offset end, short type,
                                                   int command) {
    check_limits(begin, end);
    if (!facts_.has_range_locks) {
        return nullptr;
    }
    if (begin == end) {
        return std::make_unique<RangeLock>();  // to the kernel, length 0 means "all that follows"
    }
    auto range = lock_range(type, begin, end);
    if (uninterrupted([&] { return file_->calls->lock(file_->number, command, &range); }) == 0) {
        return std::make_unique<PosixRangeLock>(file_, begin, end);
    }
    const bool is_taken = command == F_OFD_SETLK && (errno == EAGAIN || errno == EACCES);
    if (is_taken || means_no_locks(errno)) {
        return nullptr;
    }
    fail("fcntl of a range lock", path_, begin);
}

void PosixStorage::close() {
    const int number = std::exchange(file_->number, -1);
    // Linux has let go of the descriptor also where a signal interrupted the call.
    if (file_->calls->close(number) != 0 && errno != EINTR) {
        fail("close", path_);
    }
}

}  // namespace

std::unique_ptr<Storage> open_posix(const std::string& path,
                                    Access access,
                                    Creation creation,
                                    unsigned permissions,
                                    std::shared_ptr<SystemCalls> calls) {
    auto storage = std::make_unique<PosixStorage>(path, access, std::move(calls));
    storage->open(creation, static_cast<mode_t>(permissions));
    return storage;
}

void remove(const std::string& path) {
    if (::unlink(path.c_str()) != 0) {
        fail("unlink", path);
    }
}

}  // namespace pario::storage

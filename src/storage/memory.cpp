#include <algorithm>
#include <new>
#include <vector>

#include "storage/segments.hpp"
#include "storage/storage.hpp"

namespace pario::storage {

namespace {

/// More than any memory holds: 1 TiB. Sanitizers end the process where an allocation is absurd.
constexpr Offset most_bytes = Offset{1} << 40;

class MemoryStorage final : public Storage {
  public:
    Offset read(std::span<std::byte> buffer, Offset offset) override {
        check_range(offset, std::ssize(buffer));
        const Offset there = std::clamp<Offset>(size() - offset, 0, std::ssize(buffer));
        std::copy_n(bytes_.begin() + std::min(offset, size()), there, buffer.begin());
        return there;
    }

    void write(std::span<const std::byte> buffer, Offset offset) override {
        check_range(offset, std::ssize(buffer));
        if (buffer.empty()) {
            return;
        }
        preallocate(offset + std::ssize(buffer));
        std::ranges::copy(buffer, bytes_.begin() + offset);
    }

    Offset read_list(std::span<const ReadSegment> segments) override {
        Offset total = 0;
        for (const auto& segment : segments) {
            check_range(segment.offset, segment.length);
            total +=
                read({segment.memory, static_cast<std::size_t>(segment.length)}, segment.offset);
        }
        return total;
    }

    void write_list(std::span<const WriteSegment> segments) override {
        for (const auto& segment : segments) {
            check_range(segment.offset, segment.length);
            write({segment.memory, static_cast<std::size_t>(segment.length)}, segment.offset);
        }
    }

    Offset size() override { return std::ssize(bytes_); }

    void resize(Offset bytes) override {
        check_range(0, bytes);
        try {
            if (bytes > most_bytes) {
                throw std::bad_alloc();
            }
            bytes_.resize(static_cast<std::size_t>(bytes));
        } catch (const std::bad_alloc&) {
            throw base::Error(base::Errc::no_space,
                              "no memory for a file of " + std::to_string(bytes) + " bytes",
                              size());
        }
    }

    void preallocate(Offset bytes) override {
        check_range(0, bytes);
        resize(std::max(bytes, size()));
    }

    void sync() override {}

    /// Nobody else can have this file open, so there is nobody to wait for.
    std::unique_ptr<RangeLock> lock(Offset begin, Offset end, LockMode /*mode*/) override {
        check_limits(begin, end);
        return std::make_unique<RangeLock>();
    }

    std::unique_ptr<RangeLock> try_lock(Offset begin, Offset end) override {
        return lock(begin, end, LockMode::exclusive);
    }

    const Facts& facts() const override { return facts_; }

    void close() override { bytes_ = {}; }

  private:
    std::vector<std::byte> bytes_;
    Facts facts_{.file_system = "memory", .has_range_locks = true};
};

}  // namespace

std::unique_ptr<Storage> open_memory() {
    return std::make_unique<MemoryStorage>();
}

}  // namespace pario::storage

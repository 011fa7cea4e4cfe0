#include "engine/independent.hpp"

#include <algorithm>
#include <vector>

#include "layout/user_memory.hpp"

namespace pario::engine {

namespace {

using base::Strategy;
using base::Switch;
using layout::Layout;
using plan::Direction;
using storage::LockMode;
using storage::ReadSegment;
using storage::WriteSegment;
using trace::Path;

/// Nanoseconds, measured on a 2-core machine with the page cache; they only have to rank the ways.
namespace cost {
constexpr double system_call = 700;
constexpr double byte_read = 0.12;
constexpr double byte_written = 0.25;
constexpr double lock = 1500;
}  // namespace cost

/// Buffers for what cannot go straight between memory and file.
constexpr Offset bounce_bytes = 512 << 10;
/// Pieces handed to the storage at once.
constexpr std::size_t list_length = 1024;

/// Keeps sievers away from what is written, for as long as it lives.
class WritePass {
  public:
    WritePass(const Protection& protection, storage::Storage& storage, Offset begin, Offset end) {
        if (protection.is_atomic) {
            return;
        }
        if (protection.gate != nullptr && protection.gate->enter()) {
            gate_ = protection.gate;
        } else {
            lock_ = storage.lock(begin, end, LockMode::shared);
        }
    }
    ~WritePass() {
        if (gate_ != nullptr) {
            gate_->leave();
        }
    }
    WritePass(const WritePass&) = delete;
    WritePass& operator=(const WritePass&) = delete;

  private:
    exchange::Gate* gate_ = nullptr;  ///< entered
    std::unique_ptr<storage::RangeLock> lock_;
};

class Transfer {
  public:
    Transfer(const IndependentTask& task, const base::Hints& hints, storage::Storage& storage)
        : task_(task),
          hints_(hints),
          storage_(storage),
          part_(task.view.slice(task.begin, task.end)),
          memory_(task.memory) {}

    Path choose() const;
    Offset run(Path path);

  private:
    bool is_write() const { return task_.direction == Direction::write; }
    Offset bytes() const { return task_.end - task_.begin; }
    Offset span() const { return part_.upper() - part_.lower(); }

    void write(std::span<const std::byte> bytes, Offset offset) {
        const WritePass pass(task_.protection, storage_, offset, offset + std::ssize(bytes));
        storage_.write(bytes, offset);
    }
    bool may_sieve() const;
    bool sieving_pays() const;
    Offset move_contiguous();
    Offset move_list();
    Offset move_pieces(Offset begin, Offset end, std::byte* bytes);
    Offset move_by_sieving();
    Offset move_window(Offset begin, Offset end, std::vector<std::byte>& buffer);
    void change_window(Offset begin, Offset end, std::span<std::byte> window, Offset offset);

    const IndependentTask& task_;
    const base::Hints& hints_;
    storage::Storage& storage_;
    Layout part_;  ///< where stream bytes begin … end lie; its stream begins at 0
    layout::UserMemory memory_;
};

bool Transfer::may_sieve() const {
    return part_.is_monotone() &&
           (!is_write() || (task_.protection.may_sieve && storage_.facts().has_range_locks));
}

bool Transfer::sieving_pays() const {
    const double window_bytes = static_cast<double>(
        is_write() ? hints_.ind_wr_buffer_size : hints_.ind_rd_buffer_size);
    const double windows = 1 + static_cast<double>(span()) / window_bytes;
    const double each_byte = cost::byte_read + (is_write() ? cost::byte_written : 0);
    const double calls = is_write() ? 2 * cost::system_call + cost::lock : cost::system_call;
    const double sieve = static_cast<double>(span()) * each_byte + windows * calls;
    const double list =
        static_cast<double>(part_.num_blocks()) * cost::system_call +
        static_cast<double>(bytes()) * (is_write() ? cost::byte_written : cost::byte_read);
    return sieve < list;
}

Path Transfer::choose() const {
    if (part_.is_contiguous()) {
        return Path::direct;
    }
    const Switch asked = is_write() ? hints_.ds_write : hints_.ds_read;
    const bool refuses = asked == Switch::disable || hints_.strategy == Strategy::list ||
                         hints_.strategy == Strategy::direct;
    if (!may_sieve() || refuses) {
        return Path::list;
    }
    if (asked == Switch::enable || hints_.strategy == Strategy::sieve) {
        return Path::sieve;
    }
    return sieving_pays() ? Path::sieve : Path::list;
}

Offset Transfer::run(Path path) {
    std::unique_ptr<storage::RangeLock> lock;
    if (task_.protection.is_atomic) {
        lock = storage_.lock(part_.lower(), part_.upper());
    } else if (path == Path::sieve && is_write() && task_.protection.gate != nullptr) {
        task_.protection.gate->close();
    }
    switch (path) {
        case Path::direct:
            return move_contiguous();
        case Path::sieve:
            return move_by_sieving();
        default:
            return move_list();
    }
}

/// One contiguous part of the file: straight where the memory is contiguous too.
Offset Transfer::move_contiguous() {
    const Offset offset = part_.lower();
    if (memory_.is_contiguous()) {
        const std::span<std::byte> bytes_there = memory_.contiguous(0, bytes());
        if (is_write()) {
            write(bytes_there, offset);
            return bytes();
        }
        return storage_.read(bytes_there, offset);
    }
    std::vector<std::byte> buffer(std::min(bytes(), bounce_bytes));
    for (Offset done = 0; done < bytes();) {
        const std::span<std::byte> bounce(buffer.data(), std::min(bytes() - done, bounce_bytes));
        if (is_write()) {
            memory_.gather(done, bounce);
            write(bounce, offset + done);
            done += std::ssize(bounce);
        } else {
            const Offset got = storage_.read(bounce, offset + done);
            memory_.scatter(done, bounce.first(got));
            done += got;
            if (got < std::ssize(bounce)) {
                return done;
            }
        }
    }
    return bytes();
}

/// Stream bytes [begin, end), one system call a piece; `memory` holds them contiguously.
Offset Transfer::move_pieces(Offset begin, Offset end, std::byte* memory) {
    std::vector<ReadSegment> reads;
    std::vector<WriteSegment> writes;
    Offset moved = 0;
    const auto flush = [&] {
        if (is_write()) {
            const WritePass pass(task_.protection, storage_, part_.lower(), part_.upper());
            storage_.write_list(writes);
            for (const WriteSegment& segment : writes) {
                moved += segment.length;
            }
            writes.clear();
        } else {
            moved += storage_.read_list(reads);
            reads.clear();
        }
    };
    part_.visit_runs(begin, end, [&](const layout::Run& run, Offset stream) {
        std::byte* from = memory + (stream - begin);
        for (Offset i = 0; i < run.count; ++i, from += run.length) {
            const Offset offset = run.offset + i * run.stride;
            if (is_write()) {
                writes.push_back({offset, from, run.length});
            } else {
                reads.push_back({offset, from, run.length});
            }
            if (reads.size() + writes.size() == list_length) {
                flush();
            }
        }
    });
    flush();
    return moved;
}

Offset Transfer::move_list() {
    if (memory_.is_contiguous()) {
        return move_pieces(0, bytes(), memory_.contiguous(0, bytes()).data());
    }
    std::vector<std::byte> buffer(std::min(bytes(), bounce_bytes));
    Offset moved = 0;
    for (Offset begin = 0; begin < bytes(); begin += bounce_bytes) {
        const Offset end = std::min(bytes(), begin + bounce_bytes);
        const std::span<std::byte> bounce(buffer.data(), end - begin);
        // What lies beyond the end of the file must stay as it is in the user's memory.
        memory_.gather(begin, bounce);
        moved += move_pieces(begin, end, bounce.data());
        if (!is_write()) {
            memory_.scatter(begin, bounce);
        }
    }
    return moved;
}

Offset Transfer::move_by_sieving() {
    const Offset window_bytes =
        std::max<Offset>(1, is_write() ? hints_.ind_wr_buffer_size : hints_.ind_rd_buffer_size);
    std::vector<std::byte> buffer(std::min(window_bytes, span()));
    Offset moved = 0;
    while (moved < bytes()) {
        const Offset window = part_.offset_of(moved);
        const Offset end = part_.bytes_below(window + std::ssize(buffer));
        const Offset done = move_window(moved, end, buffer);
        moved += done;
        if (moved < end) {
            break;
        }
    }
    return moved;
}

/// Stream bytes [begin, end), which lie within one window.
/// \return bytes moved; fewer at the end of the file
Offset Transfer::move_window(Offset begin, Offset end, std::vector<std::byte>& buffer) {
    const Offset offset = part_.offset_of(begin);
    const Offset length = part_.offset_of(end - 1) + 1 - offset;
    const std::span<std::byte> window(buffer.data(), length);
    if (is_write()) {
        change_window(begin, end, window, offset);
        return end - begin;
    }
    const Offset got = storage_.read(window, offset);
    const Offset available = got < length ? part_.bytes_below(offset + got) : end;
    memory_.scatter_from(window.data(), part_.shifted(-offset), begin, std::max(begin, available));
    return std::max<Offset>(0, available - begin);
}

void Transfer::change_window(Offset begin, Offset end, std::span<std::byte> window,
                             Offset offset) {
    const bool has_holes = end - begin < std::ssize(window);
    std::unique_ptr<storage::RangeLock> lock;
    if (!task_.protection.is_atomic) {
        lock = storage_.lock(offset,
                             offset + std::ssize(window),
                             has_holes ? LockMode::exclusive : LockMode::shared);
    }
    if (has_holes) {
        const Offset got = storage_.read(window, offset);
        std::fill(window.begin() + got, window.end(), std::byte{0});
    }
    memory_.gather_to(window.data(), part_.shifted(-offset), begin, end);
    storage_.write(window, offset);
}

/// The most frequent case, without looking at more than one piece of the layout: the request lies
/// in one piece of the file and in one of memory.
bool is_one_piece(const IndependentTask& task) {
    return task.memory.is_contiguous() &&
           task.view.piece_at(task.begin).length >= task.end - task.begin;
}

Offset move_one_piece(const IndependentTask& task, storage::Storage& storage) {
    const std::span<std::byte> bytes = task.memory.contiguous(0, task.end - task.begin);
    const Offset offset = task.view.offset_of(task.begin);
    if (task.direction == Direction::read) {
        return storage.read(bytes, offset);
    }
    const WritePass pass(task.protection, storage, offset, offset + std::ssize(bytes));
    storage.write(bytes, offset);
    return std::ssize(bytes);
}

}  // namespace

Offset transfer_independently(const IndependentTask& task, const base::Hints& hints,
                              storage::Storage& storage, trace::Counters& counters) {
    if (task.begin == task.end) {
        return 0;
    }
    const trace::Span span(counters, trace::Activity::file);
    Path path = Path::direct;
    Offset moved = 0;
    if (!task.protection.is_atomic && is_one_piece(task)) {
        moved = move_one_piece(task, storage);
    } else {
        Transfer transfer(task, hints, storage);
        path = transfer.choose();
        moved = transfer.run(path);
    }
    counters.count(task.direction == Direction::write ? trace::Flow::write : trace::Flow::read,
                   path,
                   moved);
    return moved;
}

}  // namespace pario::engine

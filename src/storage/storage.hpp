/// Room `storage`: one file behind one small interface. Knows bytes, offsets and the operating
/// system; knows nothing of MPI, ranks, layouts or views.
///
/// Every backend keeps the same promises (tests/unit/storage_conformance_test.cpp runs one kit on
/// all of them): EINTR and short transfers are finished inside, a failure is a base::Error with
/// the offset at which it happened, and nothing outside the given ranges is ever touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"

namespace pario::storage {

using Offset = std::int64_t;

enum class Access { read_only, write_only, read_write };
enum class Creation { open_existing, create_if_missing, create_new };

/// One contiguous piece of a list transfer: `length` bytes between `memory` and file `offset`.
struct ReadSegment {
    Offset offset;
    std::byte* memory;
    Offset length;
};
struct WriteSegment {
    Offset offset;
    const std::byte* memory;
    Offset length;
};

/// What the file system behind a file is like.
struct Facts {
    std::string file_system;       ///< "ext4", "tmpfs", "nfs", "lustre", "unknown (0x…)"
    Offset block_bytes = 4096;     ///< preferred unit of transfer (st_blksize)
    Offset stripe_bytes = 0;       ///< 0 where files are not striped
    bool has_range_locks = false;  ///< open-file-description locks work here
};

/// Exclusive locks keep everybody else out; shared ones keep out exclusive ones only.
enum class LockMode { shared, exclusive };

/// A lock on the bytes [begin, end) of a file, held until destroyed.
class RangeLock {
  public:
    virtual ~RangeLock() = default;
};

class Storage {
  public:
    virtual ~Storage() = default;

    /// Fills `buffer` from file `offset`.
    /// \return bytes read; less than buffer.size() only where the file ends there
    virtual Offset read(std::span<std::byte> buffer, Offset offset) = 0;

    /// Writes all of `buffer` at file `offset`; the file grows where needed.
    virtual void write(std::span<const std::byte> buffer, Offset offset) = 0;

    /// Reads many pieces; ascending by offset is fastest. Pieces adjacent in the file are joined.
    /// \return bytes read; pieces beyond the end of the file are left as they are
    virtual Offset read_list(std::span<const ReadSegment> segments) = 0;

    /// Writes many pieces, in order. Pieces adjacent in the file are joined into one system call.
    virtual void write_list(std::span<const WriteSegment> segments) = 0;

    virtual Offset size() = 0;
    virtual void resize(Offset bytes) = 0;

    /// Reserves space for [0, bytes) and grows the file to at least `bytes`; contents are kept.
    /// Throws no_space where the space is not there.
    virtual void preallocate(Offset bytes) = 0;

    /// Returns when everything written is on stable storage.
    virtual void sync() = 0;

    /// Waits for and takes a lock on [begin, end); nullptr where the file system has no locks (the
    /// caller must then not read-modify-write). Whoever reads, changes and writes back takes an
    /// exclusive one, and whoever only writes a shared one, so that what is written into the holes
    /// of a window is not lost when the window is written back.
    virtual std::unique_ptr<RangeLock> lock(Offset begin, Offset end,
                                            LockMode mode = LockMode::exclusive) = 0;

    /// An exclusive lock on [begin, end) if it can be had at once; nullptr otherwise, and where the
    /// file system has no locks.
    virtual std::unique_ptr<RangeLock> try_lock(Offset begin, Offset end) = 0;

    virtual const Facts& facts() const = 0;

    /// Closes the file; may throw (a late write error). Using the object afterwards is an error;
    /// the destructor closes silently where this was not called.
    virtual void close() = 0;
};

/// The system calls that the POSIX backend makes, so that tests can make them fail. The default
/// implementation is the kernel's. Signatures and errno behave as the calls of the same name do.
class SystemCalls;

/// The kernel itself.
std::shared_ptr<SystemCalls> real_system_calls();

/// The kernel, with chosen calls failing as the rules say; for tests.
/// \param rules  ';'-separated rules, each "op:nth:what": op one of open, read, write, sync,
///               resize, lock, close, any; nth counts calls of that op from 1 ("*" = every call,
///               "3+" = from the third on); what is an errno name (EIO, ENOSPC, EINTR …) or
///               "short=K" (the call moves K bytes at the most). Where several rules match, an
///               errno goes before short. Example: "write:3:EIO;read:*:short=7"
/// read and write mean one piece and vectored calls alike, resize also fallocate, lock only taking
/// one; a close that fails has closed the file, as in Linux.
/// Throws Error(argument) naming a rule that cannot be parsed.
std::shared_ptr<SystemCalls> faulty_system_calls(const std::string& rules);

/// Opens `path` through POSIX calls (open, pread, pwrite, preadv, pwritev, fcntl locks).
///
/// A file opened write_only can also be read where the system permits it, because sieved writes
/// have to; that reading is forbidden to the user is for the caller to say. Where it does not,
/// the file has no range locks (facts, lock), so that callers do not read-modify-write. Through a
/// file opened read_only, lock() takes a shared lock: it keeps writers out, not other readers.
/// Locks belong to the open file: two of one Storage do not exclude each other, nor may they
/// overlap. preallocate() only grows the file where the file system cannot reserve space.
/// \param permissions  for a new file, before the umask; 0666 as MPI implementations do
std::unique_ptr<Storage> open_posix(const std::string& path,
                                    Access access,
                                    Creation creation,
                                    unsigned permissions = 0666,
                                    std::shared_ptr<SystemCalls> calls = real_system_calls());

/// A file that lives in this process's memory only; for tests and as the simplest example.
std::unique_ptr<Storage> open_memory();

/// Removes the file; Error(no_such_file) where there is none.
void remove(const std::string& path);

/// The facts of the file system that holds `path` (a file or an existing directory).
Facts probe(const std::string& path);

}  // namespace pario::storage

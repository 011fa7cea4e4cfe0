#include "mpiio/transfer.hpp"

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpiio/guard.hpp"

namespace pario::mpiio {

namespace {

using base::Errc;
using base::Error;

void check_permission(const Routine& routine, const OpenFile& file) {
    if (routine.direction == Direction::write) {
        file.require_writable();
    } else if (!file.is_readable()) {
        throw Error(Errc::access, "the file is open for writing only");
    }
    file.require_random_access();
}

/// The user's memory as a layout.
layout::Layout checked_memory(const Buffer& buffer) {
    if (buffer.count < 0) {
        throw Error(Errc::count, "count " + std::to_string(buffer.count) + " is negative");
    }
    layout::Layout memory = mpi::memory_layout(mpi::layout_of(buffer.type), buffer.count);
    // MPI_BOTTOM is a null pointer as well; its datatypes hold addresses, which are never 0.
    if (buffer.address == nullptr && !memory.is_empty() && memory.lower() == 0) {
        throw Error(Errc::buffer, "the buffer is a null pointer");
    }
    return memory;
}

void check_range(Offset begin, Offset bytes, const engine::File& file) {
    Offset end = 0;
    if (bytes > 0 && (__builtin_add_overflow(begin, bytes, &end) || end > file.view().size())) {
        throw Error(Errc::argument, "the request ends beyond the end of the view");
    }
}

/// One transfer, with its arguments checked.
struct Request {
    layout::Layout memory;
    Offset begin = 0;  ///< in bytes of the stream
};

Request checked_request(const Routine& routine,
                        OpenFile& file,
                        Offset offset,
                        const Buffer& buffer) {
    check_permission(routine, file);
    Request request{checked_memory(buffer)};
    const Offset etype_size = file.etype_size();
    if (request.memory.size() % etype_size != 0) {
        throw Error(Errc::io,
                    "the request of " + std::to_string(request.memory.size()) +
                        " bytes is not a multiple of the etype's " + std::to_string(etype_size));
    }
    if (routine.positioning == Positioning::explicit_offset) {
        if (offset < 0) {
            throw Error(Errc::argument, "offset " + std::to_string(offset) + " is negative");
        }
        request.begin = bytes_of_etypes(offset, etype_size);
    } else {
        request.begin = file.position();
    }
    check_range(request.begin, request.memory.size(), file.engine());
    return request;
}

/// The individual pointer during a transfer: it moves on at once, so that other threads go on
/// behind this transfer, and back again where less was moved.
class PointerMove {
  public:
    PointerMove(OpenFile& file, Offset bytes)
        : file_(file), begin_(file.advance(bytes)), end_(begin_ + bytes) {}
    ~PointerMove() { file_.step_back(end_, reached_); }
    PointerMove(const PointerMove&) = delete;
    PointerMove& operator=(const PointerMove&) = delete;

    Offset begin() const { return begin_; }
    /// Whole etypes: one that the end of the file cuts off was seen as well.
    void reach(Offset bytes) {
        const Offset etype_size = file_.etype_size();
        reached_ = begin_ + etypes_of_bytes(bytes, etype_size) * etype_size;
    }

  private:
    OpenFile& file_;
    Offset begin_;
    Offset end_;
    Offset reached_ = begin_;
};

Offset move_bytes(const engine::Call& call,
                  const Routine& routine,
                  OpenFile& file,
                  const Request& request,
                  void* address) {
    const engine::Memory memory{static_cast<std::byte*>(address), request.memory};
    const auto at = [&](Offset begin) {
        return file.engine().transfer(call, routine.direction, routine.coordination, begin, memory);
    };
    if (routine.positioning == Positioning::explicit_offset || call.refused) {
        return at(request.begin);
    }
    PointerMove pointer(file, request.memory.size());
    const Offset moved = at(pointer.begin());
    pointer.reach(moved);
    return moved;
}

void set_status(MPI_Status* status, Offset bytes) {
    if (status != MPI_STATUS_IGNORE) {
        mpi::check(MPI_Status_set_elements_x(status, MPI_BYTE, bytes), "MPI_Status_set_elements_x");
        mpi::check(MPI_Status_set_cancelled(status, 0), "MPI_Status_set_cancelled");
    }
}

}  // namespace

int transfer(const Routine& routine,
             MPI_File handle,
             Offset offset,
             const Buffer& buffer,
             MPI_Status* status) {
    return guarded(routine.name, handle, [&](OpenFile& file) {
        Request request;
        const engine::Call call = collective_call(
            routine.name, [&] { request = checked_request(routine, file, offset, buffer); });
        if (call.refused && routine.coordination == Coordination::independent) {
            throw *call.refused;
        }
        set_status(status, move_bytes(call, routine, file, request, buffer.address));
    });
}

}  // namespace pario::mpiio

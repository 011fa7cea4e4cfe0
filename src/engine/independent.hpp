/// Independent transfers: one rank, on its own. Three ways (paper 001, section 13.4.1; paper 003):
///
///   direct  one contiguous part of the file
///   list    each piece by itself; right where pieces are large or far apart
///   sieve   a bounded buffer takes whole windows of the file, and the holes in them are read and
///           thrown away; for writing the window is read, changed and written under a range lock.
///           Right where pieces are small and close together
///
/// The choice follows from the density of the layout; hints force it.
#pragma once

#include <memory>

#include "base/hints.hpp"
#include "exchange/gate.hpp"
#include "layout/user_memory.hpp"
#include "plan/plan.hpp"
#include "storage/storage.hpp"
#include "trace/statistics.hpp"

namespace pario::engine {

using layout::Offset;

/// How a write is kept apart from those who sieve the same file.
struct Protection {
    bool is_atomic = false;  ///< MPI's atomic mode: the whole range is locked for the transfer
    bool may_sieve = false;  ///< this handle holds the file's sieving right (see File::Impl)
    /// Where it is known that only ranks of this node sieve this file; else writes take a lock.
    exchange::Gate* gate = nullptr;
};

struct IndependentTask {
    plan::Direction direction;
    const layout::Layout& view;
    Offset begin;  ///< stream bytes [begin, end) of the view
    Offset end;
    layout::UserMemory memory;  ///< end - begin bytes
    Protection protection;
};

/// \return bytes moved; reading, less where the file ends
Offset transfer_independently(const IndependentTask& task, const base::Hints& hints,
                              storage::Storage& storage, trace::Counters& counters);

}  // namespace pario::engine

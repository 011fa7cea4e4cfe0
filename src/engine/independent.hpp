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
#include "layout/user_memory.hpp"
#include "plan/plan.hpp"
#include "storage/storage.hpp"
#include "trace/statistics.hpp"

namespace pario::engine {

using layout::Offset;

enum class Locking {
    where_needed,  ///< for what is read, changed and written
    whole,         ///< the whole range, for as long as the transfer takes: MPI's atomic mode
};

struct IndependentTask {
    plan::Direction direction;
    const layout::Layout& view;
    Offset begin;  ///< stream bytes [begin, end) of the view
    Offset end;
    layout::UserMemory memory;  ///< end - begin bytes
    Locking locking = Locking::where_needed;
};

/// \return bytes moved; reading, less where the file ends
Offset transfer_independently(const IndependentTask& task, const base::Hints& hints,
                              storage::Storage& storage, trace::Counters& counters);

}  // namespace pario::engine

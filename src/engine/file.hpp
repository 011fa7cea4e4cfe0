/// Room `engine`: an open file and its transfers, independent (direct, list, sieve) and
/// collective (plan, exchange, storage). Faces call it; it knows nothing of MPI_File handles,
/// datatypes, file pointers or Python.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/hints.hpp"
#include "layout/user_memory.hpp"
#include "plan/plan.hpp"
#include "storage/storage.hpp"

namespace pario::engine {

using layout::Offset;

using plan::Direction;
enum class Coordination { independent, collective };

/// A call as a face makes it. Faces check their own arguments first; where a check fails in a
/// collective call, the rank still has to take part, or the others would wait for it for ever: it
/// hands the failure over in `refused`, and every rank of the file throws it.
struct Call {
    std::string_view name;  ///< "MPI_File_write_at_all"; the text of errors begins with it
    std::optional<base::Error> refused = std::nullopt;
};

struct OpenOptions {
    storage::Access access = storage::Access::read_write;
    storage::Creation creation = storage::Creation::open_existing;
    bool delete_on_close = false;
    bool truncate = false;
    base::HintMap hints;
};

/// The user's memory: the layout is the whole request (datatype and count applied), offset 0 at
/// the base address. Read transfers write to it.
using Memory = layout::UserMemory;

/// A file that all ranks of a communicator have open. "Collective" functions are called by all of
/// them, in the same order; they begin with one agreement and all throw the same error or none.
/// Ranks that call different collective functions, or with different arguments where these must
/// agree, all get Error(not_same).
class File {
  public:
    /// Collective. `comm` is duplicated. Throws no_such_file, access, file_exists, … on all ranks.
    static std::unique_ptr<File> open(const Call& call, MPI_Comm comm, const std::string& path,
                                      const OpenOptions& options);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    /// Collective: closes, deletes where asked at open, prints explain. The object is unusable
    /// afterwards, also when this throws.
    void close(const Call& call);

    Offset size(const Call& call);                      ///< not collective
    void resize(const Call& call, Offset bytes);        ///< collective, `bytes` must agree
    void preallocate(const Call& call, Offset bytes);   ///< collective, `bytes` must agree
    void sync(const Call& call);                        ///< collective

    /// Collective. Sets where this rank's stream lives in the file; the engine keeps a copy.
    /// \param view  usually Layout::tiled(filetype, extent).shifted(displacement)
    /// \param must_agree  a number that has to be the same on all ranks (etype extent); else not_same
    void set_view(const Call& call, layout::Layout view, const base::HintMap& hints,
                  std::uint64_t must_agree);
    const layout::Layout& view() const;

    /// Collective; `on` must agree. In atomic mode conflicting accesses are serialised.
    void set_atomicity(const Call& call, bool on);
    bool atomicity() const;

    /// Collective where `call` comes from a collective function (info set): updates hints.
    void set_hints(const Call& call, const base::HintMap& hints);
    base::HintMap effective_hints() const;

    /// Moves memory.layout.size() bytes between memory and this rank's stream, which begins at
    /// byte `stream_begin` of the view.
    /// \return bytes moved; reading, less where the file ends
    Offset transfer(const Call& call, Direction direction, Coordination coordination,
                    Offset stream_begin, Memory memory);

    MPI_Comm comm() const;  ///< the duplicate; for MPI_File_get_group
    const std::string& path() const;
    storage::Access access() const;

    struct Impl;  ///< for the sources of this room

  private:
    explicit File(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Removes the file at `path`; not collective.
void remove(const Call& call, const std::string& path);

}  // namespace pario::engine

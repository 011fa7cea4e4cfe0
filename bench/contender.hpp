/// Who is measured: Pario, the MPI's own MPI-IO, and block I/O.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "file_api.hpp"
#include "request.hpp"

namespace pario::bench {

enum class Direction { write, read };

/// One way to move a request between memory and a file. All calls are collective.
class Contender {
  public:
    Contender() = default;
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;
    virtual ~Contender() = default;

    /// "pario", "native" or "block".
    virtual std::string name() const = 0;
    /// The part of the file that this rank moves when it is asked for `request`.
    virtual Pieces pieces(const Request& request) const = 0;
    /// Distance of the words in memory.
    virtual std::int64_t memory_stride(const Request& request) const = 0;

    /// Opens the file, which is made when missing, and sets the view that `level` needs.
    virtual void open(const std::string& path, const Request& request, Level level) = 0;
    /// The timed part.
    virtual void transfer(Direction direction,
                          const Request& request,
                          Level level,
                          Memory& memory) = 0;
    virtual void close() = 0;
};

/// Each rank moves one contiguous block of its own with pwrite and pread, whatever the request's
/// pieces: the limit of paper 004.
std::unique_ptr<Contender> make_block(const Team& team);

/// Moves requests by the functions of one MPI-IO.
std::unique_ptr<Contender> make_mpi(const std::string& name, const FileApi& api);

}  // namespace pario::bench

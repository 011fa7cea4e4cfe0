/// The aggregator's messages with the ranks that do not share its staging.
#pragma once

#include <array>
#include <vector>

#include "exchange/rounds_context.hpp"

namespace pario::exchange {

/// A message under way, and its bytes.
struct Message {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> bytes;
    Part part;
    int rank = 0;
};

/// Messages go in lanes, one for each chunk in flight. Ranks without a share in a chunk send and
/// receive nothing; both sides know that from the views.
class RemoteShares {
  public:
    explicit RemoteShares(Context& context);

    /// Opens the lane for `chunk`; writing, gets ready to receive what the others have for it.
    /// The lane must have ended.
    void open(plan::Chunk chunk, int lane);

    bool has_any(int lane) const { return !lanes_[lane].empty(); }
    bool have_ended(int lane);

    /// Writing, all messages having ended: puts what was received into the chunk.
    void scatter(plan::Chunk chunk, std::byte* bytes, int lane);

    /// Reading: sends the others what they have in the first `valid` bytes of the chunk; where
    /// the file ends earlier, a shorter message.
    void send(plan::Chunk chunk, const std::byte* bytes, Offset valid, int lane);

  private:
    layout::Layout view_of(const Message& message, plan::Chunk chunk) const;

    Context& context_;
    std::vector<int> ranks_;
    std::array<std::vector<Message>, plan::chunks_in_flight> lanes_;
};

}  // namespace pario::exchange

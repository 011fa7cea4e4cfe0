#include "engine/agreement.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace pario::engine {

namespace {

using base::Errc;
using base::Error;

/// An error as it travels from the rank that had it to all others.
struct Failure {
    Errc code;
    std::int64_t offset;
    std::array<char, 1000> cause;
};

Error tell_all(exchange::Team& team, int failed_rank, const std::optional<Error>& own) {
    Failure failure{};
    if (team.rank() == failed_rank) {
        failure.code = own->code();
        failure.offset = own->offset();
        const std::size_t length = std::min(own->cause().size(), failure.cause.size() - 1);
        std::memcpy(failure.cause.data(), own->cause().data(), length);
    }
    team.comm().broadcast(std::as_writable_bytes(std::span(&failure, 1)), failed_rank);
    return {failure.code, failure.cause.data(), failure.offset};
}

std::string_view name(Step step) {
    switch (step) {
        case Step::open:
            return "opening it";
        case Step::close:
            return "closing it";
        case Step::resize:
            return "setting its size";
        case Step::preallocate:
            return "preallocating it";
        case Step::sync:
            return "syncing it";
        case Step::set_view:
            return "setting a view";
        case Step::set_atomicity:
            return "setting atomicity";
        case Step::set_hints:
            return "setting info";
        case Step::write:
            return "writing collectively";
        case Step::read:
            return "reading collectively";
        case Step::done:
            return "ending a collective call";
    }
    return "?";
}

/// Why the proposals cannot go together, if so.
std::optional<Error> disagreement(std::span<const Proposal> all) {
    const Proposal& first = all.front();
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        if (all[rank].step != first.step) {
            return Error(Errc::not_same,
                         "ranks are in different collective calls: rank 0 is " +
                             std::string(name(first.step)) + ", rank " + std::to_string(rank) +
                             " is " + std::string(name(all[rank].step)));
        }
        if (all[rank].must_agree != first.must_agree) {
            return Error(Errc::not_same,
                         "an argument must be the same on all ranks: it is " +
                             std::to_string(first.must_agree) + " on rank 0 and " +
                             std::to_string(all[rank].must_agree) + " on rank " +
                             std::to_string(rank));
        }
    }
    return std::nullopt;
}

}  // namespace

std::span<const Proposal> agree(exchange::Team& team, std::string_view call,
                                const std::string& path, Proposal mine,
                                const std::optional<Error>& failure) {
    mine.failure = failure ? failure->code() : Errc::success;
    const std::span<const Proposal> all = team.agree(mine);
    const auto failed = std::find_if(all.begin(), all.end(), [](const Proposal& proposal) {
        return proposal.failure != Errc::success;
    });
    if (failed != all.end()) {
        const int rank = static_cast<int>(failed - all.begin());
        throw tell_all(team, rank, failure).in(call, path, rank);
    }
    if (const auto error = disagreement(all)) {
        throw error->in(call, path);
    }
    return all;
}

}  // namespace pario::engine

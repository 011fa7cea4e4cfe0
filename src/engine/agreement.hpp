/// How the ranks of a file come to one mind. Every collective call begins with one agreement and,
/// where something can still fail, ends with one: all ranks go on, or all throw the same error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "exchange/team.hpp"
#include "plan/plan.hpp"

namespace pario::engine {

/// Which collective call a rank is in.
enum class Step : std::int32_t {
    open = 1,
    close,
    resize,
    preallocate,
    sync,
    set_view,
    set_atomicity,
    set_hints,
    write,
    read,
    done,  ///< the end of any of them
};

/// What a rank brings to an agreement.
struct alignas(256) Proposal {
    Step step = Step::done;
    base::Errc failure = base::Errc::success;  ///< this rank cannot go on
    std::int64_t must_agree = 0;               ///< differs between ranks: Error(not_same)
    plan::Access access{};                     ///< transfers
    std::int64_t end_of_file = 0;              ///< end of a read
    std::int64_t hint_bytes = 0;               ///< hints that this rank gives, as text
    bool can_modify = true;  ///< read-modify-write is possible on this rank
    bool explains = false;   ///< PARIO_EXPLAIN is set
};
static_assert(sizeof(Proposal) == exchange::Team::record_bytes);

/// Collective. Exchanges proposals; throws the same error on all ranks where one has failed, or
/// where they are in different steps or disagree.
/// \param failure  of this rank; its code goes into the proposal
/// \return the proposals in order of rank, valid until the next agreement
std::span<const Proposal> agree(exchange::Team& team, std::string_view call,
                                const std::string& path, Proposal mine,
                                const std::optional<base::Error>& failure);

}  // namespace pario::engine

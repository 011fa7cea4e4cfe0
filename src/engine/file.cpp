#include "engine/file.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "engine/file_impl.hpp"

namespace pario::engine {

namespace {

using base::Errc;
using base::Error;

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

/// PARIO_FAULT makes chosen system calls fail, for tests: "rules", or "rank=1;rules" for one rank.
std::shared_ptr<storage::SystemCalls> system_calls(int rank) {
    const char* variable = std::getenv("PARIO_FAULT");
    if (variable == nullptr || *variable == '\0') {
        return storage::real_system_calls();
    }
    std::string rules = variable;
    if (rules.starts_with("rank=")) {
        const auto end = rules.find(';');
        if (std::atoi(rules.c_str() + 5) != rank || end == std::string::npos) {
            return storage::real_system_calls();
        }
        rules.erase(0, end + 1);
    }
    return storage::faulty_system_calls(rules);
}

std::unique_ptr<storage::Storage> open_storage(const File::Impl& file,
                                               storage::Creation creation) {
    return storage::open_posix(file.path,
                               file.options.access,
                               creation,
                               0666,
                               system_calls(file.team->rank()));
}

/// Every byte once, as it lies: the view of a file that was just opened.
layout::Layout whole_file() { return layout::Layout::tiled(layout::Layout::block(1), 1); }

std::string to_text(const base::HintMap& hints) {
    std::string text;
    for (const auto& [key, value] : hints) {
        text.append(key).push_back('\0');
        text.append(value).push_back('\0');
    }
    return text;
}

base::HintMap from_text(const std::string& text) {
    base::HintMap hints;
    for (std::size_t start = 0; start < text.size();) {
        const std::string key = text.c_str() + start;
        start += key.size() + 1;
        const std::string value = text.c_str() + start;
        start += value.size() + 1;
        hints[key] = value;
    }
    return hints;
}

/// Hints that ranks give in different ways would make them plan differently: rank 0's count.
/// \param bytes  of rank 0's hints as text, agreed on
void take_hints(File::Impl& file, const base::HintMap& given, std::int64_t bytes) {
    if (bytes > 0) {
        std::string text = to_text(given);
        text.resize(bytes);
        file.team->comm().broadcast(std::as_writable_bytes(std::span(text)), 0);
        file.hints.update(from_text(text));
        file.plan_cache = {};
    }
}

/// Beyond what any file can hold, and still within what can be locked.
constexpr Offset sieving_right_byte = std::numeric_limits<Offset>::max() - 1;

/// Rank 0 creates the file before the others open it, so that exclusive creation works and no
/// rank looks for a file that is not there yet.
void open_on_all_ranks(const Call& call, File::Impl& file) {
    const bool is_first = file.team->rank() == 0;
    auto failure = call.refused;
    base::HintMap hints = file.options.hints;
    if (is_first && !failure) {
        failure = outcome_of([&] { hints.merge(base::hints_from_environment()); });
    }
    Proposal mine{.step = Step::open,
                  .must_agree = static_cast<std::int64_t>(file.options.access) * 16 +
                                static_cast<std::int64_t>(file.options.creation) * 4 +
                                file.options.delete_on_close * 2 + file.options.truncate,
                  .hint_bytes = std::ssize(to_text(hints)),
                  .explains = is_set("PARIO_EXPLAIN")};
    if (file.team->leads_node()) {
        file.team->gate().open();
    }
    if (is_first && !failure) {
        failure = outcome_of([&] {
            file.storage = open_storage(file, file.options.creation);
            if (file.options.truncate) {
                file.storage->resize(0);
            }
            file.sieving_right =
                file.storage->try_lock(sieving_right_byte, sieving_right_byte + 1);
        });
        mine.can_modify = file.sieving_right != nullptr;
    }
    const Proposal first = file.agree(call, mine, failure).front();
    file.holds_sieving_right = first.can_modify;
    file.explains = first.explains;
    take_hints(file, hints, first.hint_bytes);
    if (file.team->size() == 1) {
        return;
    }
    failure = is_first ? std::nullopt : outcome_of([&] {
        file.storage = open_storage(file, storage::Creation::open_existing);
    });
    file.agree(call, {}, failure);
}

std::string machine_of(const File::Impl& file) {
    return std::to_string(file.team->size()) + " ranks on " +
           std::to_string(file.team->num_nodes()) + " nodes, " +
           file.storage->facts().file_system;
}

/// Collective: prints what happened on rank 0.
void explain(const File::Impl& file) {
    const auto blobs =
        file.team->comm().gather_blobs(std::as_bytes(std::span(&file.counters, 1)));
    if (file.team->rank() != 0) {
        return;
    }
    std::vector<trace::Counters> ranks(blobs.size());
    for (std::size_t rank = 0; rank < blobs.size(); ++rank) {
        std::memcpy(&ranks[rank], blobs[rank].data(), sizeof(trace::Counters));
    }
    const std::string text = trace::explain({.path = file.path,
                                             .machine = machine_of(file),
                                             .ranks = ranks,
                                             .reasons = file.reasons,
                                             .hints = file.hints.effective(),
                                             .rejected_hints = file.hints.rejected});
    std::fputs(text.c_str(), stderr);
}

}  // namespace

File::File(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
File::~File() = default;

std::unique_ptr<File> File::open(const Call& call, MPI_Comm comm, const std::string& path,
                                 const OpenOptions& options) {
    auto impl = std::make_unique<Impl>();
    impl->team = exchange::Team::acquire(comm);
    impl->path = path;
    impl->options = options;
    impl->points = layout::CoveragePoints::from_seed(0x9e3779b97f4a7c15);
    impl->view = whole_file();
    try {
        open_on_all_ranks(call, *impl);
    } catch (const Error&) {
        exchange::Team::release(std::move(impl->team));
        throw;
    }
    return std::unique_ptr<File>(new File(std::move(impl)));
}

void File::close(const Call& call) {
    Impl& file = *impl_;
    file.agree(call, {.step = Step::close});
    if (file.explains) {
        explain(file);
    }
    file.sieving_right.reset();
    auto failure = outcome_of([&] { file.storage->close(); });
    file.agree(call, {}, failure);
    if (file.options.delete_on_close) {
        failure = file.team->rank() == 0 ? outcome_of([&] { storage::remove(file.path); })
                                         : std::nullopt;
        file.agree(call, {}, failure);
    }
    exchange::Team::release(std::move(file.team));
}

Offset File::size(const Call& call) {
    try {
        return impl_->storage->size();
    } catch (const Error& error) {
        throw error.in(call.name, impl_->path, impl_->team->rank());
    }
}

namespace {

/// A change to the whole file that one rank makes for all.
template <typename Change>
void change_by_first(File::Impl& file, const Call& call, Step step, Offset bytes,
                     Change&& change) {
    file.agree(call, {.step = step, .must_agree = bytes});
    const auto failure = file.team->rank() == 0 ? outcome_of(change) : std::nullopt;
    file.agree(call, {}, failure);
}

}  // namespace

void File::resize(const Call& call, Offset bytes) {
    change_by_first(*impl_, call, Step::resize, bytes, [&] { impl_->storage->resize(bytes); });
}

void File::preallocate(const Call& call, Offset bytes) {
    change_by_first(
        *impl_, call, Step::preallocate, bytes, [&] { impl_->storage->preallocate(bytes); });
}

/// What ranks of a node have written lies in one page cache: one of them syncs for all.
void File::sync(const Call& call) {
    Impl& file = *impl_;
    file.agree(call, {.step = Step::sync});
    const auto failure =
        file.team->leads_node() ? outcome_of([&] { file.storage->sync(); }) : std::nullopt;
    file.agree(call, {}, failure);
}

void File::set_view(const Call& call, layout::Layout view, const base::HintMap& hints,
                    std::uint64_t must_agree) {
    Impl& file = *impl_;
    const std::int64_t hint_bytes =
        file.agree(call,
                   {.step = Step::set_view,
                    .must_agree = static_cast<std::int64_t>(must_agree),
                    .hint_bytes = std::ssize(to_text(hints))})
            .front()
            .hint_bytes;
    take_hints(file, hints, hint_bytes);
    file.view = std::move(view);
    file.access_cache = {};
    file.views.reset();
    file.plan_cache = {};
}

const layout::Layout& File::view() const { return impl_->view; }

void File::set_atomicity(const Call& call, bool on) {
    impl_->agree(call, {.step = Step::set_atomicity, .must_agree = on});
    impl_->is_atomic = on;
    impl_->plan_cache = {};
}

bool File::atomicity() const { return impl_->is_atomic; }

void File::set_hints(const Call& call, const base::HintMap& hints) {
    const std::int64_t hint_bytes =
        impl_->agree(call,
                     {.step = Step::set_hints, .hint_bytes = std::ssize(to_text(hints))})
            .front()
            .hint_bytes;
    take_hints(*impl_, hints, hint_bytes);
}

base::HintMap File::effective_hints() const { return impl_->hints.effective(); }

Offset File::transfer(const Call& call, Direction direction, Coordination coordination,
                      Offset stream_begin, Memory memory) {
    if (coordination == Coordination::collective) {
        return impl_->transfer_together(call, direction, stream_begin, memory);
    }
    try {
        if (call.refused) {
            throw Error(*call.refused);
        }
        return impl_->transfer_alone(direction, stream_begin, memory);
    } catch (const Error& error) {
        throw error.in(call.name, impl_->path, impl_->team->rank());
    }
}

MPI_Comm File::comm() const { return impl_->team->comm().handle(); }
const std::string& File::path() const { return impl_->path; }
storage::Access File::access() const { return impl_->options.access; }

void remove(const Call& call, const std::string& path) {
    try {
        storage::remove(path);
    } catch (const Error& error) {
        throw error.in(call.name, path);
    }
}

}  // namespace pario::engine

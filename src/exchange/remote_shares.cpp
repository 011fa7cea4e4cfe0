#include "exchange/remote_shares.hpp"

namespace pario::exchange {

RemoteShares::RemoteShares(Context& context) : context_(context) {
    for (int rank = 0; rank < std::ssize(context.task.all); ++rank) {
        if (!context.is_local(rank)) {
            ranks_.push_back(rank);
        }
    }
}

void RemoteShares::open(plan::Chunk chunk, int lane) {
    std::vector<Message>& messages = lanes_[lane];
    messages.clear();
    for (const int rank : ranks_) {
        const Part part = part_within(context_.task.all[rank], chunk.begin, chunk.end);
        if (!part.is_empty()) {
            messages.push_back({.bytes = {}, .part = part, .rank = rank});
        }
    }
    if (!context_.is_write()) {
        return;
    }
    for (Message& message : messages) {
        message.bytes.resize(message.part.bytes());
        message.request = context_.team.comm().receive(message.bytes, message.rank);
    }
}

bool RemoteShares::have_ended(int lane) {
    bool ended = true;
    for (Message& message : lanes_[lane]) {
        ended = mpi::Comm::done(message.request) && ended;
    }
    return ended;
}

layout::Layout RemoteShares::view_of(const Message& message, plan::Chunk chunk) const {
    return context_.task.all[message.rank].view.shifted(-chunk.begin);
}

void RemoteShares::scatter(plan::Chunk chunk, std::byte* bytes, int lane) {
    for (const Message& message : lanes_[lane]) {
        layout::unpack(message.bytes.data(),
                       bytes,
                       view_of(message, chunk),
                       message.part.begin,
                       message.part.end);
    }
}

void RemoteShares::send(plan::Chunk chunk, const std::byte* bytes, Offset valid, int lane) {
    const Offset end = chunk.begin + std::max<Offset>(valid, 0);
    for (Message& message : lanes_[lane]) {
        const Part there = part_within(context_.task.all[message.rank], chunk.begin, end);
        if (!there.is_empty()) {
            message.bytes.resize(there.bytes());
            layout::pack(
                bytes, view_of(message, chunk), there.begin, there.end, message.bytes.data());
        }
        message.request = context_.team.comm().send(message.bytes, message.rank);
    }
}

}  // namespace pario::exchange

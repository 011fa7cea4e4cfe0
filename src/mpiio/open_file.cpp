#include "mpiio/open_file.hpp"

#include <utility>

#include "base/error.hpp"

namespace pario::mpiio {

using base::Errc;
using base::Error;

OpenFile::OpenFile(std::unique_ptr<engine::File> file,
                   std::string path,
                   int amode,
                   ErrorHandler handler,
                   Offset position)
    : engine_(std::move(file)),
      path_(std::move(path)),
      amode_(amode),
      handler_(std::move(handler)),
      position_(position) {}

MPI_Comm OpenFile::comm() const {
    return engine_ ? engine_->comm() : MPI_COMM_WORLD;
}

ErrorHandler OpenFile::handler() const {
    const std::lock_guard lock(mutex_);
    return handler_;
}

void OpenFile::set_handler(ErrorHandler handler) {
    const std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
}

void OpenFile::require_random_access() const {
    if ((amode_ & MPI_MODE_SEQUENTIAL) != 0) {
        throw Error(Errc::unsupported_operation,
                    "not allowed in a file opened with MPI_MODE_SEQUENTIAL");
    }
}

void OpenFile::require_writable() const {
    if (!is_writable()) {
        throw Error(Errc::read_only, "the file is open for reading only");
    }
}

void OpenFile::set_view(View view) {
    const std::lock_guard lock(mutex_);
    view_ = std::move(view);
    position_ = 0;
}

Offset OpenFile::etype_size() const {
    return with_view([](const View& view) { return view.etype_size; });
}

Offset OpenFile::position() const {
    const std::lock_guard lock(mutex_);
    return position_;
}

void OpenFile::set_position(Offset position) {
    const std::lock_guard lock(mutex_);
    position_ = position;
}

Offset OpenFile::advance(Offset bytes) {
    const std::lock_guard lock(mutex_);
    return std::exchange(position_, position_ + bytes);
}

void OpenFile::step_back(Offset from, Offset to) {
    const std::lock_guard lock(mutex_);
    if (position_ == from) {
        position_ = to;
    }
}

Offset bytes_of_etypes(Offset count, Offset etype_size) {
    Offset bytes = 0;
    if (__builtin_mul_overflow(count, etype_size, &bytes)) {
        throw Error(Errc::argument,
                    "offset " + std::to_string(count) + " is beyond what a file can hold");
    }
    return bytes;
}

Offset etypes_of_bytes(Offset bytes, Offset etype_size) {
    return bytes / etype_size + (bytes % etype_size != 0 ? 1 : 0);
}

}  // namespace pario::mpiio

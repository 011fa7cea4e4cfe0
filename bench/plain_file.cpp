#include "plain_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "team.hpp"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pario::bench {
namespace {

/// Visits a block in parts of at most a megaword.
template <typename Visit>
void for_each_part(const Pieces& block, Visit&& visit) {
    constexpr std::int64_t part_words = std::int64_t{1} << 20;
    for (std::int64_t done = 0; done < block.length; done += part_words) {
        visit(Pieces{.begin = block.begin + done,
                     .length = std::min(part_words, block.length - done)});
    }
}

}  // namespace

PlainFile::PlainFile(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) {
        fail_with_errno("open");
    }
}

PlainFile::~PlainFile() {
    if (::close(descriptor_) != 0) {
        fail_with_errno("close");
    }
}

void PlainFile::write(std::int64_t first, const std::uint32_t* words, std::int64_t count) {
    const auto* bytes = reinterpret_cast<const char*>(words);
    const std::int64_t num_bytes = count * word_bytes;
    for (std::int64_t done = 0; done < num_bytes;) {
        const ssize_t moved = ::pwrite(descriptor_,
                                       bytes + done,
                                       static_cast<std::size_t>(num_bytes - done),
                                       first * word_bytes + done);
        if (moved < 0 && errno != EINTR) {
            fail_with_errno("pwrite");
        }
        done += std::max<ssize_t>(moved, 0);
    }
}

void PlainFile::read(std::int64_t first, std::uint32_t* words, std::int64_t count) {
    auto* bytes = reinterpret_cast<char*>(words);
    const std::int64_t num_bytes = count * word_bytes;
    for (std::int64_t done = 0; done < num_bytes;) {
        const ssize_t moved = ::pread(descriptor_,
                                      bytes + done,
                                      static_cast<std::size_t>(num_bytes - done),
                                      first * word_bytes + done);
        if (moved == 0) {
            fail("pread " + path_ + ": the file is shorter than it must be");
        }
        if (moved < 0 && errno != EINTR) {
            fail_with_errno("pread");
        }
        done += std::max<ssize_t>(moved, 0);
    }
}

std::int64_t PlainFile::size_bytes() const {
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0) {
        fail_with_errno("fstat");
    }
    return status.st_size;
}

void PlainFile::sync() {
    if (::fsync(descriptor_) != 0) {
        fail_with_errno("fsync");
    }
}

void PlainFile::fail_with_errno(const char* call) const {
    fail(std::string(call) + " " + path_ + ": " + std::strerror(errno));
}

bool holds(PlainFile& file, const Pieces& block) {
    bool good = true;
    for_each_part(block, [&](const Pieces& part) {
        Memory memory(part.length, 1);
        file.read(part.begin, memory.data(), part.length);
        good = good && memory.holds(part);
    });
    return good;
}

void fill(PlainFile& file, const Pieces& block, Filling filling) {
    for_each_part(block, [&](const Pieces& part) {
        Memory memory(part.length, 1);
        if (filling == Filling::content) {
            memory.fill(part);
        } else {
            std::fill_n(memory.data(), part.length, 0U);
        }
        file.write(part.begin, memory.data(), part.length);
    });
}

}  // namespace pario::bench

#include "exchange/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <utility>

#include "base/error.hpp"

namespace pario::exchange {

namespace {

using base::Errc;
using base::Error;

class Descriptor {
  public:
    explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
    ~Descriptor() { ::close(descriptor_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return descriptor_; }

  private:
    int descriptor_;
};

std::byte* map(std::size_t bytes, int flags, int descriptor) {
    void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
    if (address == MAP_FAILED) {
        base::throw_errno("mmap of " + std::to_string(bytes) + " bytes of shared memory");
    }
    return static_cast<std::byte*>(address);
}

int open_object(const std::string& name, int flags) {
    const int descriptor = ::shm_open(name.c_str(), flags, 0600);
    if (descriptor < 0) {
        base::throw_errno("shm_open of " + name);
    }
    return descriptor;
}

}  // namespace

SharedMemory::~SharedMemory() {
    if (data_ != nullptr) {
        ::munmap(data_, size_);
    }
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

std::string SharedMemory::fresh_name() {
    static std::atomic<unsigned> count{0};
    std::random_device random;
    return "/pario-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + "-" +
           std::to_string(random());
}

SharedMemory SharedMemory::create(const std::string& name, std::size_t bytes) {
    const Descriptor object(open_object(name, O_CREAT | O_EXCL | O_RDWR));
    const int failure = ::posix_fallocate(object.get(), 0, static_cast<off_t>(bytes));
    if (failure != 0) {
        forget(name);
        throw Error(Errc::memory,
                    "no room for " + std::to_string(bytes) +
                        " bytes of shared memory in /dev/shm: make it larger");
    }
    return {map(bytes, MAP_SHARED, object.get()), bytes};
}

SharedMemory SharedMemory::attach(const std::string& name, std::size_t bytes) {
    const Descriptor object(open_object(name, O_RDWR));
    return {map(bytes, MAP_SHARED, object.get()), bytes};
}

SharedMemory SharedMemory::anonymous(std::size_t bytes) {
    return {map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1), bytes};
}

void SharedMemory::forget(const std::string& name) { ::shm_unlink(name.c_str()); }

}  // namespace pario::exchange

/// Memory that the ranks of a node share. It has a name only while it is being set up, so nothing
/// is left behind by a killed program.
#pragma once

#include <cstddef>
#include <string>

namespace pario::exchange {

class SharedMemory {
  public:
    SharedMemory() = default;
    ~SharedMemory();
    SharedMemory(SharedMemory&& other) noexcept;
    SharedMemory& operator=(SharedMemory&& other) noexcept;
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    /// A name that no other memory on this machine has.
    static std::string fresh_name();

    /// Makes `bytes` of zeroed memory under `name` and reserves them, so that touching them later
    /// cannot fail. Throws Error(memory) where there is not enough.
    static SharedMemory create(const std::string& name, std::size_t bytes);

    /// Maps what another rank has created.
    static SharedMemory attach(const std::string& name, std::size_t bytes);

    /// Zeroed memory of this process alone, for ranks that share with nobody.
    static SharedMemory anonymous(std::size_t bytes);

    /// The memory stays; the name goes.
    static void forget(const std::string& name);

    std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }

  private:
    SharedMemory(std::byte* data, std::size_t size) : data_(data), size_(size) {}

    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace pario::exchange

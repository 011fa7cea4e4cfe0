#include "mpiio/handles.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "mpiio/open_file.hpp"

namespace pario::mpiio {

// Fortran error handlers read the INTEGER handle at the address of an MPI_File.
static_assert(std::endian::native == std::endian::little);

namespace {

constexpr int max_number = std::numeric_limits<int>::max();

/// Never destroyed: files may be used while static objects die.
struct Table {
    std::mutex mutex;
    std::unordered_map<int, std::shared_ptr<OpenFile>> files;
    int last = 0;
};

Table& table() {
    static Table& all = *new Table;
    return all;
}

}  // namespace

MPI_File enlist(std::shared_ptr<OpenFile> file) {
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    do {
        all.last = all.last == max_number ? 1 : all.last + 1;
    } while (all.files.contains(all.last));
    all.files.emplace(all.last, std::move(file));
    return handle_of(all.last);
}

std::shared_ptr<OpenFile> find(MPI_File handle) {
    const int number = number_of(handle);
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    const auto found = all.files.find(number);
    return found != all.files.end() ? found->second : nullptr;
}

void delist(MPI_File handle) {
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    all.files.erase(number_of(handle));
}

bool any_open() {
    Table& all = table();
    const std::lock_guard lock(all.mutex);
    return !all.files.empty();
}

int number_of(MPI_File handle) {
    if (handle == MPI_FILE_NULL) {
        return 0;
    }
    const auto bits = reinterpret_cast<std::uintptr_t>(handle);
    return bits > 0 && bits <= static_cast<std::uintptr_t>(max_number) ? static_cast<int>(bits)
                                                                       : -1;
}

MPI_File handle_of(int number) {
    if (number <= 0) {
        return MPI_FILE_NULL;
    }
    return reinterpret_cast<MPI_File>(static_cast<std::uintptr_t>(number));
}

}  // namespace pario::mpiio

#include "file_api.hpp"

#include <string>

#include "team.hpp"
#include <dlfcn.h>

namespace pario::bench {
namespace {

using NativeSymbol = void* (*)(const char*);

/// The drop-in's way past itself. Looked up at run time, so that the program also links and runs
/// with an MPI alone.
NativeSymbol native_symbol() {
    return reinterpret_cast<NativeSymbol>(dlsym(RTLD_DEFAULT, "pario_native_symbol"));
}

FileApi linked_api() {
    return {.open = &MPI_File_open,
            .close = &MPI_File_close,
            .set_view = &MPI_File_set_view,
            .read_all = &MPI_File_read_all,
            .write_all = &MPI_File_write_all,
            .read_at = &MPI_File_read_at,
            .write_at = &MPI_File_write_at,
            .read_at_all = &MPI_File_read_at_all,
            .write_at_all = &MPI_File_write_at_all};
}

/// Replaces a function of the drop-in by the MPI's own of the same name.
template <typename Function>
void replace(Function& slot, NativeSymbol find, const char* name) {
    const auto native = reinterpret_cast<Function>(find(name));
    if (native == nullptr || native == slot) {
        fail(std::string("the MPI library's own ") + name + " was not found");
    }
    slot = native;
}

}  // namespace

std::optional<FileApi> pario_api() {
    if (native_symbol() == nullptr) {
        return std::nullopt;
    }
    return linked_api();
}

FileApi native_api() {
    FileApi api = linked_api();
    if (const NativeSymbol find = native_symbol()) {
        replace(api.open, find, "MPI_File_open");
        replace(api.close, find, "MPI_File_close");
        replace(api.set_view, find, "MPI_File_set_view");
        replace(api.read_all, find, "MPI_File_read_all");
        replace(api.write_all, find, "MPI_File_write_all");
        replace(api.read_at, find, "MPI_File_read_at");
        replace(api.write_at, find, "MPI_File_write_at");
        replace(api.read_at_all, find, "MPI_File_read_at_all");
        replace(api.write_at_all, find, "MPI_File_write_at_all");
    }
    return api;
}

}  // namespace pario::bench

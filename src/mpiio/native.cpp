#include "mpiio/native.hpp"

#include <atomic>
#include <string>

#include "base/error.hpp"
#include "mpiio/export.hpp"
#include <dlfcn.h>

#include <mpi.h>

namespace pario::mpiio {

namespace {

/// The MPI library that this one was linked with. A PMPI name leads to it: profilers define MPI
/// names only. It is loaded already, and it may be loaded locally (Python does that), so that
/// dlsym(RTLD_NEXT) would find nothing.
void* open_mpi_library() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&PMPI_Get_version), &info) == 0) {
        return nullptr;
    }
    return dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
}

std::atomic<bool> is_in_use{false};

}  // namespace

bool native_is_in_use() noexcept {
    return is_in_use;
}

void* native_symbol(const char* name) noexcept {
    static void* const library = open_mpi_library();
    return library != nullptr ? dlsym(library, name) : nullptr;
}

void throw_no_native(const char* name) {
    throw base::Error(base::Errc::internal, std::string("the MPI library has no ") + name);
}

}  // namespace pario::mpiio

extern "C" PARIO_PUBLIC void* pario_native_symbol(const char* name) {
    pario::mpiio::is_in_use = true;
    return pario::mpiio::native_symbol(name);
}

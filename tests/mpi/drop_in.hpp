/// The few tests that have to know whether Pario is underneath: what they may ask it.
#pragma once

#include <dlfcn.h>

namespace mpi_test {

/// The drop-in's way to the MPI's own function of a name; nullptr where the drop-in is absent.
using NativeSymbol = void* (*)(const char*);

inline NativeSymbol native_symbol() {
    return reinterpret_cast<NativeSymbol>(dlsym(RTLD_DEFAULT, "pario_native_symbol"));
}

inline bool drop_in_present() {
    return native_symbol() != nullptr;
}

/// The MPI's own function called `name`, with the type of `same_type`.
template <typename Function>
Function* native(const char* name, Function& /*same_type*/) {
    return reinterpret_cast<Function*>(native_symbol()(name));
}

}  // namespace mpi_test

/// The MPI's own version of an MPI function: NATIVE(MPI_File_open)(comm, …).
#define NATIVE(function) (::mpi_test::native(#function, function))

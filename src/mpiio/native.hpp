/// The MPI's own MPI-IO, which the drop-in hides under the same names.
#pragma once

namespace pario::mpiio {

/// The address of `name` inside the MPI library itself; nullptr where it has no such function.
void* native_symbol(const char* name) noexcept;

/// The MPI's own function of type `Function` (decltype(MPI_File_open)) and that name. Throws
/// base::Error(internal) where the MPI has none.
template <typename Function>
Function* native(const char* name);

/// True once a program has asked for functions of the MPI's own MPI-IO (pario_native_symbol): from
/// then on handles that are not ours may be the MPI's.
bool native_is_in_use() noexcept;

[[noreturn]] void throw_no_native(const char* name);

template <typename Function>
Function* native(const char* name) {
    void* const symbol = native_symbol(name);
    if (symbol == nullptr) {
        throw_no_native(name);
    }
    return reinterpret_cast<Function*>(symbol);
}

}  // namespace pario::mpiio

/// The same for programs that compare Pario with the MPI's own MPI-IO in one process.
extern "C" void* pario_native_symbol(const char* name);

/// Room `mpiio`: the MPI_File_* functions over the engine. Knows handles, file pointers, error
/// handlers and what the MPI standard says about arguments; moves no bytes itself.
///
/// This header: how one definition becomes a public MPI function.
#pragma once

#include <mpi.h>

#define PARIO_PUBLIC __attribute__((visibility("default")))

/// Begins the definition of MPI_<name>; PMPI_<name> is the same code under a second name. Both are
/// needed: Fortran bindings and profilers call either of them, and a handle of ours must never
/// reach the MPI's own MPI-IO.
#define PARIO_MPI(result, name)                                                 \
    extern "C" PARIO_PUBLIC                                                     \
        __attribute__((alias("MPI_" #name))) decltype(PMPI_##name) PMPI_##name; \
    extern "C" PARIO_PUBLIC result MPI_##name

/// Uses the macro `define(name, Count, ...)` for a function and, where this mpi.h has them, for
/// its large-count form.
#if MPI_VERSION >= 4
#define PARIO_WITH_COUNTS(define, name, ...) \
    define(name, int, __VA_ARGS__) define(name##_c, MPI_Count, __VA_ARGS__)
#else
#define PARIO_WITH_COUNTS(define, name, ...) define(name, int, __VA_ARGS__)
#endif

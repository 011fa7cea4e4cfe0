/* Writes and reads a file through MPI-IO, and says whose MPI_File_open it calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    int rank, read = -1;
    MPI_File file;
    Dl_info where;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "outside.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, rank * (MPI_Offset)sizeof rank, &read, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    if (rank == 0 && dladdr(dlsym(RTLD_DEFAULT, "MPI_File_open"), &where) != 0) {
        printf("served by %s\n", where.dli_fname);
    }
    MPI_Finalize();
    return read != rank;
}

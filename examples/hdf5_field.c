/* A plain parallel HDF5 program: a 3-D field, dealt to the ranks in blocks, is written and read
 * back collectively. It knows nothing of Pario.
 *
 *   hdf5_field FILE [CELLS]      CELLS along each axis, 192 if not given
 *
 * Prints two lines on rank 0, "write SECONDS" and "read SECONDS", and fails if one cell that it
 * reads is not the one that it wrote.
 */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { axes = 3 };

struct block {
    hsize_t start[axes];
    hsize_t count[axes];
};

static void stop(const char* reason) {
    fprintf(stderr, "hdf5_field: %s\n", reason);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static hid_t checked(hid_t result, const char* what) {
    if (result < 0) {
        stop(what);
    }
    return result;
}

/* The part of a rank: the axes are cut as MPI_Dims_create says, the last parts may be smaller. */
static struct block block_of(int rank, int ranks, hsize_t cells) {
    int grid[axes] = {0, 0, 0};
    struct block mine;
    MPI_Dims_create(ranks, axes, grid);
    for (int axis = axes - 1; axis >= 0; axis--) {
        const hsize_t position = (hsize_t)(rank % grid[axis]);
        const hsize_t parts = (hsize_t)grid[axis];
        rank /= grid[axis];
        mine.start[axis] = cells * position / parts;
        mine.count[axis] = cells * (position + 1) / parts - mine.start[axis];
    }
    return mine;
}

static size_t cells_in(const struct block* mine) {
    return (size_t)(mine->count[0] * mine->count[1] * mine->count[2]);
}

/* The value of a cell tells where it belongs. */
static void fill(float* values, const struct block* mine, hsize_t cells) {
    for (hsize_t i = 0; i < mine->count[0]; i++) {
        for (hsize_t j = 0; j < mine->count[1]; j++) {
            for (hsize_t k = 0; k < mine->count[2]; k++) {
                const hsize_t row = (mine->start[0] + i) * cells + mine->start[1] + j;
                *values++ = (float)((row * cells + mine->start[2] + k) % 9999991);
            }
        }
    }
}

static hid_t open_file(const char* path, int create) {
    const hid_t access = checked(H5Pcreate(H5P_FILE_ACCESS), "file access properties");
    checked(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL), "MPI-IO driver");
    const hid_t file = create ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                              : H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return checked(file, "open the file");
}

static hid_t create_field(hid_t file, hsize_t cells) {
    const hsize_t shape[axes] = {cells, cells, cells};
    const hid_t space = checked(H5Screate_simple(axes, shape, NULL), "space");
    const hid_t properties = checked(H5Pcreate(H5P_DATASET_CREATE), "dataset properties");
    /* Without the time of creation two runs give the same bytes. */
    checked(H5Pset_obj_track_times(properties, 0), "no times");
    const hid_t field =
        H5Dcreate2(file, "field", H5T_IEEE_F32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Pclose(properties);
    H5Sclose(space);
    return checked(field, "create the field");
}

/* Moves this rank's block between memory and the file, all ranks together. */
static void transfer(hid_t field, const struct block* mine, float* values, int write) {
    const hid_t in_file = checked(H5Dget_space(field), "space of the field");
    const hid_t in_memory = checked(H5Screate_simple(axes, mine->count, NULL), "space in memory");
    const hid_t how = checked(H5Pcreate(H5P_DATASET_XFER), "transfer properties");
    checked(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, mine->start, NULL, mine->count, NULL), "select");
    checked(H5Pset_dxpl_mpio(how, H5FD_MPIO_COLLECTIVE), "collective transfer");
    checked(write ? H5Dwrite(field, H5T_NATIVE_FLOAT, in_memory, in_file, how, values)
                  : H5Dread(field, H5T_NATIVE_FLOAT, in_memory, in_file, how, values),
            write ? "write" : "read");
    H5Pclose(how);
    H5Sclose(in_memory);
    H5Sclose(in_file);
}

static double pass(const char* path, hsize_t cells, const struct block* mine, float* values, int write) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    const hid_t file = open_file(path, write);
    const hid_t field =
        write ? create_field(file, cells) : checked(H5Dopen2(file, "field", H5P_DEFAULT), "field");
    transfer(field, mine, values, write);
    H5Dclose(field);
    checked(H5Fclose(file), "close the file");
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - start;
}

static void compare(const float* read, const float* wanted, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (read[i] != wanted[i]) {
            stop("a cell that was read is not the one that was written");
        }
    }
}

int main(int argc, char** argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2) {
        stop("usage: hdf5_field FILE [CELLS]");
    }
    const hsize_t cells = argc > 2 ? (hsize_t)strtoull(argv[2], NULL, 10) : 192;
    const struct block mine = block_of(rank, ranks, cells);
    float* values = malloc(cells_in(&mine) * sizeof *values);
    float* read = calloc(cells_in(&mine), sizeof *read);
    if (values == NULL || read == NULL) {
        stop("out of memory");
    }
    fill(values, &mine, cells);
    const double write_s = pass(argv[1], cells, &mine, values, 1);
    const double read_s = pass(argv[1], cells, &mine, read, 0);
    compare(read, values, cells_in(&mine));
    if (rank == 0) {
        printf("write %.6f\nread %.6f\n", write_s, read_s);
    }
    free(values);
    free(read);
    MPI_Finalize();
    return 0;
}

/// MPI_File_*: files as a whole.
#include "mpi/comm.hpp"
#include "mpiio/export.hpp"
#include "mpiio/guard.hpp"
#include "mpiio/info.hpp"
#include "mpiio/open.hpp"

#include <mpi.h>

using namespace pario::mpiio;
using pario::engine::Call;
using pario::mpi::check;

namespace {

bool is_intracommunicator(MPI_Comm comm) {
    int is_inter = 1;
    return comm != MPI_COMM_NULL && MPI_Comm_test_inter(comm, &is_inter) == MPI_SUCCESS &&
           is_inter == 0;
}

/// The Call of MPI_File_set_size and MPI_File_preallocate.
Call size_call(const char* name, OpenFile& file, MPI_Offset size) {
    return collective_call(name, [&] {
        file.require_writable();
        file.require_random_access();
        require_argument(size >= 0, "the size is negative");
    });
}

}  // namespace

PARIO_MPI(int, File_open)
(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
    if (!is_usable(comm)) {
        return not_running();
    }
    if (!is_intracommunicator(comm)) {
        return report_without_file(
            MPI_ERR_COMM,
            "MPI_File_open: the communicator is null or an intercommunicator",
            MPI_COMM_WORLD);
    }
    try {
        require_argument(fh != nullptr, "null pointer");
        *fh = MPI_FILE_NULL;
        *fh = open(comm, filename, amode, info);
        return MPI_SUCCESS;
    } catch (...) {
        return report_exception("MPI_File_open", MPI_FILE_NULL, nullptr);
    }
}

PARIO_MPI(int, File_close)(MPI_File* fh) {
    const MPI_File handle = fh != nullptr ? *fh : MPI_FILE_NULL;
    return guarded("MPI_File_close", handle, [&](OpenFile& file) {
        *fh = MPI_FILE_NULL;
        close(handle, file);
    });
}

PARIO_MPI(int, File_delete)(const char* filename, MPI_Info info) {
    return guarded("MPI_File_delete", [&] { remove(filename, info); });
}

PARIO_MPI(int, File_set_size)(MPI_File fh, MPI_Offset size) {
    return guarded("MPI_File_set_size", fh, [&](OpenFile& file) {
        file.engine().resize(size_call("MPI_File_set_size", file, size), size);
    });
}

PARIO_MPI(int, File_preallocate)(MPI_File fh, MPI_Offset size) {
    return guarded("MPI_File_preallocate", fh, [&](OpenFile& file) {
        file.engine().preallocate(size_call("MPI_File_preallocate", file, size), size);
    });
}

PARIO_MPI(int, File_get_size)(MPI_File fh, MPI_Offset* size) {
    return guarded("MPI_File_get_size", fh, [&](OpenFile& file) {
        require_argument(size != nullptr, "null pointer");
        *size = file.engine().size({"MPI_File_get_size"});
    });
}

PARIO_MPI(int, File_get_group)(MPI_File fh, MPI_Group* group) {
    return guarded("MPI_File_get_group", fh, [&](OpenFile& file) {
        require_argument(group != nullptr, "null pointer");
        check(MPI_Comm_group(file.comm(), group), "MPI_Comm_group");
    });
}

PARIO_MPI(int, File_get_amode)(MPI_File fh, int* amode) {
    return guarded("MPI_File_get_amode", fh, [&](OpenFile& file) {
        require_argument(amode != nullptr, "null pointer");
        *amode = file.amode();
    });
}

PARIO_MPI(int, File_set_info)(MPI_File fh, MPI_Info info) {
    return guarded("MPI_File_set_info", fh, [&](OpenFile& file) {
        pario::base::HintMap hints;
        const Call call = collective_call("MPI_File_set_info", [&] { hints = hints_of(info); });
        file.engine().set_hints(call, hints);
    });
}

PARIO_MPI(int, File_get_info)(MPI_File fh, MPI_Info* info_used) {
    return guarded("MPI_File_get_info", fh, [&](OpenFile& file) {
        require_argument(info_used != nullptr, "null pointer");
        *info_used = info_of(file.engine().effective_hints());
    });
}

PARIO_MPI(int, File_set_atomicity)(MPI_File fh, int flag) {
    return guarded("MPI_File_set_atomicity", fh, [&](OpenFile& file) {
        file.engine().set_atomicity({"MPI_File_set_atomicity"}, flag != 0);
    });
}

PARIO_MPI(int, File_get_atomicity)(MPI_File fh, int* flag) {
    return guarded("MPI_File_get_atomicity", fh, [&](OpenFile& file) {
        require_argument(flag != nullptr, "null pointer");
        *flag = file.engine().atomicity() ? 1 : 0;
    });
}

PARIO_MPI(int, File_sync)(MPI_File fh) {
    return guarded(
        "MPI_File_sync", fh, [&](OpenFile& file) { file.engine().sync({"MPI_File_sync"}); });
}

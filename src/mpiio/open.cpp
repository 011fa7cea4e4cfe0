#include "mpiio/open.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpiio/guard.hpp"
#include "mpiio/info.hpp"

namespace pario::mpiio {

namespace {

using base::Errc;
using base::Error;

/// `filename` without the file system name that ROMIO lets programs put before it ("ufs:/data/x").
/// Other colons belong to the name.
std::string path_of(const char* filename) {
    constexpr std::array<std::string_view, 22> file_systems = {
        "ufs",   "nfs",    "xfs",     "pfs",    "sfs",    "hfs", "piofs", "pvfs",
        "pvfs2", "panfs",  "lustre",  "gpfs",   "bg",     "bgl", "daos",  "ime",
        "ftp",   "gsiftp", "quobyte", "zoidfs", "testfs", "ntfs"};
    const std::string_view name = filename;
    std::string prefix(name.substr(0, std::min(name.find(':'), name.size())));
    std::transform(prefix.begin(), prefix.end(), prefix.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    const bool known =
        prefix.size() < name.size() &&
        std::find(file_systems.begin(), file_systems.end(), prefix) != file_systems.end();
    return std::string(known ? name.substr(prefix.size() + 1) : name);
}

std::string checked_path(const char* filename) {
    require_argument(filename != nullptr, "the file name is a null pointer");
    std::string path = path_of(filename);
    if (path.empty()) {
        throw Error(Errc::bad_file, "the file name is empty");
    }
    return path;
}

void check_amode(int amode) {
    const auto has = [&](int flag) { return (amode & flag) != 0; };
    const auto require = [](bool holds, const char* cause) {
        if (!holds) {
            throw Error(Errc::amode, cause);
        }
    };
    constexpr int known = MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR | MPI_MODE_CREATE |
                          MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN |
                          MPI_MODE_SEQUENTIAL | MPI_MODE_APPEND;
    require((amode & ~known) == 0, "the access mode has bits that mean nothing");
    require(has(MPI_MODE_RDONLY) + has(MPI_MODE_WRONLY) + has(MPI_MODE_RDWR) == 1,
            "exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR is needed");
    require(!has(MPI_MODE_RDONLY) || !(has(MPI_MODE_CREATE) || has(MPI_MODE_EXCL)),
            "MPI_MODE_CREATE and MPI_MODE_EXCL are not allowed with MPI_MODE_RDONLY");
    require(!has(MPI_MODE_RDWR) || !has(MPI_MODE_SEQUENTIAL),
            "MPI_MODE_SEQUENTIAL is not allowed with MPI_MODE_RDWR");
}

/// Collective. The same on all ranks, or Error(not_same) on all of them.
void agree_on_amode(MPI_Comm comm, int amode) {
    const std::array<int, 2> mine = {amode, -amode};
    std::array<int, 2> largest{};
    mpi::check(MPI_Allreduce(mine.data(), largest.data(), 2, MPI_INT, MPI_MAX, comm),
               "MPI_Allreduce");
    if (largest[0] != -largest[1]) {
        throw Error(Errc::not_same, "the access mode is not the same on all ranks");
    }
}

engine::OpenOptions options_of(int amode) {
    engine::OpenOptions options;
    options.access = (amode & MPI_MODE_RDONLY) != 0   ? storage::Access::read_only
                     : (amode & MPI_MODE_WRONLY) != 0 ? storage::Access::write_only
                                                      : storage::Access::read_write;
    if ((amode & MPI_MODE_CREATE) != 0) {
        options.creation = (amode & MPI_MODE_EXCL) != 0 ? storage::Creation::create_new
                                                        : storage::Creation::create_if_missing;
    }
    options.delete_on_close = (amode & MPI_MODE_DELETE_ON_CLOSE) != 0;
    return options;
}

/// Collective. Where the pointers begin with MPI_MODE_APPEND: one rank looks, before any rank can
/// return from open and write.
Offset end_of_file(engine::File& file, const engine::Call& call) {
    int rank = 0;
    mpi::check(MPI_Comm_rank(file.comm(), &rank), "MPI_Comm_rank");
    Offset end = -1;
    if (rank == 0) {
        try {
            end = file.size(call);
        } catch (const Error&) {
            end = -1;
        }
    }
    mpi::check(MPI_Bcast(&end, 1, MPI_INT64_T, 0, file.comm()), "MPI_Bcast");
    if (end < 0) {
        throw Error(Errc::io, "the size of the file is unknown");
    }
    return end;
}

}  // namespace

MPI_File open(MPI_Comm comm, const char* filename, int amode, MPI_Info info) {
    std::string path;
    engine::OpenOptions options = options_of(amode);
    engine::Call call = collective_call("MPI_File_open", [&] {
        path = checked_path(filename);
        check_amode(amode);
        options.hints = hints_of(info);
    });
    try {
        agree_on_amode(comm, amode);
    } catch (const Error& error) {
        call.refused = error;
    }
    auto file = engine::File::open(call, comm, path, options);
    const Offset position = (amode & MPI_MODE_APPEND) != 0 ? end_of_file(*file, call) : 0;
    return enlist(std::make_shared<OpenFile>(
        std::move(file), std::move(path), amode, default_handler(), position));
}

void close(MPI_File handle, OpenFile& file) {
    delist(handle);
    file.release_engine()->close({"MPI_File_close"});
}

void remove(const char* filename, MPI_Info /*info*/) {
    engine::remove({"MPI_File_delete"}, checked_path(filename));
}

}  // namespace pario::mpiio

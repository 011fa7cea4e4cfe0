/// MPI_File_*: views and the individual file pointer.
#include <cstring>
#include <utility>

#include "mpi/datatype.hpp"
#include "mpiio/export.hpp"
#include "mpiio/guard.hpp"
#include "mpiio/info.hpp"
#include "mpiio/view.hpp"

#include <mpi.h>

using namespace pario::mpiio;
using pario::base::Errc;
using pario::base::Error;
using pario::engine::Call;

namespace {

/// Replaces MPI_DISPLACEMENT_CURRENT, which is for sequential files only: their shared pointer.
/// Nothing moves that pointer yet, so it is where the view begins.
Offset true_displacement(MPI_Offset displacement, const OpenFile& file) {
    if (displacement != MPI_DISPLACEMENT_CURRENT) {
        return displacement;
    }
    require_argument((file.amode() & MPI_MODE_SEQUENTIAL) != 0,
                     "MPI_DISPLACEMENT_CURRENT is for files opened with MPI_MODE_SEQUENTIAL");
    return file.with_view([](const View& view) { return view.displacement; });
}

void set_view(OpenFile& file, ViewArguments arguments, MPI_Info info) {
    pario::layout::Layout stream;
    View view;
    pario::base::HintMap hints;
    const Call call = collective_call("MPI_File_set_view", [&] {
        arguments.displacement = true_displacement(arguments.displacement, file);
        stream = checked_layout(arguments, file.is_writable());
        view = view_of(arguments);
        hints = hints_of(info);
    });
    file.engine().set_view(call, std::move(stream), hints, view.common_part());
    file.set_view(std::move(view));
}

/// The etype that follows the last byte of the file.
Offset end_in_etypes(OpenFile& file) {
    const Offset size = file.engine().size({"MPI_File_seek"});
    return etypes_of_bytes(stream_bytes_before(file.engine().view(), size), file.etype_size());
}

Offset seek_origin(OpenFile& file, int whence) {
    switch (whence) {
        case MPI_SEEK_SET:
            return 0;
        case MPI_SEEK_CUR:
            return file.position() / file.etype_size();
        case MPI_SEEK_END:
            return end_in_etypes(file);
        default:
            throw Error(Errc::argument, "whence is not MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END");
    }
}

void seek(OpenFile& file, MPI_Offset offset, int whence) {
    file.require_random_access();
    Offset target = 0;
    if (__builtin_add_overflow(seek_origin(file, whence), offset, &target)) {
        throw Error(Errc::argument, "the new position is beyond what a file can hold");
    }
    require_argument(target >= 0, "the new position is negative");
    file.set_position(bytes_of_etypes(target, file.etype_size()));
}

Offset byte_offset(OpenFile& file, MPI_Offset offset) {
    file.require_random_access();
    require_argument(offset >= 0, "the offset is negative");
    const Offset stream = bytes_of_etypes(offset, file.etype_size());
    require_argument(stream < file.engine().view().size(),
                     "the offset is beyond the end of the view");
    return file.engine().view().offset_of(stream);
}

/// MPI_File_get_type_extent(_c). Files hold types as memory does: `native` and `internal`.
template <typename Extent>
int type_extent(const char* name, MPI_File fh, MPI_Datatype type, Extent* extent) {
    return guarded(name, fh, [&](OpenFile&) {
        require_argument(extent != nullptr, "null pointer");
        *extent = pario::mpi::layout_of(type).extent;
    });
}

}  // namespace

PARIO_MPI(int, File_set_view)
(MPI_File fh,
 MPI_Offset disp,
 MPI_Datatype etype,
 MPI_Datatype filetype,
 const char* datarep,
 MPI_Info info) {
    return guarded("MPI_File_set_view", fh, [&](OpenFile& file) {
        set_view(file, {disp, etype, filetype, datarep}, info);
    });
}

PARIO_MPI(int, File_get_view)
(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep) {
    return guarded("MPI_File_get_view", fh, [&](OpenFile& file) {
        require_argument(
            disp != nullptr && etype != nullptr && filetype != nullptr && datarep != nullptr,
            "null pointer");
        file.with_view([&](const View& view) {
            *disp = view.displacement;
            *etype = view.etype.new_reference();
            *filetype = view.filetype.new_reference();
            std::memcpy(datarep, view.datarep.c_str(), view.datarep.size() + 1);
        });
    });
}

PARIO_MPI(int, File_get_byte_offset)(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
    return guarded("MPI_File_get_byte_offset", fh, [&](OpenFile& file) {
        require_argument(disp != nullptr, "null pointer");
        *disp = byte_offset(file, offset);
    });
}

PARIO_MPI(int, File_get_type_extent)(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent) {
    return type_extent("MPI_File_get_type_extent", fh, datatype, extent);
}

#if MPI_VERSION >= 4
PARIO_MPI(int, File_get_type_extent_c)(MPI_File fh, MPI_Datatype datatype, MPI_Count* extent) {
    return type_extent("MPI_File_get_type_extent_c", fh, datatype, extent);
}
#endif

PARIO_MPI(int, File_seek)(MPI_File fh, MPI_Offset offset, int whence) {
    return guarded("MPI_File_seek", fh, [&](OpenFile& file) { seek(file, offset, whence); });
}

PARIO_MPI(int, File_get_position)(MPI_File fh, MPI_Offset* offset) {
    return guarded("MPI_File_get_position", fh, [&](OpenFile& file) {
        require_argument(offset != nullptr, "null pointer");
        file.require_random_access();
        *offset = file.position() / file.etype_size();
    });
}

#include "mpiio/view.hpp"

#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "mpi/comm.hpp"
#include "mpi/datatype.hpp"
#include "mpi/datatype_contents.hpp"
#include "mpiio/guard.hpp"

namespace pario::mpiio {

namespace {

using base::Errc;
using base::Error;
using layout::Layout;
using layout::Run;

/// Types that no program can free.
bool is_predefined(MPI_Datatype type) {
    return mpi::is_predefined(mpi::combiner_of(type));
}

MPI_Datatype duplicate(MPI_Datatype type) {
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    mpi::check(MPI_Type_dup(type, &copy), "MPI_Type_dup");
    return copy;
}

void require_type(bool holds, const std::string& cause) {
    if (!holds) {
        throw Error(Errc::type, cause);
    }
}

void check_datarep(const char* datarep) {
    require_argument(datarep != nullptr, "the data representation is a null pointer");
    const std::string_view name = datarep;
    require_argument(name.size() < MPI_MAX_DATAREP_STRING,
                     "the name of the data representation is too long");
    // On one kind of machine `internal` may be whatever is fastest: it is `native`.
    if (name != "native" && name != "internal") {
        throw Error(Errc::unsupported_datarep,
                    "data representation '" + std::string(name) +
                        "' is not supported; use 'native' or 'internal'");
    }
}

/// Pieces never begin before an earlier one does.
bool is_nondecreasing(const Layout& layout) {
    bool ascending = true;
    Offset previous = layout.lower();
    layout.visit_runs(0, layout.size(), [&](const Run& run, Offset) {
        ascending = ascending && run.offset >= previous && (run.count <= 1 || run.stride >= 0);
        previous = run.offset + (run.count - 1) * run.stride;
    });
    return ascending;
}

void check_etype(const mpi::TypeLayout& etype) {
    require_type(etype.size > 0, "the etype holds no data");
    require_type(etype.layout.lower() >= 0, "the etype has a negative displacement");
}

void check_filetype(const mpi::TypeLayout& filetype, const mpi::TypeLayout& etype) {
    require_type(filetype.size % etype.size == 0,
                 "the filetype holds " + std::to_string(filetype.size) +
                     " bytes, which is not a multiple of the etype's " +
                     std::to_string(etype.size));
    require_type(filetype.layout.lower() >= 0, "the filetype has a negative displacement");
    require_type(filetype.layout.is_monotone() || is_nondecreasing(filetype.layout),
                 "the displacements of the filetype decrease");
    require_type(filetype.size == 0 || filetype.extent > 0,
                 "the extent of the filetype is not positive");
}

}  // namespace

KeptType::KeptType(MPI_Datatype type)
    : type_(is_predefined(type) ? type : duplicate(type)), owned_(type_ != type) {}

KeptType::~KeptType() {
    if (owned_ && mpi_is_running()) {
        MPI_Type_free(&type_);
    }
}

KeptType::KeptType(KeptType&& other) noexcept
    : type_(other.type_), owned_(std::exchange(other.owned_, false)) {}

KeptType& KeptType::operator=(KeptType&& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(owned_, other.owned_);
    return *this;
}

MPI_Datatype KeptType::new_reference() const {
    return owned_ ? duplicate(type_) : type_;
}

std::uint64_t View::common_part() const {
    return std::hash<std::string>{}(datarep) ^ static_cast<std::uint64_t>(etype_extent);
}

Layout checked_layout(const ViewArguments& view, bool writable) {
    require_argument(view.displacement >= 0, "the displacement of the view is negative");
    check_datarep(view.datarep);
    const mpi::TypeLayout& etype = mpi::layout_of(view.etype);
    const mpi::TypeLayout& filetype = mpi::layout_of(view.filetype);
    check_etype(etype);
    check_filetype(filetype, etype);
    if (filetype.size == 0) {
        return Layout();
    }
    require_type(!writable || filetype.layout.is_monotone(),
                 "the filetype overlaps itself, which is forbidden in a file opened for writing");
    // Shifted first: tiling then stops where 63-bit offsets do.
    return Layout::tiled(filetype.layout.shifted(view.displacement), filetype.extent);
}

View view_of(const ViewArguments& view) {
    const mpi::TypeLayout& etype = mpi::layout_of(view.etype);
    return {view.displacement,
            KeptType(view.etype),
            KeptType(view.filetype),
            view.datarep,
            etype.size,
            etype.extent};
}

Offset stream_bytes_before(const Layout& view, Offset end) {
    Offset below = 0;
    Offset beyond = view.size();
    while (below < beyond) {
        const Offset middle = below + (beyond - below) / 2;
        if (view.offset_of(middle) < end) {
            below = middle + 1;
        } else {
            beyond = middle;
        }
    }
    return below;
}

}  // namespace pario::mpiio

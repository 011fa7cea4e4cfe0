#include "mpiio/info.hpp"

#include <string>

#include "base/error.hpp"
#include "mpi/comm.hpp"

namespace pario::mpiio {

namespace {

void check_info(int return_code, const char* mpi_call) {
    if (return_code != MPI_SUCCESS) {
        throw base::Error(base::Errc::info, std::string("invalid info: ") + mpi_call + " failed");
    }
}

std::string value_of(MPI_Info info, const char* key) {
    int length = 0;
    int found = 0;
    check_info(MPI_Info_get_valuelen(info, key, &length, &found), "MPI_Info_get_valuelen");
    std::string value(static_cast<std::size_t>(length) + 1, '\0');
#if MPI_VERSION >= 4
    int buffer_length = length + 1;
    check_info(MPI_Info_get_string(info, key, &buffer_length, value.data(), &found),
               "MPI_Info_get_string");
#else
    check_info(MPI_Info_get(info, key, length, value.data(), &found), "MPI_Info_get");
#endif
    value.resize(static_cast<std::size_t>(length));
    return value;
}

}  // namespace

base::HintMap hints_of(MPI_Info info) {
    base::HintMap hints;
    if (info == MPI_INFO_NULL) {
        return hints;
    }
    int num_keys = 0;
    check_info(MPI_Info_get_nkeys(info, &num_keys), "MPI_Info_get_nkeys");
    for (int i = 0; i < num_keys; ++i) {
        char key[MPI_MAX_INFO_KEY + 1] = "";
        check_info(MPI_Info_get_nthkey(info, i, key), "MPI_Info_get_nthkey");
        hints[key] = value_of(info, key);
    }
    return hints;
}

MPI_Info info_of(const base::HintMap& hints) {
    MPI_Info info = MPI_INFO_NULL;
    mpi::check(MPI_Info_create(&info), "MPI_Info_create");
    for (const auto& [key, value] : hints) {
        mpi::check(MPI_Info_set(info, key.c_str(), value.c_str()), "MPI_Info_set");
    }
    return info;
}

}  // namespace pario::mpiio

#include "mpiio/error_code.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "mpiio/export.hpp"
#include "mpiio/native.hpp"

#include <mpi.h>

// MPICH 4.0 takes texts for new codes of predefined classes and then answers MPI_Error_string with
// unrelated ones. There the drop-in answers for its own codes itself.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 50000000
#define PARIO_ANSWERS_ERROR_STRING
#endif

namespace pario::mpiio {

namespace {

using base::Errc;

/// The codes of one class, a ring.
class Codes {
  public:
    static constexpr std::size_t capacity = 32;

    explicit Codes(int mpi_class) : class_(mpi_class) {}

    /// The plain class where MPI gives no code.
    int code_for(const std::string& text) {
        const auto known = std::find_if(
            entries_.begin(), entries_.end(), [&](const Entry& e) { return e.text == text; });
        if (known != entries_.end()) {
            return known->code;
        }
        if (entries_.size() < capacity) {
            int code = class_;
            if (MPI_Add_error_code(class_, &code) != MPI_SUCCESS) {
                return class_;
            }
            entries_.push_back({code, {}});
            return rename(entries_.back(), text);
        }
        return rename(entries_[std::exchange(next_, (next_ + 1) % capacity)], text);
    }

    std::optional<std::string> text_of(int code) const {
        const auto known = std::find_if(
            entries_.begin(), entries_.end(), [&](const Entry& e) { return e.code == code; });
        return known != entries_.end() ? std::optional(known->text) : std::nullopt;
    }

  private:
    struct Entry {
        int code;
        std::string text;
    };

    static int rename(Entry& entry, const std::string& text) {
        entry.text = text;
        MPI_Add_error_string(entry.code, text.c_str());
        return entry.code;
    }

    int class_;
    std::size_t next_ = 0;
    std::vector<Entry> entries_;
};

/// Never destroyed: MPI functions may still be called while static objects die.
struct AllCodes {
    std::mutex mutex;
    std::map<int, Codes> of_class;
};

AllCodes& all_codes() {
    static AllCodes& codes = *new AllCodes;
    return codes;
}

}  // namespace

int class_of(Errc code) noexcept {
    switch (code) {
        case Errc::success:
            return MPI_SUCCESS;
        case Errc::argument:
            return MPI_ERR_ARG;
        case Errc::count:
            return MPI_ERR_COUNT;
        case Errc::type:
            return MPI_ERR_TYPE;
        case Errc::buffer:
            return MPI_ERR_BUFFER;
        case Errc::info:
            return MPI_ERR_INFO;
        case Errc::access:
            return MPI_ERR_ACCESS;
        case Errc::amode:
            return MPI_ERR_AMODE;
        case Errc::bad_file:
            return MPI_ERR_BAD_FILE;
        case Errc::file_exists:
            return MPI_ERR_FILE_EXISTS;
        case Errc::file_in_use:
            return MPI_ERR_FILE_IN_USE;
        case Errc::no_space:
            return MPI_ERR_NO_SPACE;
        case Errc::no_such_file:
            return MPI_ERR_NO_SUCH_FILE;
        case Errc::not_same:
            return MPI_ERR_NOT_SAME;
        case Errc::quota:
            return MPI_ERR_QUOTA;
        case Errc::read_only:
            return MPI_ERR_READ_ONLY;
        case Errc::io:
            return MPI_ERR_IO;
        case Errc::unsupported_datarep:
            return MPI_ERR_UNSUPPORTED_DATAREP;
        case Errc::unsupported_operation:
            return MPI_ERR_UNSUPPORTED_OPERATION;
        case Errc::duplicate_datarep:
            return MPI_ERR_DUP_DATAREP;
        case Errc::conversion:
            return MPI_ERR_CONVERSION;
        case Errc::file_handle:
            return MPI_ERR_FILE;
        case Errc::memory:
            return MPI_ERR_NO_MEM;
        case Errc::communication:
            return MPI_ERR_OTHER;
        case Errc::internal:
            return MPI_ERR_INTERN;
    }
    return MPI_ERR_UNKNOWN;
}

int code_with_text(int mpi_class, const std::string& text) {
    AllCodes& codes = all_codes();
    const std::lock_guard lock(codes.mutex);
    return codes.of_class.try_emplace(mpi_class, mpi_class)
        .first->second.code_for(text.substr(0, MPI_MAX_ERROR_STRING - 1));
}

std::string text_of(int code) {
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return text;
}

#ifdef PARIO_ANSWERS_ERROR_STRING
namespace {

std::optional<std::string> own_text_of(int code) {
    AllCodes& codes = all_codes();
    const std::lock_guard lock(codes.mutex);
    for (const auto& [mpi_class, ring] : codes.of_class) {
        if (auto text = ring.text_of(code)) {
            return text;
        }
    }
    return std::nullopt;
}

}  // namespace
#endif

}  // namespace pario::mpiio

#ifdef PARIO_ANSWERS_ERROR_STRING
PARIO_MPI(int, Error_string)(int code, char* string, int* length) {
    if (const auto text = pario::mpiio::own_text_of(code)) {
        *length = static_cast<int>(text->size());
        std::memcpy(string, text->c_str(), text->size() + 1);
        return MPI_SUCCESS;
    }
    using pario::mpiio::native;
    return native<decltype(MPI_Error_string)>("PMPI_Error_string")(code, string, length);
}
#endif

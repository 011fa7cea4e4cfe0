/// Errors as MPI error codes: the class that the standard names, and our whole sentence as text.
#pragma once

#include <string>

#include "base/error.hpp"

namespace pario::mpiio {

/// The MPI error class of a code.
int class_of(base::Errc code) noexcept;

/// An MPI error code of class `mpi_class` for which MPI_Error_string gives `text` (shortened to
/// what MPI can hold). The same text gives the same code. Each class has a fixed number of codes:
/// when all are in use, the one that was made first gets the new text.
int code_with_text(int mpi_class, const std::string& text);

/// What MPI_Error_string says about `code`.
std::string text_of(int code);

}  // namespace pario::mpiio

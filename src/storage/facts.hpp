/// What the file system behind an open file is like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "storage/storage.hpp"
#include "storage/system_calls.hpp"

namespace pario::storage {

/// The facts of the file system that holds an open file or directory.
/// \param path  for the text of errors
Facts facts_of(const Descriptor& file, const std::string& path);

/// "ext4" for 0xEF53 (ext2 and ext3 have the same number); "unknown (0x…)" for a stranger.
std::string file_system_name(std::uint64_t magic);

/// The stripe size out of Lustre's extended attribute "lustre.lov", where it is one simple layout
/// (version 1 or 3); 0 for composite layouts, whose stripes differ along the file, and for
/// anything else.
Offset lustre_stripe_bytes(std::span<const std::byte> attribute);

}  // namespace pario::storage

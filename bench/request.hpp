/// What one rank asks of a file, in the words of this program and in those of MPI.
#pragma once

#include <array>
#include <cstdint>

#include "pattern.hpp"
#include "team.hpp"

namespace pario::bench {

/// How a program passes its pieces to MPI-IO: the request levels of paper 001, section 13.5.
enum class Level {
    piece_independent = 0,  ///< one independent, contiguous call for each piece
    piece_collective = 1,   ///< the same with collective calls
    view_independent = 2,   ///< one independent call through a file view
    view_collective = 3,    ///< one collective call through a file view
};

/// One rank's share of a transfer. All ranks have as many pieces and words.
struct Request {
    std::int64_t total_bytes;  ///< of all ranks; the file's size
    Pieces pieces;
    Datatype filetype;  ///< of 4-byte integers
    std::int64_t displacement_bytes;
    Datatype element;            ///< memory type of one word, its extent the distance to the next
    std::int64_t memory_stride;  ///< that distance in words
};

/// Block-cyclic: pieces of `grain_bytes` dealt to the ranks in turn.
/// \param bytes          wanted total, at least one turn; rounded down to whole turns
/// \param memory_stride  in words
Request cyclic_request(const Team& team,
                       std::int64_t bytes,
                       std::int64_t grain_bytes,
                       std::int64_t memory_stride);

/// A cube of 4-byte integers, or its first planes, dealt (block, block, block) to `grid`.
/// \param cube_bytes  size of the cube; rounded down to one that the grid divides
/// \param bytes       wanted total; rounded to whole planes, as many for each rank
Request cube_request(const Team& team,
                     std::int64_t cube_bytes,
                     std::int64_t bytes,
                     const std::array<int, 3>& grid);

/// The process grid of the cube, as MPI_Dims_create makes it.
std::array<int, 3> cube_grid(const Team& team);

/// Block I/O's share of a transfer of as many bytes: one contiguous block.
Pieces block_pieces(const Team& team, std::int64_t total_bytes);

}  // namespace pario::bench

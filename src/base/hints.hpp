/// The hints that the engine understands, as typed values with their defaults.
///
/// Text goes in and out under the names that users know (the MPI standard's reserved hints,
/// ROMIO's where they mean something here, `pario_*`); unknown keys are ignored, as the standard
/// asks; a known key with a value that makes no sense keeps its default and is remembered in
/// `rejected`, so that explain and doctor can say so.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pario::base {

using HintMap = std::map<std::string, std::string>;

/// "enable", "disable", "automatic": the values of ROMIO's switches.
enum class Switch { automatic, enable, disable };

/// How a collective transfer is carried out.
enum class Strategy { automatic, direct, list, sieve, two_phase, shared };

struct Hints {
    std::int64_t cb_buffer_size = 0;            ///< bytes of staging for each aggregator; 0: chosen
    std::int64_t cb_nodes = 0;                  ///< aggregators; 0: chosen
    std::int64_t ind_rd_buffer_size = 4 << 20;  ///< bytes of a sieving buffer, reading
    std::int64_t ind_wr_buffer_size = 512 << 10;  ///< bytes of a sieving buffer, writing
    std::int64_t striping_unit = 0;               ///< bytes; 0: what the file system says
    std::int64_t striping_factor = 0;             ///< kept and reported
    Switch cb_read = Switch::automatic;           ///< romio_cb_read
    Switch cb_write = Switch::automatic;          ///< romio_cb_write
    Switch ds_read = Switch::automatic;           ///< romio_ds_read
    Switch ds_write = Switch::automatic;          ///< romio_ds_write
    Strategy strategy = Strategy::automatic;      ///< pario_strategy

    /// Reserved hints of the MPI standard that steer nothing here: kept as given and reported back.
    HintMap stored;

    std::vector<std::string> rejected;  ///< "cb_nodes=minus one: not a positive number"

    /// Takes over every known key of `given`; later calls win over earlier ones.
    ///
    /// Sizes are positive decimal numbers, also with k, M or G for powers of 1024 ("4M"); counts
    /// are positive decimal numbers; words and suffixes in any case; blanks around are ignored.
    /// `collective_buffering` sets romio_cb_read and romio_cb_write ("true": enable, "false":
    /// disable); where one map holds these too, they win.
    void update(const HintMap& given);

    /// What is in force, under the users' names: what MPI_File_get_info returns. Numbers that
    /// are 0, so not chosen yet, are left out; `collective_buffering` is reported where both
    /// switches say the same.
    HintMap effective() const;
};

/// Hints from a file: a key and a value on each line, empty lines and lines that begin with '#'
/// aside (the format of ROMIO_HINTS). Throws Error(info) naming file and line.
HintMap read_hint_file(const std::string& path);

/// Hints from the files that ROMIO_HINTS and PARIO_HINTS name; where both give a key, the latter
/// counts. What a program passes in an MPI_Info counts more than either.
HintMap hints_from_environment();

}  // namespace pario::base

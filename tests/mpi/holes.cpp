/// Views with holes: a byte that no rank writes keeps its old value, or is zero in a new file, and
/// takes no space.
#include "mpi_test.hpp"

namespace mpi_test {
namespace {

constexpr unsigned char old_value = 0xEE;

enum class Coordination { collective, independent };

/// Every rank writes `num_blocks` blocks; block i of rank r begins at (i * ranks + r) * period.
struct Pattern {
    int block;
    int period;
    int num_blocks;
    int last_rank_lacks = 0;

    std::int64_t begin(int i, int whose) const {
        return std::int64_t{period} * (std::int64_t{i} * num_ranks() + whose);
    }
    int blocks_of(int whose) const {
        return num_blocks - (whose == num_ranks() - 1 ? last_rank_lacks : 0);
    }
};

Bytes overlaid(const Pattern& pattern, Bytes contents) {
    for (int whose = 0; whose < num_ranks(); ++whose) {
        for (int i = 0; i < pattern.blocks_of(whose); ++i) {
            const std::int64_t begin = pattern.begin(i, whose);
            const auto end = static_cast<std::size_t>(begin + pattern.block);
            contents.resize(std::max(contents.size(), end), 0);
            const Bytes block = values(begin, pattern.block);
            std::copy(block.begin(), block.end(), contents.begin() + begin);
        }
    }
    return contents;
}

Bytes part_of_this_rank(const Pattern& pattern) {
    Bytes part;
    for (int i = 0; i < pattern.blocks_of(rank()); ++i) {
        const Bytes block = values(pattern.begin(i, rank()), pattern.block);
        part.insert(part.end(), block.begin(), block.end());
    }
    return part;
}

void write_pattern(const std::string& path,
                   const Pattern& pattern,
                   Coordination coordination,
                   const Hints& hints) {
    const Info info(hints);
    File file(path, create_rdwr, info);
    const Datatype block = contiguous(pattern.block, MPI_BYTE);
    file.view(pattern.begin(0, rank()),
              MPI_BYTE,
              resized(block, std::int64_t{pattern.period} * num_ranks()),
              info);
    const Bytes part = part_of_this_rank(pattern);
    const int bytes = static_cast<int>(part.size());
    MPI_Status status{};
    if (coordination == Coordination::collective) {
        CHECK_MPI(MPI_File_write_all(file, part.data(), bytes, MPI_BYTE, &status));
    } else {
        CHECK_MPI(MPI_File_write(file, part.data(), bytes, MPI_BYTE, &status));
    }
    expect_bytes(status, bytes);
}

const std::vector<Hints>& ways() {
    static const std::vector<Hints> all{
        {},
        {{"romio_cb_write", "enable"}, {"cb_buffer_size", "4096"}},
        {{"romio_cb_write", "enable"}, {"cb_buffer_size", "100"}, {"cb_nodes", "1"}},
        {{"romio_cb_write", "disable"},
         {"romio_ds_write", "enable"},
         {"ind_wr_buffer_size", "512"}},
        {{"romio_ds_write", "disable"}},
        {{"pario_strategy", "shared"}, {"cb_buffer_size", "1000"}},
        {{"pario_strategy", "two_phase"}, {"cb_buffer_size", "1000"}},
        {{"pario_strategy", "list"}},
        {{"pario_strategy", "sieve"}}};
    return all;
}

void check_all_ways(const Pattern& pattern, const Bytes& old) {
    const std::string path = path_of("holes");
    const Bytes expected = overlaid(pattern, old);
    for (const Coordination coordination : {Coordination::collective, Coordination::independent}) {
        for (std::size_t way = 0; way < ways().size(); ++way) {
            SCOPED_TRACE("way " + std::to_string(way) +
                         (coordination == Coordination::collective ? " collective" : " alone"));
            if (rank() == 0) {
                std::filesystem::remove(path);
                if (!old.empty()) {
                    store(path, old);
                }
            }
            barrier();
            write_pattern(path, pattern, coordination, ways()[way]);
            expect_contents(path, expected);
        }
    }
}

/// ROMIO 5.0.2 left bytes of its own in the holes of such a file.
TEST(Holes, NewFileWithRaggedEnd) {
    check_all_ways({12, 20, 50, 3}, {});
}

TEST(Holes, NewFileWithWideHoles) {
    check_all_ways({8, 3000, 20}, {});
}

TEST(Holes, OldContentsAreKept) {
    check_all_ways({12, 20, 50, 3}, Bytes(30000, old_value));
}

TEST(Holes, OldFileEndsInTheMiddle) {
    check_all_ways({12, 20, 50}, Bytes(static_cast<std::size_t>(500 * num_ranks() + 7), old_value));
}

/// All ranks write the same bytes at the same places, which counts of bytes must not take for a
/// full cover of the range.
TEST(Holes, EqualDataFromAllRanks) {
    const std::string path = path_of("equal");
    constexpr int num_blocks = 100;
    Bytes expected(30 * num_blocks, old_value);
    Bytes part;
    for (int i = 0; i < num_blocks; ++i) {
        const Bytes block = values(30 * i, 10);
        part.insert(part.end(), block.begin(), block.end());
        std::copy(block.begin(), block.end(), expected.begin() + 30 * i);
    }
    for (std::size_t way = 0; way < ways().size(); ++way) {
        SCOPED_TRACE("way " + std::to_string(way));
        store_on_root(path, Bytes(expected.size(), old_value));
        {
            const Info info(ways()[way]);
            File file(path, MPI_MODE_WRONLY, info);
            file.view(0, MPI_BYTE, turns(10, 3), info);
            CHECK_MPI(MPI_File_write_all(
                file, part.data(), static_cast<int>(part.size()), MPI_BYTE, MPI_STATUS_IGNORE));
        }
        expect_contents(path, expected);
    }
}

/// The first and the last byte of a long range; what lies between is not touched.
TEST(Holes, OnlyTheEdges) {
    const std::string path = path_of("edges");
    constexpr int range = 1 << 20;
    store_on_root(path, Bytes(range, old_value));
    {
        File file(path, MPI_MODE_RDWR);
        const unsigned char byte = 1;
        const bool last = rank() == num_ranks() - 1;
        const int count = rank() == 0 || last ? 1 : 0;
        CHECK_MPI(MPI_File_write_at_all(
            file, last ? range - 1 : 0, &byte, count, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    Bytes expected(range, old_value);
    expected.back() = 1;
    expected.front() = num_ranks() > 1 ? 1 : old_value;
    expect_contents(path, expected);
}

/// 1000 pieces, 1 GiB apart: the file is nearly 1 TiB long and takes next to no space.
TEST(Holes, SparseFileStaysSparse) {
    const std::string path = path_of("sparse");
    constexpr int num_pieces = 1000;
    constexpr MPI_Aint stride = MPI_Aint{1} << 30;
    const MPI_Offset first = 4096 * rank();
    Bytes part;
    for (int i = 0; i < num_pieces; ++i) {
        const Bytes piece = values(first + i * stride, 8);
        part.insert(part.end(), piece.begin(), piece.end());
    }
    const int bytes = static_cast<int>(part.size());
    const Datatype block = contiguous(8, MPI_BYTE);
    const Datatype sparse = resized(block, stride);
    const Info info(Hints{{"romio_ds_write", "disable"}, {"romio_ds_read", "disable"}});
    File file(path, create_rdwr | MPI_MODE_DELETE_ON_CLOSE, info);
    file.view(first, MPI_BYTE, sparse);
    CHECK_MPI(MPI_File_write_all(file, part.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_MPI(MPI_File_sync(file));
    barrier();
    struct stat facts{};
    EXPECT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_size, (num_pieces - 1) * stride + 4096 * (num_ranks() - 1) + 8);
    EXPECT_LE(facts.st_blocks * 512, num_ranks() * num_pieces * 2 * 4096 + (16 << 20));
    Bytes again(part.size());
    MPI_Status status{};
    CHECK_MPI(MPI_File_read_at_all(file, 0, again.data(), bytes, MPI_BYTE, &status));
    expect_bytes(status, bytes);
    EXPECT_TRUE(same_bytes(again, part));
}

}  // namespace
}  // namespace mpi_test

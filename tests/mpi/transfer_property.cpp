/// Whole transfers with random views, memory datatypes, hints and calls, held against a byte list.
///
/// A failing case prints its seed. PARIO_TEST_SEED=n runs that case again; PARIO_TEST_CASES=n sets
/// how many cases there are.
#include "mpi_test.hpp"
#include "oracle.hpp"

namespace mpi_test {
namespace {

/// How a case calls the MPI; the same on all ranks.
enum class Call { write_all, write_at_all, write, write_at };

/// This rank's view: stream byte i lies at displacement + filetype.at(i).
struct View {
    std::int64_t displacement;
    TypeMap etype;
    TypeMap filetype;

    std::int64_t at(std::int64_t stream) const { return displacement + filetype.at(stream); }
};

/// What all ranks decide alike, from a random source that is the same on all of them.
struct Case {
    Call call;
    bool file_exists;
    int num_calls;
    Hints hints;
};

std::string describe(const Case& chosen) {
    static const std::array<const char*, 4> names{"_all", "_at_all", "", "_at"};
    std::string text = std::string("read/write") + names[static_cast<std::size_t>(chosen.call)] +
                       (chosen.file_exists ? ", old file" : ", new file");
    for (const auto& [key, value] : chosen.hints) {
        text += ", " + key + "=" + value;
    }
    return text;
}

Hints random_hints(TypeMaker& shared) {
    const std::vector<std::string> sizes{"64", "100", "512", "4096", "65536"};
    const std::vector<std::string> switches{"enable", "disable", "automatic"};
    const std::vector<std::string> strategies{
        "auto", "direct", "list", "sieve", "two_phase", "shared"};
    Hints hints;
    const auto maybe = [&](const char* key, const std::vector<std::string>& choices) {
        if (shared.chance(40)) {
            hints.emplace_back(key, shared.pick(choices));
        }
    };
    maybe("cb_buffer_size", sizes);
    maybe("cb_nodes", {"1", "2", "3"});
    maybe("romio_cb_write", switches);
    maybe("romio_cb_read", switches);
    maybe("romio_ds_write", switches);
    maybe("romio_ds_read", switches);
    maybe("ind_wr_buffer_size", sizes);
    maybe("ind_rd_buffer_size", sizes);
    maybe("pario_strategy", strategies);
    return hints;
}

Case random_case(TypeMaker& shared) {
    const Call call = shared.pick<Call>({Call::write_all,
                                         Call::write_all,
                                         Call::write_at_all,
                                         Call::write_at_all,
                                         Call::write,
                                         Call::write_at});
    const bool file_exists = shared.chance(50);
    const int num_calls = shared.number(1, 3);
    return {call, file_exists, num_calls, random_hints(shared)};
}

TypeMap random_etype(TypeMaker& maker) {
    return maker.nest(TypeMaker::element(maker.pick<int>({1, 2, 3, 4, 8, 13})),
                      maker.chance(25) ? 1 : 0);
}

/// The filetype moved `shift` bytes up, in a tile of `extent` bytes.
TypeMap placed(TypeMap map, std::int64_t shift, std::int64_t extent) {
    const Datatype moved = hindexed({1}, {shift}, map.type);
    for (std::int64_t& offset : map.offsets) {
        offset += shift;
    }
    return {resized(moved, extent), std::move(map.offsets), extent};
}

/// Views that never meet: each rank has its own part of a common tile. Collective.
View disjoint_view(TypeMaker& shared, TypeMaker& mine) {
    const std::int64_t displacement = shared.chance(50) ? 0 : shared.number(1, 300);
    TypeMap etype = random_etype(shared);  // MPI wants the same extent on all ranks
    TypeMap inner = mine.nest({contiguous(1, etype.type), etype.offsets, etype.extent}, 3);
    std::vector<std::int64_t> extents(static_cast<std::size_t>(num_ranks()));
    MPI_Allgather(&inner.extent, 1, MPI_INT64_T, extents.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    const auto before = std::accumulate(extents.begin(), extents.begin() + rank(), std::int64_t{0});
    const auto tile = std::accumulate(extents.begin(), extents.end(), std::int64_t{0});
    return {displacement, std::move(etype), placed(std::move(inner), before, tile)};
}

/// Views that know nothing of each other.
View overlapping_view(TypeMaker& shared, TypeMaker& mine) {
    const std::int64_t displacement = mine.number(0, 300);
    TypeMap etype = random_etype(shared);  // MPI wants the same extent on all ranks
    TypeMap inner = mine.nest({contiguous(1, etype.type), etype.offsets, etype.extent}, 3);
    return {displacement, std::move(etype), std::move(inner)};
}

/// Memory for one call: `count` copies of a random datatype made of whole etypes, and a buffer
/// whose bytes outside the datatype are known.
class Memory {
  public:
    static constexpr unsigned char untouched = 0;

    Memory(std::uint64_t seed, std::int64_t etype_bytes)
        : Memory(TypeMaker(seed, Purpose::memory), etype_bytes) {}

    Memory(TypeMaker maker, std::int64_t etype_bytes)
        : map_(maker.nest(TypeMaker::element(static_cast<int>(etype_bytes)), 2)),
          count_(maker.chance(15) ? 0 : maker.number(1, 8)) {
        std::int64_t end = 0;
        for (std::int64_t i = 0; i < bytes(); ++i) {
            end = std::max(end, map_.at(i) + 1);
        }
        buffer_.assign(static_cast<std::size_t>(end), untouched);
    }

    std::int64_t bytes() const { return count_ * map_.size(); }
    int count() const { return count_; }
    MPI_Datatype type() const { return map_.type; }
    unsigned char* data() { return buffer_.data(); }
    const Bytes& buffer() const { return buffer_; }
    std::size_t index(std::int64_t stream) const {
        return static_cast<std::size_t>(map_.at(stream));
    }
    unsigned char& at(std::int64_t stream) { return buffer_[index(stream)]; }

  private:
    TypeMap map_;
    int count_;
    Bytes buffer_;
};

MPI_Status write_call(MPI_File file, Call call, MPI_Offset at, Memory& memory) {
    MPI_Status status{};
    switch (call) {
        case Call::write_all:
            CHECK_MPI(
                MPI_File_write_all(file, memory.data(), memory.count(), memory.type(), &status));
            break;
        case Call::write_at_all:
            CHECK_MPI(MPI_File_write_at_all(
                file, at, memory.data(), memory.count(), memory.type(), &status));
            break;
        case Call::write:
            CHECK_MPI(MPI_File_write(file, memory.data(), memory.count(), memory.type(), &status));
            break;
        case Call::write_at:
            CHECK_MPI(
                MPI_File_write_at(file, at, memory.data(), memory.count(), memory.type(), &status));
            break;
    }
    return status;
}

MPI_Status read_call(MPI_File file, Call call, MPI_Offset at, Memory& memory) {
    MPI_Status status{};
    switch (call) {
        case Call::write_all:
            CHECK_MPI(
                MPI_File_read_all(file, memory.data(), memory.count(), memory.type(), &status));
            break;
        case Call::write_at_all:
            CHECK_MPI(MPI_File_read_at_all(
                file, at, memory.data(), memory.count(), memory.type(), &status));
            break;
        case Call::write:
            CHECK_MPI(MPI_File_read(file, memory.data(), memory.count(), memory.type(), &status));
            break;
        case Call::write_at:
            CHECK_MPI(
                MPI_File_read_at(file, at, memory.data(), memory.count(), memory.type(), &status));
            break;
    }
    return status;
}

bool uses_pointer(Call call) {
    return call == Call::write_all || call == Call::write;
}

/// The file as every rank's writes leave it. Each rank marks what it wrote; rank 0 puts the marks
/// together over the old contents.
class ExpectedFile {
  public:
    explicit ExpectedFile(Bytes old_contents) : contents_(std::move(old_contents)) {}

    void wrote(std::int64_t offset, std::uint64_t seed) {
        if (offset >= static_cast<std::int64_t>(contents_.size())) {
            contents_.resize(static_cast<std::size_t>(offset) + 1, 0);
        }
        contents_[static_cast<std::size_t>(offset)] = value_at(offset, seed);
        touched_.resize(contents_.size(), 0);
        touched_[static_cast<std::size_t>(offset)] = 1;
    }

    /// All ranks' writes together, on all ranks. Collective.
    void combine(std::uint64_t seed) {
        std::int64_t end = static_cast<std::int64_t>(contents_.size());
        MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        contents_.resize(static_cast<std::size_t>(end), 0);
        touched_.resize(contents_.size(), 0);
        MPI_Allreduce(MPI_IN_PLACE,
                      touched_.data(),
                      static_cast<int>(end),
                      MPI_UNSIGNED_CHAR,
                      MPI_MAX,
                      MPI_COMM_WORLD);
        for (std::size_t i = 0; i < contents_.size(); ++i) {
            if (touched_[i] != 0) {
                contents_[i] = value_at(static_cast<std::int64_t>(i), seed);
            }
        }
    }

    const Bytes& contents() const { return contents_; }

  private:
    Bytes contents_;
    Bytes touched_;
};

void write_randomly(TypeMaker& mine,
                    const Case& chosen,
                    MPI_File file,
                    const View& view,
                    std::uint64_t seed,
                    ExpectedFile& expected) {
    std::int64_t position = mine.number(0, 5) * view.etype.size();
    if (uses_pointer(chosen.call)) {
        CHECK_MPI(MPI_File_seek(file, position / view.etype.size(), MPI_SEEK_SET));
    }
    for (int call = 0; call < chosen.num_calls; ++call) {
        Memory memory(mine.next_seed(), view.etype.size());
        for (std::int64_t i = 0; i < memory.bytes(); ++i) {
            memory.at(i) = value_at(view.at(position + i), seed);
            expected.wrote(view.at(position + i), seed);
        }
        const Bytes before = memory.buffer();
        const MPI_Status status =
            write_call(file, chosen.call, position / view.etype.size(), memory);
        expect_bytes(status, static_cast<int>(memory.bytes()));
        EXPECT_TRUE(same_bytes(memory.buffer(), before)) << "a write changed its buffer";
        position += memory.bytes();
        if (uses_pointer(chosen.call)) {
            MPI_Offset pointer = -1;
            CHECK_MPI(MPI_File_get_position(file, &pointer));
            EXPECT_EQ(pointer, position / view.etype.size());
        }
    }
}

/// How many of `wanted` stream bytes from `position` on lie before the end of the file.
std::int64_t bytes_in_file(const View& view,
                           std::int64_t position,
                           std::int64_t wanted,
                           std::int64_t file_bytes) {
    std::int64_t there = 0;
    while (there < wanted && view.at(position + there) < file_bytes) {
        ++there;
    }
    return there;
}

void read_and_compare(const Case& chosen,
                      MPI_File file,
                      const View& view,
                      std::int64_t position,
                      Memory memory,
                      const Bytes& contents) {
    const std::int64_t there =
        bytes_in_file(view, position, memory.bytes(), static_cast<std::int64_t>(contents.size()));
    const MPI_Offset at = position / view.etype.size();
    if (uses_pointer(chosen.call)) {
        CHECK_MPI(MPI_File_seek(file, at, MPI_SEEK_SET));
    }
    Bytes expected = memory.buffer();
    const MPI_Status status = read_call(file, chosen.call, at, memory);
    expect_bytes(status, static_cast<int>(there));
    for (std::int64_t i = 0; i < memory.bytes(); ++i) {
        // What lies in memory for bytes past the end of the file is not promised.
        expected[memory.index(i)] = i < there
                                        ? contents[static_cast<std::size_t>(view.at(position + i))]
                                        : memory.buffer()[memory.index(i)];
    }
    EXPECT_TRUE(same_bytes(memory.buffer(), expected)) << "memory after reading";
}

void check_writes(std::uint64_t seed) {
    TypeMaker shared(seed, Purpose::view);
    TypeMaker mine(seed + 1000003 * static_cast<std::uint64_t>(rank() + 1), Purpose::view);
    const Case chosen = random_case(shared);
    SCOPED_TRACE(describe(chosen));
    const std::string path = path_of("written");
    const Bytes old = chosen.file_exists ? values(0, shared.number(1, 3000), ~seed) : Bytes{};
    if (rank() == 0) {
        std::filesystem::remove(path);
        if (chosen.file_exists) {
            store(path, old);
        }
    }
    barrier();
    const View view = disjoint_view(shared, mine);
    ExpectedFile expected(old);
    {
        const Info info(chosen.hints);
        File file(path, create_rdwr, info);
        file.view(view.displacement, view.etype.type, view.filetype.type, info);
        write_randomly(mine, chosen, file, view, seed, expected);
    }
    expected.combine(seed);
    expect_contents(path, expected.contents());
}

enum class FileEnd { beyond_views, within_views };

void check_reads(std::uint64_t seed, FileEnd file_end) {
    TypeMaker shared(seed, Purpose::view);
    TypeMaker mine(seed + 1000003 * static_cast<std::uint64_t>(rank() + 1), Purpose::view);
    const Case chosen = random_case(shared);
    SCOPED_TRACE(describe(chosen));
    const View view =
        shared.chance(50) ? overlapping_view(shared, mine) : disjoint_view(shared, mine);
    const std::int64_t position = mine.number(0, 5) * view.etype.size();
    Memory memory(mine.next_seed(), view.etype.size());
    std::int64_t end = memory.bytes() == 0 ? 1 : view.at(position + memory.bytes() - 1) + 1;
    MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (file_end == FileEnd::within_views) {
        end = end * shared.number(0, 99) / 100;
    }
    const Bytes contents = values(0, end, seed);
    const std::string path = path_of("read");
    store_on_root(path, contents);
    const Info info(chosen.hints);
    File file(path, MPI_MODE_RDONLY, info);
    file.view(view.displacement, view.etype.type, view.filetype.type, info);
    read_and_compare(chosen, file, view, position, std::move(memory), contents);
}

/// Runs cases with their own seeds up to the first that fails on any rank.
template <typename Check>
void for_all_seeds(std::uint64_t first, Check check) {
    const std::int64_t only = environment_number("PARIO_TEST_SEED", -1);
    // Ranks that outnumber the cores are slow.
    const int usual = num_ranks() <= 2 ? 120 : num_ranks() <= 4 ? 40 : 12;
    const std::int64_t num_cases = only >= 0 ? 1 : environment_number("PARIO_TEST_CASES", usual);
    for (std::int64_t i = 0; i < num_cases; ++i) {
        const std::uint64_t seed = only >= 0 ? static_cast<std::uint64_t>(only) : first + i;
        check(seed);
        if (any_rank(testing::Test::HasFailure())) {
            ADD_FAILURE() << "PARIO_TEST_SEED=" << seed << " runs this case again";
            return;
        }
    }
}

TEST(TransferProperty, WritesLeaveTheFileOfTheByteList) {
    for_all_seeds(10000, check_writes);
}

TEST(TransferProperty, ReadsFillMemoryAsTheByteList) {
    for_all_seeds(20000, [](std::uint64_t seed) { check_reads(seed, FileEnd::beyond_views); });
}

TEST(TransferProperty, ReadsPastTheEndCountTrueBytes) {
    for_all_seeds(30000, [](std::uint64_t seed) { check_reads(seed, FileEnd::within_views); });
}

}  // namespace
}  // namespace mpi_test

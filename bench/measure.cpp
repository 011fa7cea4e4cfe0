#include "measure.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "plain_file.hpp"
#include <sys/mman.h>
#include <unistd.h>

namespace pario::bench {

namespace {

/// The pages of a new file come from free memory. A virtual machine may have given memory that was
/// free for a while back to its host; touching it first keeps the way back out of the measurement.
void warm_free_memory(std::int64_t bytes) {
    const auto length = static_cast<std::size_t>(bytes);
    void* memory = ::mmap(nullptr,
                          length,
                          PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                          -1,
                          0);
    if (memory != MAP_FAILED) {
        ::munmap(memory, length);
    }
}

}  // namespace
namespace {

std::string name_of(Direction direction) {
    return direction == Direction::write ? "write" : "read";
}

}  // namespace

void measure_copying(const Team& team, const Options& options, const Report& report) {
    const Pieces block = block_pieces(team, options.bytes);
    Memory source(block.length, 1);
    Memory target(block.length, 1);
    source.fill(block);
    Measurement measurement{.bench = "limit",
                            .direction = "copy",
                            .name = "memcpy",
                            .who = "limit",
                            .bytes = block.length * word_bytes * team.size(),
                            .seconds = {}};
    report.progress("limit: memcpy");
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
        measurement.seconds.push_back(team.time([&] {
            std::memcpy(
                target.data(), source.data(), static_cast<std::size_t>(block.length * word_bytes));
        }));
    }
    if (!target.holds(block)) {
        fail("memcpy: wrong data");
    }
    report.add(measurement);
}

/// One contender in one case.
struct Measurer::Lane {
    Contender& contender;
    Request request;
    Memory memory;
    std::string path;
    std::vector<double> seconds;

    Lane(Contender& who, Request what, std::string where)
        : contender(who),
          request(std::move(what)),
          memory(request.pieces.num_words(), who.memory_stride(request)),
          path(std::move(where)) {}

    Pieces pieces() const { return contender.pieces(request); }
    bool is_first_repeat() const { return seconds.empty(); }
};

Measurer::Measurer(const Team& team,
                   const Options& options,
                   const Report& report,
                   std::vector<std::unique_ptr<Contender>> contenders)
    : team_(team),
      options_(options),
      report_(report),
      contenders_(std::move(contenders)),
      prefix_(options.directory + "/pario_bench." + std::to_string(team.run_number()) + "."),
      source_(path("source")) {}

void Measurer::run(const std::vector<Case>& cases) {
    if (cases.empty()) {
        return;
    }
    make_source(cases);
    for (const Case& one : cases) {
        run(one, Direction::write);
        run(one, Direction::read);
    }
    remove(source_);
}

void Measurer::run(const Case& one, Direction direction) {
    report_.progress(one.bench + " " + one.name + " " + name_of(direction));
    std::vector<Lane> lanes = make_lanes(one, direction);
    for (int number = 0; number < options_.repeats; ++number) {
        for (Lane& lane : lanes) {
            const bool is_too_slow =
                !lane.is_first_repeat() && lane.seconds.front() > options_.cap_s;
            if (!is_too_slow) {
                lane.seconds.push_back(repeat(lane, one, direction));
            }
        }
    }
    for (const Lane& lane : lanes) {
        report(lane, one, direction);
        if (direction == Direction::write) {
            remove(lane.path);
        }
    }
}

std::vector<Measurer::Lane> Measurer::make_lanes(const Case& one, Direction direction) {
    std::vector<Lane> lanes;
    lanes.reserve(contenders_.size());
    for (const auto& contender : contenders_) {
        const bool is_native = contender->name() == "native";
        Lane& lane =
            lanes.emplace_back(*contender,
                               one.request(is_native ? one.native_bytes : one.bytes),
                               direction == Direction::write ? path(contender->name()) : source_);
        if (direction == Direction::write) {
            lane.memory.fill(lane.pieces());
        } else {
            warm_source(lane);
        }
    }
    return lanes;
}

double Measurer::repeat(Lane& lane, const Case& one, Direction direction) {
    const bool is_checked = lane.is_first_repeat();
    if (direction == Direction::write) {
        prepare_written_file(lane);
    }
    lane.contender.open(lane.path, lane.request, one.level);
    const double seconds = team_.time(
        [&] { lane.contender.transfer(direction, lane.request, one.level, lane.memory); });
    lane.contender.close();
    if (direction == Direction::write) {
        if (is_checked) {
            check_written_file(lane);
        }
        settle_written_file(lane);
    } else if (is_checked && !lane.memory.holds(lane.pieces())) {
        fail(lane.contender.name() + " read wrong data from " + lane.path);
    }
    return seconds;
}

void Measurer::report(const Lane& lane, const Case& one, Direction direction) const {
    report_.add(Measurement{.bench = one.bench,
                            .direction = name_of(direction),
                            .name = one.name,
                            .who = lane.contender.name(),
                            .bytes = lane.request.total_bytes,
                            .seconds = lane.seconds});
}

void Measurer::prepare_written_file(const Lane& lane) const {
    if (options_.file == FilePolicy::fresh) {
        remove(lane.path);
        warm_free_memory(lane.request.total_bytes / team_.size());
    } else if (lane.is_first_repeat()) {
        // Zeros, so that the check of the first repeat sees what was not written.
        PlainFile file(lane.path);
        fill(file, block_pieces(team_, lane.request.total_bytes), Filling::zeros);
        file.sync();
    }
    team_.barrier();
}

/// Leaves no dirty pages behind whose way to the device would slow down the next contender:
/// a removed file takes its dirty pages with it, a kept one is synced.
void Measurer::settle_written_file(const Lane& lane) const {
    team_.barrier();
    if (options_.file == FilePolicy::fresh) {
        remove(lane.path);
    } else if (team_.is_first()) {
        PlainFile(lane.path).sync();
    }
    team_.barrier();
}

void Measurer::check_written_file(const Lane& lane) const {
    team_.barrier();
    PlainFile file(lane.path);
    if (file.size_bytes() != lane.request.total_bytes) {
        fail(lane.contender.name() + ": wrong size of " + lane.path);
    }
    if (!holds(file, block_pieces(team_, lane.request.total_bytes))) {
        fail(lane.contender.name() + " wrote wrong data to " + lane.path);
    }
}

/// Makes the one file that all read: what a file holds depends on the place in it only.
void Measurer::make_source(const std::vector<Case>& cases) {
    const std::int64_t turn_bytes = word_bytes * team_.size();
    std::int64_t bytes = 0;
    for (const Case& one : cases) {
        bytes = std::max({bytes, one.bytes, one.native_bytes});
    }
    bytes = (bytes + turn_bytes - 1) / turn_bytes * turn_bytes;
    PlainFile file(source_);
    fill(file, block_pieces(team_, bytes), Filling::content);
    team_.barrier();
    file.sync();
    team_.barrier();
}

/// Brings the source back into the page cache, where other files may have pushed it out.
void Measurer::warm_source(const Lane& lane) const {
    PlainFile file(source_);
    if (!holds(file, block_pieces(team_, lane.request.total_bytes))) {
        fail("wrong data in " + source_);
    }
}

std::string Measurer::path(const std::string& name) const {
    return prefix_ + name;
}

void Measurer::remove(const std::string& path) const {
    if (team_.is_first() && ::unlink(path.c_str()) != 0 && errno != ENOENT) {
        fail("unlink " + path + ": " + std::strerror(errno));
    }
}

}  // namespace pario::bench

#include "contender.hpp"

#include <utility>

#include "plain_file.hpp"

namespace pario::bench {
namespace {

class BlockContender : public Contender {
  public:
    explicit BlockContender(const Team& team) : team_(team) {}

    std::string name() const override { return "block"; }
    Pieces pieces(const Request& request) const override {
        return block_pieces(team_, request.total_bytes);
    }
    std::int64_t memory_stride(const Request& /*request*/) const override { return 1; }

    void open(const std::string& path, const Request& /*request*/, Level /*level*/) override {
        file_.emplace(path);
    }

    void transfer(Direction direction,
                  const Request& request,
                  Level /*level*/,
                  Memory& memory) override {
        const Pieces block = pieces(request);
        if (direction == Direction::write) {
            file_->write(block.begin, memory.data(), block.length);
        } else {
            file_->read(block.begin, memory.data(), block.length);
        }
    }

    void close() override { file_.reset(); }

  private:
    const Team& team_;
    std::optional<PlainFile> file_;
};

class MpiContender : public Contender {
  public:
    MpiContender(std::string name, const FileApi& api) : name_(std::move(name)), api_(api) {}

    std::string name() const override { return name_; }
    Pieces pieces(const Request& request) const override { return request.pieces; }
    std::int64_t memory_stride(const Request& request) const override {
        return request.memory_stride;
    }

    void open(const std::string& path, const Request& request, Level level) override {
        check(api_.open(MPI_COMM_WORLD,
                        path.c_str(),
                        MPI_MODE_RDWR | MPI_MODE_CREATE,
                        MPI_INFO_NULL,
                        &file_),
              "MPI_File_open");
        if (level == Level::view_independent || level == Level::view_collective) {
            check(api_.set_view(file_,
                                request.displacement_bytes,
                                MPI_INT32_T,
                                request.filetype.get(),
                                "native",
                                MPI_INFO_NULL),
                  "MPI_File_set_view");
        }
    }

    void transfer(Direction direction,
                  const Request& request,
                  Level level,
                  Memory& memory) override {
        switch (level) {
            case Level::piece_independent:
            case Level::piece_collective:
                transfer_pieces(direction, request, level, memory.data());
                return;
            case Level::view_independent:
                check(move_at(direction, 0, memory.data(), words(request), request.element.get()),
                      "MPI_File_write_at or read_at");
                return;
            case Level::view_collective:
                check(move_all(direction, memory.data(), words(request), request.element.get()),
                      "MPI_File_write_all or read_all");
                return;
        }
    }

    void close() override { check(api_.close(&file_), "MPI_File_close"); }

  private:
    static int words(const Request& request) { return to_count(request.pieces.num_words()); }

    /// Levels 0 and 1: one call for each piece. Memory is contiguous.
    void transfer_pieces(Direction direction,
                         const Request& request,
                         Level level,
                         std::uint32_t* memory) {
        const int count = to_count(request.pieces.length);
        request.pieces.for_each([&](std::int64_t first) {
            const MPI_Offset offset = first * word_bytes;
            const int code = level == Level::piece_independent
                                 ? move_at(direction, offset, memory, count, MPI_INT32_T)
                                 : move_at_all(direction, offset, memory, count);
            check(code, "MPI_File_write_at(_all) or read_at(_all)");
            memory += request.pieces.length;
        });
    }

    int move_all(Direction direction, void* memory, int count, MPI_Datatype type) {
        return direction == Direction::write
                   ? api_.write_all(file_, memory, count, type, MPI_STATUS_IGNORE)
                   : api_.read_all(file_, memory, count, type, MPI_STATUS_IGNORE);
    }

    int move_at(
        Direction direction, MPI_Offset offset, void* memory, int count, MPI_Datatype type) {
        return direction == Direction::write
                   ? api_.write_at(file_, offset, memory, count, type, MPI_STATUS_IGNORE)
                   : api_.read_at(file_, offset, memory, count, type, MPI_STATUS_IGNORE);
    }

    int move_at_all(Direction direction, MPI_Offset offset, void* memory, int count) {
        return direction == Direction::write
                   ? api_.write_at_all(file_, offset, memory, count, MPI_INT32_T, MPI_STATUS_IGNORE)
                   : api_.read_at_all(file_, offset, memory, count, MPI_INT32_T, MPI_STATUS_IGNORE);
    }

    std::string name_;
    FileApi api_;
    MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace

std::unique_ptr<Contender> make_block(const Team& team) {
    return std::make_unique<BlockContender>(team);
}

std::unique_ptr<Contender> make_mpi(const std::string& name, const FileApi& api) {
    return std::make_unique<MpiContender>(name, api);
}

}  // namespace pario::bench

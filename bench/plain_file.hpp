/// A file by plain system calls: what block I/O moves with, and what checks the others.
#pragma once

#include <cstdint>
#include <string>

#include "pattern.hpp"

namespace pario::bench {

/// An open file of words. Every failure ends the run.
class PlainFile {
  public:
    /// Opens for reading and writing; makes the file when missing.
    explicit PlainFile(const std::string& path);
    PlainFile(const PlainFile&) = delete;
    PlainFile& operator=(const PlainFile&) = delete;
    ~PlainFile();

    /// Moves `count` words at word index `first`, by one system call where the system moves all.
    void write(std::int64_t first, const std::uint32_t* words, std::int64_t count);
    void read(std::int64_t first, std::uint32_t* words, std::int64_t count);

    std::int64_t size_bytes() const;
    /// Waits until the file is on the device.
    void sync();

  private:
    [[noreturn]] void fail_with_errno(const char* call) const;

    std::string path_;
    int descriptor_;
};

/// Whether the file holds what it must in a contiguous block; read in bounded parts.
bool holds(PlainFile& file, const Pieces& block);

/// Fills a contiguous block of the file.
enum class Filling { content, zeros };
void fill(PlainFile& file, const Pieces& block, Filling filling);

}  // namespace pario::bench

/// What every MPI test program shares: main(), checks, temporary files, small RAII wrappers.
///
/// The programs are plain MPI programs: they test what the MPI standard promises and run on any
/// MPI. Each one is a single source file, so this header also defines main().
///
/// All ranks run the same tests in the same order and agree after each one; a test fails
/// everywhere when it fails on one rank. Ranks must stay in step, so tests use EXPECT_* and
/// CHECK_MPI, never a fatal assertion between two collective calls.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

namespace mpi_test {

using Bytes = std::vector<unsigned char>;

// ---------------------------------------------------------------- ranks

inline int rank(MPI_Comm comm = MPI_COMM_WORLD) {
    int result = 0;
    MPI_Comm_rank(comm, &result);
    return result;
}

inline int num_ranks(MPI_Comm comm = MPI_COMM_WORLD) {
    int result = 0;
    MPI_Comm_size(comm, &result);
    return result;
}

inline void barrier() {
    MPI_Barrier(MPI_COMM_WORLD);
}

/// True on all ranks where `condition` holds on at least one. Collective.
inline bool any_rank(bool condition) {
    int mine = condition ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all != 0;
}

// ---------------------------------------------------------------- checks of return codes

inline std::string error_text(int code) {
    std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    return {text.data(), static_cast<std::size_t>(length)};
}

inline int error_class(int code) {
    int result = MPI_SUCCESS;
    MPI_Error_class(code, &result);
    return result;
}

inline testing::AssertionResult succeeded(const char* call, int code) {
    if (code == MPI_SUCCESS) {
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << call << "\n  failed: " << error_text(code);
}

inline testing::AssertionResult fails_with(const char* call,
                                           const char* class_name,
                                           int code,
                                           int expected_class) {
    if (error_class(code) == expected_class) {
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure()
           << call << "\n  should fail with " << class_name << " (" << expected_class
           << "), but gives class " << error_class(code) << ": " << error_text(code);
}

/// Expects success of an MPI call; a failure shows the MPI's error text.
#define CHECK_MPI(call) EXPECT_PRED_FORMAT1(::mpi_test::succeeded, call)

/// Expects that an MPI call fails with the given error class.
#define CHECK_MPI_CLASS(call, expected) EXPECT_PRED_FORMAT2(::mpi_test::fails_with, call, expected)

/// Expects that a transfer's status reports `bytes` bytes, by MPI_Get_count and MPI_Get_elements.
inline void expect_bytes(const MPI_Status& status, int bytes) {
    int count = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    EXPECT_EQ(count, bytes) << "MPI_Get_count of MPI_BYTE";
    int elements = -1;
    MPI_Get_elements(&status, MPI_BYTE, &elements);
    EXPECT_EQ(elements, bytes) << "MPI_Get_elements of MPI_BYTE";
}

// ---------------------------------------------------------------- MPI objects with an owner

/// A committed datatype, freed with its owner. Predefined types are passed around as they are.
class Datatype {
  public:
    explicit Datatype(MPI_Datatype uncommitted) : type_(uncommitted) { MPI_Type_commit(&type_); }
    Datatype(Datatype&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    Datatype& operator=(Datatype&& other) noexcept {
        std::swap(type_, other.type_);
        return *this;
    }
    Datatype(const Datatype&) = delete;
    Datatype& operator=(const Datatype&) = delete;
    ~Datatype() {
        if (type_ != MPI_DATATYPE_NULL) {
            MPI_Type_free(&type_);
        }
    }
    operator MPI_Datatype() const { return type_; }

  private:
    MPI_Datatype type_;
};

inline Datatype contiguous(int count, MPI_Datatype old) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(count, old, &type);
    return Datatype(type);
}

/// `count` blocks of `length` elements, `stride` elements from one block to the next.
inline Datatype vector(int count, int length, int stride, MPI_Datatype old) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, length, stride, old, &type);
    return Datatype(type);
}

inline Datatype resized(MPI_Datatype old, MPI_Aint extent_bytes) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(old, 0, extent_bytes, &type);
    return Datatype(type);
}

inline Datatype hindexed(const std::vector<int>& lengths,
                         const std::vector<MPI_Aint>& offsets,
                         MPI_Datatype old) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(
        static_cast<int>(lengths.size()), lengths.data(), offsets.data(), old, &type);
    return Datatype(type);
}

/// A view that sees `length` bytes of every `period`: rank r's turn begins at r * length.
inline Datatype turns(int length, int period_in_turns) {
    const Datatype block = contiguous(length, MPI_BYTE);
    return resized(block, static_cast<MPI_Aint>(length) * period_in_turns);
}

using Hint = std::pair<std::string, std::string>;
using Hints = std::vector<Hint>;

/// An info object made of hints.
class Info {
  public:
    explicit Info(const Hints& hints) {
        MPI_Info_create(&info_);
        for (const auto& [key, value] : hints) {
            MPI_Info_set(info_, key.c_str(), value.c_str());
        }
    }
    Info(const Info&) = delete;
    Info& operator=(const Info&) = delete;
    ~Info() { MPI_Info_free(&info_); }
    operator MPI_Info() const { return info_; }

  private:
    MPI_Info info_ = MPI_INFO_NULL;
};

/// An open file. The destructor closes it, which is collective: all ranks must get there.
class File {
  public:
    File(const std::string& path,
         int amode,
         MPI_Info info = MPI_INFO_NULL,
         MPI_Comm comm = MPI_COMM_WORLD) {
        CHECK_MPI(MPI_File_open(comm, path.c_str(), amode, info, &file_)) << path;
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { close(); }

    void close() {
        if (file_ != MPI_FILE_NULL) {
            CHECK_MPI(MPI_File_close(&file_));
            EXPECT_EQ(file_, MPI_FILE_NULL);
            file_ = MPI_FILE_NULL;
        }
    }
    void view(MPI_Offset displacement,
              MPI_Datatype etype,
              MPI_Datatype filetype,
              MPI_Info info = MPI_INFO_NULL) {
        CHECK_MPI(MPI_File_set_view(file_, displacement, etype, filetype, "native", info));
    }
    operator MPI_File() const { return file_; }

  private:
    MPI_File file_ = MPI_FILE_NULL;
};

constexpr int create_rdwr = MPI_MODE_CREATE | MPI_MODE_RDWR;

// ---------------------------------------------------------------- data and plain files

/// The byte that belongs at a file offset: never zero, so that a hole cannot pass for data.
inline unsigned char value_at(std::int64_t offset, std::uint64_t seed = 0) {
    std::uint64_t mixed =
        static_cast<std::uint64_t>(offset) * 0x9E3779B97F4A7C15u + seed * 0xD1B54A32D192ED03u;
    mixed ^= mixed >> 29;
    mixed *= 0xBF58476D1CE4E5B9u;
    return static_cast<unsigned char>(1 + (mixed >> 33) % 255);
}

inline Bytes values(std::int64_t begin, std::int64_t length, std::uint64_t seed = 0) {
    Bytes bytes(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = value_at(begin + static_cast<std::int64_t>(i), seed);
    }
    return bytes;
}

/// The directory of this run; the same on all ranks.
inline std::string& run_directory() {
    static std::string directory;
    return directory;
}

/// A path in this run's directory, the same on all ranks; no file is there yet if `name` is new.
inline std::string path_of(const std::string& name) {
    return run_directory() + "/" + name;
}

/// Writes a whole file by plain system calls on this rank.
inline void store(const std::string& path, const Bytes& contents) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(contents.data()),
               static_cast<std::streamsize>(contents.size()));
    EXPECT_TRUE(file.flush().good()) << path;
}

/// Rank 0 writes a whole file; the others wait. Collective.
inline void store_on_root(const std::string& path, const Bytes& contents) {
    if (rank() == 0) {
        store(path, contents);
    }
    barrier();
}

/// A whole file, read by plain system calls on this rank.
inline Bytes load(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    EXPECT_TRUE(file.good()) << path;
    Bytes contents(file.good() ? static_cast<std::size_t>(file.tellg()) : 0);
    file.seekg(0);
    file.read(reinterpret_cast<char*>(contents.data()),
              static_cast<std::streamsize>(contents.size()));
    return contents;
}

/// Where two byte strings differ first; the text says all that is needed to find the reason.
inline testing::AssertionResult same_bytes(const Bytes& actual, const Bytes& expected) {
    const auto [a, e] =
        std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end());
    if (a == actual.end() && e == expected.end()) {
        return testing::AssertionSuccess();
    }
    auto failure = testing::AssertionFailure()
                   << actual.size() << " bytes, expected " << expected.size()
                   << "; first difference at " << a - actual.begin();
    if (a != actual.end() && e != expected.end()) {
        failure << ": " << int{*a} << ", expected " << int{*e};
    }
    return failure;
}

/// Expects the contents of a file that nobody has open; looked at on rank 0. Collective.
inline void expect_contents(const std::string& path, const Bytes& expected) {
    barrier();
    if (rank() == 0) {
        EXPECT_TRUE(same_bytes(load(path), expected)) << path;
    }
    barrier();
}

inline std::int64_t environment_number(const char* name, std::int64_t otherwise) {
    const char* text = getenv(name);
    return text != nullptr ? std::stoll(text) : otherwise;
}

// ---------------------------------------------------------------- main

/// Keeps the ranks in step and makes a hang say which test it was in.
class InStep : public testing::EmptyTestEventListener {
  public:
    static constexpr unsigned hang_s = 120;

    void OnTestStart(const testing::TestInfo& test) override {
        snprintf(hang_text_,
                 sizeof hang_text_,
                 "rank %d hangs in %s.%s\n",
                 rank(),
                 test.test_suite_name(),
                 test.name());
        signal(SIGALRM, [](int) {
            [[maybe_unused]] const auto written = write(2, hang_text_, strlen(hang_text_));
            _exit(1);
        });
        alarm(hang_s);
    }

    void OnTestEnd(const testing::TestInfo& test) override {
        const bool failed_here = test.result()->Failed();
        const bool failed = any_rank(failed_here);
        alarm(0);
        if (failed && !failed_here) {
            ADD_FAILURE() << test.name() << " failed on another rank";
        }
    }

  private:
    inline static char hang_text_[256];
};

/// Prints failures only; for every rank but the first.
class FailurePrinter : public testing::EmptyTestEventListener {
    void OnTestPartResult(const testing::TestPartResult& part) override {
        if (part.failed()) {
            std::cerr << "[rank " << rank() << "] " << (part.file_name() ? part.file_name() : "")
                      << ":" << part.line_number() << ": " << part.message() << std::endl;
        }
    }
};

inline void make_run_directory() {
    std::array<char, 4096> path{};
    if (rank() == 0) {
        const char* base = getenv("PARIO_TEST_DIR");
        const std::string pattern =
            (base != nullptr ? std::string(base)
                             : std::filesystem::temp_directory_path().string()) +
            "/pario-test-XXXXXX";
        pattern.copy(path.data(), path.size() - 1);
        if (mkdtemp(path.data()) == nullptr) {
            perror(path.data());
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    run_directory() = path.data();
}

inline int run_all_tests(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    make_run_directory();
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (rank() != 0) {
        delete listeners.Release(listeners.default_result_printer());
        listeners.Append(new FailurePrinter);
    }
    // After the printer: its OnTestEnd then runs before the printer's, which sees the agreement.
    listeners.Append(new InStep);
    const bool failed = any_rank(RUN_ALL_TESTS() != 0);
    barrier();
    if (rank() == 0) {
        std::filesystem::remove_all(run_directory());
    }
    MPI_Finalize();
    return failed ? 1 : 0;
}

}  // namespace mpi_test

int main(int argc, char** argv) {
    return mpi_test::run_all_tests(argc, argv);
}

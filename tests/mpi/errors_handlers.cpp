/// Error handlers of files.
#include <vector>

#include "mpi_test.hpp"

namespace {

using mpi_test::create_rdwr;
using mpi_test::File;
using mpi_test::path_of;

struct Seen {
    int calls = 0;
    MPI_File file = MPI_FILE_NULL;
    int code = MPI_SUCCESS;
};
Seen first_seen;
Seen second_seen;

void first_handler(MPI_File* file, int* code, ...) {
    first_seen = {first_seen.calls + 1, *file, *code};
}
void second_handler(MPI_File* file, int* code, ...) {
    second_seen = {second_seen.calls + 1, *file, *code};
}

MPI_Errhandler make(MPI_File_errhandler_function* function) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_File_create_errhandler(function, &handler));
    EXPECT_NE(handler, MPI_ERRHANDLER_NULL);
    return handler;
}

MPI_Errhandler handler_of(MPI_File file) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_File_get_errhandler(file, &handler));
    return handler;
}

int fail(MPI_File file) {
    int value = 0;
    return MPI_File_write(file, &value, -1, MPI_INT, MPI_STATUS_IGNORE);
}

class Handlers : public testing::Test {
  protected:
    void SetUp() override { first_seen = second_seen = {}; }
};

TEST_F(Handlers, ReturnIsTheDefault) {
    File file(path_of("default"), create_rdwr);
    for (const MPI_File each : {MPI_File(file), MPI_FILE_NULL}) {
        MPI_Errhandler handler = handler_of(each);
        EXPECT_EQ(handler, MPI_ERRORS_RETURN);
        CHECK_MPI(MPI_Errhandler_free(&handler));
    }
}

TEST_F(Handlers, UserFunctionSeesFileAndCode) {
    File file(path_of("user"), create_rdwr);
    MPI_Errhandler handler = make(first_handler);
    CHECK_MPI(MPI_File_set_errhandler(file, handler));
    CHECK_MPI(MPI_Errhandler_free(&handler));  // the file still has it
    const int code = fail(file);
    CHECK_MPI_CLASS(code, MPI_ERR_COUNT);
    EXPECT_EQ(first_seen.calls, 1);
    EXPECT_EQ(first_seen.file, MPI_File(file));
    EXPECT_EQ(first_seen.code, code);
    CHECK_MPI(MPI_File_call_errhandler(file, MPI_ERR_IO));
    EXPECT_EQ(first_seen.calls, 2);
    EXPECT_EQ(first_seen.code, MPI_ERR_IO);
}

TEST_F(Handlers, FreedHandlersAreNotConfusedWithNewOnes) {
    File file(path_of("freed"), create_rdwr);
    MPI_Errhandler handler = make(first_handler);
    CHECK_MPI(MPI_File_set_errhandler(file, handler));
    CHECK_MPI(MPI_Errhandler_free(&handler));
    std::vector<MPI_Errhandler> others;
    for (int i = 0; i < 10; ++i) {
        others.push_back(make(second_handler));
    }
    fail(file);
    EXPECT_EQ(first_seen.calls, 1);
    EXPECT_EQ(second_seen.calls, 0);
    MPI_Errhandler again = handler_of(file);
    for (MPI_Errhandler& other : others) {
        EXPECT_NE(again, other);
        CHECK_MPI(MPI_Errhandler_free(&other));
    }
    CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, again));
    CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Errhandler_free(&again));
    fail(file);
    EXPECT_EQ(first_seen.calls, 2);
}

TEST_F(Handlers, GettingAndFreeingManyTimes) {
    File file(path_of("many"), create_rdwr);
    MPI_Errhandler handler = make(first_handler);
    CHECK_MPI(MPI_File_set_errhandler(file, handler));
    CHECK_MPI(MPI_Errhandler_free(&handler));
    for (int i = 0; i < 1000; ++i) {
        MPI_Errhandler copy = handler_of(file);
        CHECK_MPI(MPI_Errhandler_free(&copy));
        MPI_Errhandler of_null = handler_of(MPI_FILE_NULL);
        CHECK_MPI(MPI_Errhandler_free(&of_null));
    }
    fail(file);
    EXPECT_EQ(first_seen.calls, 1);
}

TEST_F(Handlers, NewFilesInheritThatOfTheNullFile) {
    MPI_Errhandler handler = make(first_handler);
    CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    CHECK_MPI(MPI_Errhandler_free(&handler));
    {
        File file(path_of("inherits"), create_rdwr);
        CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
        fail(file);
        EXPECT_EQ(first_seen.calls, 1);
        EXPECT_EQ(first_seen.file, MPI_File(file));
    }
    File later(path_of("later"), create_rdwr);
    fail(later);
    EXPECT_EQ(first_seen.calls, 1);
}

TEST_F(Handlers, CallsWithoutAFileUseThatOfTheNullFile) {
    MPI_Errhandler handler = make(first_handler);
    CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    MPI_File file = MPI_FILE_NULL;
    const int code = MPI_File_open(
        MPI_COMM_WORLD, path_of("missing").c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    CHECK_MPI_CLASS(code, MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(first_seen.calls, 1);
    EXPECT_EQ(first_seen.file, MPI_FILE_NULL);
    EXPECT_EQ(first_seen.code, code);
    CHECK_MPI_CLASS(MPI_File_delete(path_of("missing").c_str(), MPI_INFO_NULL),
                    MPI_ERR_NO_SUCH_FILE);
    EXPECT_EQ(first_seen.calls, 2);
    CHECK_MPI(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    CHECK_MPI(MPI_Errhandler_free(&handler));
}

TEST_F(Handlers, HandlersOfOtherObjectsAreRefused) {
    File file(path_of("foreign"), create_rdwr);
    CHECK_MPI_CLASS(MPI_File_set_errhandler(file, MPI_ERRHANDLER_NULL), MPI_ERR_ARG);
    CHECK_MPI_CLASS(fail(file), MPI_ERR_COUNT);
}

TEST_F(Handlers, FortranFunctionsSeeAnIntegerHandle) {
    // A Fortran handler takes addresses of INTEGERs; the bindings pass it on as a C function.
    static MPI_Fint seen_file = -1;
    static MPI_Fint seen_code = -1;
    using FortranHandler = void (*)(MPI_Fint*, MPI_Fint*);
    const FortranHandler fortran = [](MPI_Fint* file, MPI_Fint* code) {
        seen_file = *file;
        seen_code = *code;
    };
    File file(path_of("fortran"), create_rdwr);
    MPI_Errhandler handler =
        make(reinterpret_cast<MPI_File_errhandler_function*>(reinterpret_cast<void*>(fortran)));
    CHECK_MPI(MPI_File_set_errhandler(file, handler));
    CHECK_MPI(MPI_Errhandler_free(&handler));
    const int code = fail(file);
    EXPECT_EQ(seen_file, MPI_File_c2f(file));
    EXPECT_EQ(seen_code, code);
}

}  // namespace

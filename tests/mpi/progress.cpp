/// The progress rule of MPI: a rank inside a collective file call still completes its pending
/// messages, so a rank that first waits for such a message and then joins the call never hangs.
#include <functional>

#include "mpi_test.hpp"

namespace mpi_test {
namespace {

constexpr int message_bytes = 8 << 20;  // too long for any MPI to send without the receiver

/// Every rank but `late` sends it a long message and enters `call`; `late` receives them all first.
void check_progress(int late, const std::function<void()>& call) {
    const int tag = 17;
    Bytes message(message_bytes, static_cast<unsigned char>(rank() + 1));
    if (rank() != late) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(message.data(), message_bytes, MPI_BYTE, late, tag, MPI_COMM_WORLD, &request);
        call();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    for (int sender = 0; sender < num_ranks(); ++sender) {
        if (sender == late) {
            continue;
        }
        usleep(50000);  // the others are surely inside the call by now
        MPI_Recv(message.data(),
                 message_bytes,
                 MPI_BYTE,
                 sender,
                 tag,
                 MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        EXPECT_EQ(message.back(), sender + 1);
    }
    call();
}

void check_every_direction(const std::function<void()>& call) {
    check_progress(0, call);
    check_progress(num_ranks() - 1, call);
}

TEST(Progress, WriteAllAndReadAll) {
    File file(path_of("progress"), create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    file.view(4 * rank(), MPI_BYTE, turns(4, num_ranks()));
    Bytes data(40000, static_cast<unsigned char>(rank() + 1));
    check_every_direction([&] {
        CHECK_MPI(MPI_File_write_at_all(file, 0, data.data(), 40000, MPI_BYTE, MPI_STATUS_IGNORE));
    });
    check_every_direction([&] {
        CHECK_MPI(MPI_File_read_at_all(file, 0, data.data(), 40000, MPI_BYTE, MPI_STATUS_IGNORE));
    });
    EXPECT_TRUE(same_bytes(data, Bytes(40000, static_cast<unsigned char>(rank() + 1))));
}

TEST(Progress, OpenAndClose) {
    const std::string path = path_of("progress_open");
    for (const int late : {0, num_ranks() - 1}) {
        MPI_File file = MPI_FILE_NULL;
        check_progress(late, [&] {
            CHECK_MPI(
                MPI_File_open(MPI_COMM_WORLD, path.c_str(), create_rdwr, MPI_INFO_NULL, &file));
        });
        check_progress(late, [&] { CHECK_MPI(MPI_File_close(&file)); });
    }
}

TEST(Progress, SyncSizeAndView) {
    File file(path_of("progress_sync"), create_rdwr | MPI_MODE_DELETE_ON_CLOSE);
    check_every_direction([&] { CHECK_MPI(MPI_File_sync(file)); });
    check_every_direction([&] { CHECK_MPI(MPI_File_set_size(file, 1000)); });
    check_every_direction([&] { file.view(0, MPI_INT, MPI_INT); });
}

}  // namespace
}  // namespace mpi_test

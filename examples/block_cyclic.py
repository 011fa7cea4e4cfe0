"""A plain mpi4py program: a vector dealt to the ranks in small blocks, round and round.

    block_cyclic.py FILE [MEBIBYTES [BLOCK]]

Each rank writes its elements through a block-cyclic file view, all ranks together, reads them back and
checks them. BLOCK is the number of 4-byte elements dealt at a time. Prints two lines on rank 0, "write
SECONDS" and "read SECONDS". It knows nothing of Pario.
"""

import sys

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()


def deal(elements: int, block: int) -> MPI.Datatype:
    """The elements of this rank in a vector of `elements`, cyclic(block)."""
    view = MPI.INT32_T.Create_darray(ranks, rank, [elements], [MPI.DISTRIBUTE_CYCLIC], [block], [ranks], MPI.ORDER_C)
    return view.Commit()


def positions(elements: int, block: int) -> numpy.ndarray:
    """Where the elements of this rank stand in the whole vector: also the values that it writes."""
    everything = numpy.arange(elements, dtype=numpy.int32)
    return everything[(everything // block) % ranks == rank]


def timed(path: str, mode: int, view: MPI.Datatype, transfer: str, values: numpy.ndarray) -> float:
    """Opens the file, moves `values` through the view in one collective call, and closes it."""
    comm.Barrier()
    start = MPI.Wtime()
    file = MPI.File.Open(comm, path, mode)
    file.Set_view(0, MPI.INT32_T, view)
    getattr(file, transfer)(values)
    file.Close()
    comm.Barrier()
    return MPI.Wtime() - start


def main() -> None:
    """Writes, reads, checks, and tells the times."""
    path = sys.argv[1]
    elements = int(sys.argv[2] if len(sys.argv) > 2 else 32) * 2**20 // 4
    block = int(sys.argv[3] if len(sys.argv) > 3 else 4)
    view, values = deal(elements, block), positions(elements, block)
    read = numpy.full_like(values, -1)
    write_s = timed(path, MPI.MODE_CREATE | MPI.MODE_WRONLY, view, "Write_all", values)
    read_s = timed(path, MPI.MODE_RDONLY, view, "Read_all", read)
    view.Free()
    if not numpy.array_equal(read, values):
        print(f"block_cyclic: rank {rank} did not read what it wrote", file=sys.stderr)
        comm.Abort(1)
    if rank == 0:
        print(f"write {write_s:.6f}\nread {read_s:.6f}")


main()

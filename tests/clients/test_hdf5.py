"""Parallel HDF5 writes the same file under Pario as under the MPI's own MPI-IO, from C and from Python."""

from __future__ import annotations

import filecmp
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, compiler

Pario = Callable[..., Result]
DEBIAN_PYTHON = "/usr/bin/python3"

H5PY_CLIENT = """
import sys, h5py, numpy
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
with h5py.File(sys.argv[1], "w", driver="mpio", comm=comm) as file:
    data = file.create_dataset("columns", (100, 7 * ranks), dtype="i4", track_times=False)
    with data.collective:
        data[:, rank::ranks] = numpy.arange(700, dtype="i4").reshape(100, 7) + 1000 * rank
with h5py.File(sys.argv[1], "r", driver="mpio", comm=comm) as file:
    other = (rank + 1) % ranks
    with file["columns"].collective:
        mine = file["columns"][:, other::ranks]
    assert (mine == numpy.arange(700).reshape(100, 7) + 1000 * other).all()
"""


@pytest.fixture
def field(debian: str, tmp_path: Path) -> Path:
    """examples/hdf5_field.c, built with one of Debian's MPIs."""
    program = tmp_path / "hdf5_field"
    mpi = debian.removeprefix("debian-")
    flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", f"hdf5-{mpi}"], text=True).split()
    subprocess.run([compiler(debian), str(ROOT / "examples/hdf5_field.c"), "-o", str(program), *flags], check=True)
    return program


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_field_in_c(pario: Pario, field: Path, ranks: int, tmp_path: Path) -> None:
    """A 3-D field whose edge the ranks do not divide."""
    for name, words in (("own", ["--native"]), ("pario", [])):
        done = pario("run", "-n", ranks, *words, field, name, 50)
        assert done.returncode == 0, done.stdout + done.stderr
    assert filecmp.cmp(tmp_path / "own", tmp_path / "pario", shallow=False)


@pytest.mark.parametrize("ranks", [1, 3])
def test_interleaved_columns_in_h5py(pario: Pario, ranks: int, tmp_path: Path) -> None:
    """Debian's h5py with columns dealt round, read by another rank than wrote them."""
    script = tmp_path / "client.py"
    script.write_text(H5PY_CLIENT)
    for name, words in (("own", ["--native"]), ("pario", [])):
        done = pario("run", "-n", ranks, *words, DEBIAN_PYTHON, script, name)
        assert done.returncode == 0, done.stdout + done.stderr
    assert filecmp.cmp(tmp_path / "own", tmp_path / "pario", shallow=False)

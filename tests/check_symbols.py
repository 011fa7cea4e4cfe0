#!/usr/bin/env python3
"""Checks that the drop-in hides all of the MPI's own MPI-IO.

Usage: check_symbols.py LIBMPI LIBPARIO_MPIIO

Every function of the I/O chapter that LIBMPI exports, under its MPI and its PMPI name, must be
exported by LIBPARIO_MPIIO as well: a handle of one must never reach the other.
"""

import re
import subprocess
import sys

IO_CHAPTER = re.compile(r"P?MPIX?_(File_|Register_datarep)")


def exported(library: str) -> set[str]:
    """The names that a shared library defines for others, without version suffixes."""
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    return {line.split()[-1].split("@")[0] for line in listing.splitlines()}


def main() -> int:
    mpi_library, drop_in = sys.argv[1:]
    needed = {name for name in exported(mpi_library) if IO_CHAPTER.match(name)}
    if not needed:
        print(f"{mpi_library} exports no MPI-IO at all: is it the MPI library?")
        return 1
    missing = sorted(needed - exported(drop_in))
    for name in missing:
        print(f"missing: {name}")
    print(f"{len(needed)} names in {mpi_library}, {len(missing)} missing in {drop_in}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

"""The builds of the drop-in that exist here, and which of them fits an MPI.

A build is known by the note `pario-build.json` that CMake writes beside each libpario_mpiio.so.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pario.mpis import LibraryMissingError, Mpi, identify, loaded_mpi

_NOTE = "pario-build.json"


@dataclass(frozen=True)
class Build:
    """One drop-in: its name, its library, and the MPI that it was built for."""

    name: str
    library: Path
    mpiexec: Path
    sanitizers: str

    @property
    def mpi_library(self) -> Path | None:
        """The MPI library that the drop-in was linked with; None when it has gone."""
        try:
            # Under an mpiexec that sets LD_LIBRARY_PATH every drop-in would find the program's library.
            return loaded_mpi(self.library, search="")
        except LibraryMissingError:
            return None

    @property
    def mpi(self) -> Mpi | None:
        """The MPI of this build as it is now; None when it has gone."""
        return identify(self.mpi_library) if self.mpi_library else None

    @property
    def bench_program(self) -> Path:
        """The program behind `pario bench`: beside the drop-in when installed, in bench/ of a build folder."""
        installed = self.library.parent / "bench" / "pario_bench"
        return installed if installed.exists() else self.library.parents[1] / "bench" / "pario_bench"


def find_builds() -> list[Build]:
    """All builds in $PARIO_BUILDS, in this checkout, and in the usual prefixes; the first of a name wins."""
    builds: dict[str, Build] = {}
    for note in _notes():
        build = _read_note(note)
        if build.library.exists():
            builds.setdefault(build.name, build)
    return list(builds.values())


def usable_builds() -> list[Build]:
    """The builds that can be preloaded: those without sanitizers."""
    return [build for build in find_builds() if not build.sanitizers]


def find_fit(mpi: Mpi, builds: list[Build]) -> Build | None:
    """The build for exactly this library, else one for another copy of the same release."""
    candidates = [(build, build.mpi) for build in builds]
    for build, built_for in candidates:
        if built_for is not None and built_for.library == mpi.library:
            return build
    for build, built_for in candidates:
        if built_for is not None and built_for.fits(mpi):
            return build
    return None


def _notes() -> Iterator[Path]:
    for folder in filter(None, os.environ.get("PARIO_BUILDS", "").split(os.pathsep)):
        yield from sorted(Path(folder).glob(f"**/{_NOTE}"))
    checkout = Path(__file__).resolve().parents[2]
    yield from sorted(checkout.glob(f"build/*/src/{_NOTE}"))
    for prefix in (sys.prefix, "/usr/local", "/usr"):
        yield from sorted(Path(prefix).glob(f"lib*/pario/*/{_NOTE}"))


def _read_note(note: Path) -> Build:
    facts = json.loads(note.read_text())
    return Build(
        name=facts["name"],
        library=note.parent / "libpario_mpiio.so",
        mpiexec=Path(facts["mpiexec"]),
        sanitizers=facts["sanitizers"],
    )

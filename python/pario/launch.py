"""The command line that runs a program under an MPI, with the drop-in preloaded or without it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pario.builds import Build, find_fit, usable_builds
from pario.mpis import Mpi, identify
from pario.programs import Program, ProgramError, inspect


@dataclass(frozen=True)
class Launch:
    """How to run one program: with which MPI, through which mpiexec, with which settings of its environment."""

    program: Program
    mpi: Mpi
    mpiexec: Path
    settings: dict[str, str]

    def command(self, ranks: int | None) -> list[str]:
        """The full command line; without `ranks` the program itself, for an outer mpiexec or srun."""
        start = [] if ranks is None else [str(self.mpiexec), "-n", str(ranks), *mpiexec_flags(self.mpi)]
        # `env` works with every launcher and on every node, and keeps the drop-in out of mpiexec itself.
        settings = [f"{name}={value}" for name, value in self.settings.items()]
        return [*start, *(["env", *settings] if settings else []), *self.program.command]


def mpiexec_flags(mpi: Mpi) -> list[str]:
    """Lets Open MPI run more ranks than cores, and as root in a container; MPICH needs no flags."""
    if mpi.family != "Open MPI":
        return []
    return ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]


def prepare(command: tuple[str, ...], mpi_name: str | None, *, native: bool) -> Launch:
    """Finds out how to run `command`.

    mpi_name: a build to use whatever the program tells; None to find the one that fits.
    Raises ProgramError with what to do when no build fits, or the named one cannot.
    """
    builds = usable_builds()
    named = _named_build(mpi_name, builds) if mpi_name else None
    program = inspect(command, _python_of(named))
    mpi = _mpi_of(program, named)
    build = named or find_fit(mpi, builds)
    if build is None or build.mpi is None or not build.mpi.fits(mpi):
        raise ProgramError(_no_fit(program, mpi, build, builds))
    settings = {name: value for name, value in os.environ.items() if name.startswith("PARIO_")}
    if not native:
        settings |= _preload(build, mpi)
    return Launch(program, mpi, _mpiexec_of(mpi, build), settings)


def describe_builds(builds: list[Build]) -> str:
    """One line for each build that exists, and how to make more."""
    lines = [f"  {b.name}: for {b.mpi or 'an MPI that has gone'} ({b.mpi_library or '-'})" for b in builds]
    return "\n".join(
        (
            "Builds that exist here:",
            *(lines or ["  none"]),
            "To build for another MPI, in a checkout of Pario:",
            "  cmake -S . -B build/NAME -DMPI_C_COMPILER=/path/to/mpicc && cmake --build build/NAME",
        )
    )


def _named_build(name: str, builds: list[Build]) -> Build:
    for build in builds:
        if build.name == name:
            return build
    raise ProgramError(f"there is no build {name!r}.\n{describe_builds(builds)}")


def _python_of(build: Build | None) -> str | None:
    """The Python beside the mpiexec of a wheel: a script that names no interpreter belongs to it."""
    if build is None:
        return None
    python = build.mpiexec.parent / "python3"
    return str(python) if python.exists() else None


def _mpi_of(program: Program, named: Build | None) -> Mpi:
    mpi = identify(program.mpi_library) if program.mpi_library else None
    if mpi is None and named is not None:
        mpi = named.mpi
    if mpi is None:
        reason = program.reason_unknown or f"{program.mpi_library} does not tell which MPI it is"
        raise ProgramError(f"{reason}.\nIf it does run under an MPI, say which: pario run --mpi NAME …")
    return mpi


def _preload(build: Build, mpi: Mpi) -> dict[str, str]:
    settings = {"LD_PRELOAD": _before(str(build.library), os.environ.get("LD_PRELOAD", ""))}
    if mpi.library != build.mpi_library:
        # Built for another copy of this MPI: the drop-in must load the program's copy.
        settings["LD_LIBRARY_PATH"] = _before(str(mpi.library.parent), os.environ.get("LD_LIBRARY_PATH", ""))
    return settings


def _mpiexec_of(mpi: Mpi, build: Build) -> Path:
    beside = mpi.library.parent.parent / "bin" / "mpiexec"
    return beside if mpi.library != build.mpi_library and beside.exists() else build.mpiexec


def _no_fit(program: Program, mpi: Mpi, build: Build | None, builds: list[Build]) -> str:
    needs = f"{program.command[0]} uses {mpi} ({mpi.library})"
    if build is not None:
        return f"{needs}, but the build {build.name!r} is for {build.mpi or 'an MPI that has gone'}."
    return f"{needs}, and no build of Pario fits it.\n{describe_builds(builds)}"


def _before(first: str, rest: str) -> str:
    return f"{first}:{rest}" if rest else first

"""`pario doctor`: what this machine offers to parallel I/O, and what to do about what is wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pario import probes
from pario.builds import Build, find_fit, usable_builds
from pario.mpis import LIBRARY_NAME, identify

_LITTLE_SPACE = 1 << 30
_LITTLE_SHARED_MEMORY = 64 << 20


@dataclass(frozen=True)
class Finding:
    """One line of the table.

    state: "good"; "note" for what costs something but is no fault; "wrong" for what needs doing.
    advice: what to do about it; empty where all is well.
    """

    topic: str
    what: str
    result: str
    state: str = "good"
    advice: str = ""

    def note(self, advice: str, when: bool = True) -> Finding:
        """The same with a remark, when it applies."""
        return replace(self, state="note", advice=advice) if when else self

    def wrong(self, advice: str, when: bool = True) -> Finding:
        """The same as a fault with what to do about it, when it is one."""
        return replace(self, state="wrong", advice=advice) if when else self


def examine(path: Path, ranks: int) -> list[Finding]:
    """Looks at everything once. path: a file or folder, which need not exist yet. ranks: how many are meant to run."""
    return [*_look_at_mpis(), *_look_at_storage(path), *_look_at_machine(ranks)]


def advice(findings: list[Finding]) -> list[str]:
    """What has to be done, in the order of the table; empty if nothing."""
    return [finding.advice for finding in findings if finding.state == "wrong"]


def to_json(findings: list[Finding]) -> str:
    """The findings for other programs."""
    return json.dumps({"ok": not advice(findings), "findings": [asdict(f) for f in findings]}, indent=2)


def show(findings: list[Finding], console: Console) -> None:
    """Prints the table, then notes, then what to do."""
    marks = {"good": "[green]ok[/]", "note": "[yellow]note[/]", "wrong": "[red]wrong[/]"}
    table = Table(show_lines=False, header_style="bold")
    for heading in ("", "What", "Found", ""):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        table.add_row(finding.topic, escape(finding.what), escape(finding.result), marks[finding.state])
    console.print(table)
    for finding in findings:
        if finding.advice:
            label = "To do" if finding.state == "wrong" else "Note"
            console.print(f"[bold]{label}:[/] {escape(finding.advice)}", soft_wrap=True)
    if not advice(findings):
        console.print("Nothing is wrong.")


def _look_at_mpis() -> Iterator[Finding]:
    builds = usable_builds()
    found = list(_mpi_libraries())
    yield from (_look_at_mpi(library, builds) for library in found)
    if not found:
        how = "Install an MPI: pip install mpich mpi4py, or apt-get install mpich libmpich-dev."
        yield Finding("MPI", "any", "none found").wrong(how)
    elif not builds:
        how = "Build Pario: make build, or set PARIO_BUILDS to a folder that holds builds."
        yield Finding("MPI", "drop-in", "not built").wrong(how)


def _look_at_mpi(library: Path, builds: list[Build]) -> Finding:
    mpi = identify(library)
    if mpi is None:
        return Finding("MPI", str(library), "does not load").note(f"{library}: no program that uses it will start.")
    what = f"{mpi} ({library})"
    if fit := find_fit(mpi, builds):
        return Finding("MPI", what, f"build {fit.name}")
    how = f"For {what} build Pario with its mpicc: cmake -S . -B build/NAME -DMPI_C_COMPILER=…/mpicc"
    return Finding("MPI", what, "no build fits").note(how)


def _mpi_libraries() -> Iterator[Path]:
    """Libraries of all builds, of the active environment, beside programs on the PATH, of the system; once each."""
    folders = [Path(os.environ.get("VIRTUAL_ENV", sys.prefix)) / "lib"]
    for name in ("mpiexec", "mpicc", "python3"):
        if found := shutil.which(name):
            folders.append(Path(found).parent.parent / "lib")
    candidates = [build.mpi_library for build in usable_builds() if build.mpi_library]
    candidates += [file for folder in folders for file in sorted(folder.glob("libmpi*.so*"))]
    candidates += [Path(line.split(" => ")[1]) for line in _loader_cache() if " => " in line]
    seen: set[Path] = set()
    for candidate in candidates:
        real = candidate.resolve()
        if LIBRARY_NAME.match(candidate.name) and real not in seen and _is_binary(real):
            seen.add(real)
            yield real


def _is_binary(file: Path) -> bool:
    """Whether it is a library indeed, and not a text for the linker."""
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return stream.read(4) == b"\x7fELF"


def _loader_cache() -> list[str]:
    """What the system's loader knows, one line "name (kind) => path" for each library; empty if it does not tell."""
    ldconfig = shutil.which("ldconfig", path=os.environ.get("PATH", "") + ":/sbin:/usr/sbin")
    if ldconfig is None:
        return []
    return subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout.splitlines()


def _look_at_storage(path: Path) -> Iterator[Finding]:
    folder = _existing_folder(path)
    if not path.exists():
        how = f"Create {path}; what follows is about {folder}."
        yield Finding("Storage", str(path), "does not exist").wrong(how)
    yield Finding("Storage", "file system", f"{probes.file_system_type(folder)} at {folder}")
    free = probes.free_bytes(folder)
    how = f"Less than 1 GiB is free in {folder}: make room or write elsewhere."
    yield Finding("Storage", "free space", probes.readable_bytes(free)).wrong(how, free < _LITTLE_SPACE)
    if not os.access(folder, os.W_OK):
        how = f"You may not write in {folder}: choose another folder."
        yield Finding("Storage", "writing", "not permitted").wrong(how)
        return
    direct, locks = probes.direct_io(folder), probes.range_locks(folder)
    how = "Direct I/O does not work there; Pario uses the page cache, which is its default."
    yield Finding("Storage", "direct I/O", direct.remark).note(how, not direct.works)
    how = "Range locks do not work there; Pario writes pieces with holes one by one, which is slower."
    yield Finding("Storage", "range locks", locks.remark).note(how, not locks.works)


def _look_at_machine(ranks: int) -> Iterator[Finding]:
    ring, shared = probes.io_uring(), probes.shared_memory()
    how = "io_uring is not to be had; Pario uses pread and pwrite."
    yield Finding("Machine", "io_uring", ring.remark).note(how, not ring.works)
    how = "Shared memory must be writable and 64 MiB at least; with Docker: --shm-size=1g."
    little = shared.works and probes.free_bytes(Path("/dev/shm")) < _LITTLE_SHARED_MEMORY
    yield Finding("Machine", "shared memory", shared.remark).wrong(how, little or not shared.works)
    cores = probes.usable_cores()
    how = f"{ranks} ranks share {cores} cores: correct, but no measure of a machine with a core for each."
    yield Finding("Machine", "cores", f"{cores} for {ranks} ranks").note(how, ranks > cores)


def _existing_folder(path: Path) -> Path:
    folder = path.resolve()
    while not folder.is_dir():
        folder = folder.parent
    return folder

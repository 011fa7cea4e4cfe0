"""What an MPI library is: asked from the library itself, never guessed from its path."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_ASK_VERSION = """
import ctypes, sys
text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
ctypes.CDLL(sys.argv[1]).MPI_Get_library_version(text, ctypes.byref(length))
print(text.value.decode())
"""

# The file names under which an MPI is loaded: MPICH and its wheel, Debian's MPICH, Open MPI.
LIBRARY_NAME = re.compile(r"^libmpi(ch)?\.so(\.[0-9.]+)?$")


@dataclass(frozen=True)
class Mpi:
    """One MPI library on this machine.

    library: the file itself, links resolved; family: "MPICH", "Open MPI", or the first line of an
    unknown one's version text; version: such as "5.0.2", empty when unknown.
    """

    library: Path
    family: str
    version: str

    def __str__(self) -> str:
        """Name and version as a user would say them."""
        return f"{self.family} {self.version}".strip()

    def fits(self, other: Mpi) -> bool:
        """Whether a program that loads `other` can use what was built for this one."""
        if self.library == other.library:
            return True
        same_release = self.version.split(".")[:2] == other.version.split(".")[:2]
        return self.family == other.family and self.library.name == other.library.name and same_release


class LibraryMissingError(Exception):
    """A binary needs an MPI library that the loader does not find."""


@functools.cache
def loaded_mpi(binary: Path, search: str | None = None) -> Path | None:
    """The MPI library that the loader would load for a program or library, links resolved.

    search: the LD_LIBRARY_PATH to look with; None for the one that is set.

    None if `binary` needs none. Raises LibraryMissingError if the loader does not find the one that it
    needs, ValueError if it is not dynamically linked.
    """
    environment = os.environ if search is None else os.environ | {"LD_LIBRARY_PATH": search}
    listed = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=False, env=environment)
    if listed.returncode != 0:
        raise ValueError(f"{binary} is not dynamically linked, so nothing can be preloaded")
    for line in listed.stdout.splitlines():
        name, _, place = (part.strip() for part in line.partition("=>"))
        if not LIBRARY_NAME.match(Path(name).name):
            continue
        if place.startswith("not found"):
            raise LibraryMissingError(f"{binary} needs {name}, which the loader does not find")
        return Path(place.split(" (")[0]).resolve()
    return None


@functools.cache
def identify(library: Path) -> Mpi | None:
    """Loads `library` in a process of its own and asks which MPI it is; None if it cannot say."""
    command = [sys.executable, "-c", _ASK_VERSION, str(library)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if answer.returncode != 0:
        return None
    family, version = _parse_version(answer.stdout)
    return Mpi(library.resolve(), family, version)


def _parse_version(text: str) -> tuple[str, str]:
    for family, pattern in (("MPICH", r"MPICH Version:\s*(\S+)"), ("Open MPI", r"Open MPI v([0-9.]+)")):
        if found := re.search(pattern, text):
            return family, found.group(1)
    return (text.strip().splitlines() or ["unknown MPI"])[0], ""

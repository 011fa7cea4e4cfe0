"""Which MPI a program will load: asked from the loader for a binary, from mpi4py for Python."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pario.mpis import LibraryMissingError, loaded_mpi

_ASK_MPI4PY = """
import os, re, mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
paths = {line.split()[-1] for line in open("/proc/self/maps") if "/" in line}
print("\\n".join(p for p in paths if re.match(r"libmpi(ch)?\\.so", os.path.basename(p))))
"""


class ProgramError(Exception):
    """A program cannot be run; the text says why and what to do."""


@dataclass(frozen=True)
class Program:
    """A command line ready to be run, and the MPI library that it will load, if that is known."""

    command: tuple[str, ...]
    mpi_library: Path | None
    reason_unknown: str = ""


def inspect(command: tuple[str, ...], python: str | None = None) -> Program:
    """Finds the program and its MPI.

    command: as the user typed it. python: the interpreter for a script that names none;
    by default python3 from the PATH.
    Raises ProgramError if there is no such program, or a library that it needs is missing.
    """
    command = _with_interpreter(command, python or "python3")
    found = shutil.which(command[0])
    if found is None:
        raise ProgramError(f"{command[0]}: no such program, or it may not be executed")
    command = (found, *command[1:])
    interpreter = found if _is_python(found) else _shebang(Path(found))
    if interpreter is None:
        return _inspect_binary(command)
    if _is_python(interpreter):
        return _inspect_python(command, interpreter)
    return Program(command, None, f"{found} is a script for {interpreter}, so its MPI cannot be told beforehand")


def _with_interpreter(command: tuple[str, ...], python: str) -> tuple[str, ...]:
    script = Path(command[0])
    needs_one = script.suffix == ".py" and script.is_file() and shutil.which(str(script)) is None
    if needs_one or (script.suffix == ".py" and _env_python(script)):
        return (python, *command)
    return command


def _env_python(script: Path) -> bool:
    """Whether a script leaves the choice of Python to the PATH."""
    return script.is_file() and Path(_shebang(script) or "").name in ("python", "python3")


def _is_python(program: str) -> bool:
    return re.fullmatch(r"python[0-9.]*", Path(program).name) is not None


def _shebang(program: Path) -> str | None:
    """The interpreter in the first line of a script; None for a binary."""
    with program.open("rb") as stream:
        line = stream.readline(4096)
    if not line.startswith(b"#!"):
        return None
    words = line[2:].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    return shutil.which(words[0]) or words[0] if words else None


def _inspect_python(command: tuple[str, ...], interpreter: str) -> Program:
    asked = subprocess.run([interpreter, "-c", _ASK_MPI4PY], capture_output=True, text=True, check=False)
    paths = asked.stdout.split()
    if asked.returncode == 0 and paths:
        return Program(command, Path(paths[0]).resolve())
    reason = (asked.stderr.strip().splitlines() or ["it maps no libmpi"])[-1]
    return Program(command, None, f"mpi4py in {interpreter} does not tell its MPI: {reason}")


def _inspect_binary(command: tuple[str, ...]) -> Program:
    try:
        library = loaded_mpi(Path(command[0]))
    except LibraryMissingError as error:
        raise ProgramError(str(error)) from error
    except ValueError as error:
        return Program(command, None, str(error))
    return Program(command, library, "" if library else f"{command[0]} does not load an MPI library")

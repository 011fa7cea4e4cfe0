"""`pario run` finds the MPI of a program, preloads the drop-in that fits, and passes the status on."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import DEBIAN, ROOT, WHEELS, Result, compiler, wheel_python

Pario = Callable[..., Result]
SAY_MAPS = "print(sorted({l.split()[-1] for l in open('/proc/self/maps') if 'libpario' in l or '/libmpi' in l}))"


@pytest.fixture(params=[*WHEELS, *DEBIAN])
def build(request: pytest.FixtureRequest) -> str:
    """Every build in turn."""
    return str(request.param)


@pytest.fixture
def opener(build: str, tmp_path: Path) -> Path:
    """A C program of that build's MPI which ends with status 3."""
    program = tmp_path / "opener"
    subprocess.run([compiler(build), str(ROOT / "tests/python/opener.c"), "-o", str(program)], check=True)
    return program


def test_binary_gets_the_drop_in_that_fits(pario: Pario, opener: Path, build: str) -> None:
    """The right build is preloaded, and the program's status is passed on."""
    done = pario("run", "-n", 2, opener)
    assert done.returncode == 3, done.stderr
    assert "2 ranks" in done.stdout
    assert f"/build/{build}/src/libpario_mpiio.so" in done.stdout


def test_native_leaves_the_mpi_alone(pario: Pario, opener: Path) -> None:
    """--native runs the same program without the drop-in."""
    done = pario("run", "-n", 2, "--native", opener)
    assert (done.returncode, "2 ranks" in done.stdout, "drop-in" in done.stdout) == (3, True, False)


def test_without_ranks_the_program_runs_itself(pario: Pario, opener: Path) -> None:
    """Without -n there is no mpiexec: one rank, with the drop-in."""
    done = pario("run", opener)
    assert done.returncode == 3, done.stderr
    assert "1 ranks" in done.stdout
    assert "drop-in" in done.stdout


def test_under_an_outer_mpiexec(opener: Path, build: str, tmp_path: Path) -> None:
    """`mpiexec pario run` gives every rank the drop-in."""
    mpiexec = (
        f"mpiexec.{build.removeprefix('debian-')}" if build in DEBIAN else str(wheel_python(build).parent / "mpiexec")
    )
    flags = ["--oversubscribe", "--allow-run-as-root"] if "openmpi" in build else []
    command = [mpiexec, "-n", "2", *flags, str(ROOT / ".env/bin/pario"), "run", str(opener)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert "2 ranks" in done.stdout, done.stderr
    assert f"/build/{build}/" in done.stdout


def test_python_program(pario: Pario, wheel: str, tmp_path: Path) -> None:
    """A script of mpi4py loads the drop-in and the libmpi of its own environment."""
    script = tmp_path / "script.py"
    script.write_text(f"from mpi4py import MPI\n{SAY_MAPS}\n")
    for command in ([wheel_python(wheel), script], ["--mpi", wheel, script]):
        done = pario("run", "-n", 1, *command)
        assert done.returncode == 0, done.stderr
        assert f"/build/{wheel}/src/libpario_mpiio.so" in done.stdout
        assert f".env/{wheel}/lib/libmpi.so" in done.stdout


def test_script_with_a_first_line(pario: Pario, wheel: str, tmp_path: Path) -> None:
    """An executable script is a Python program when its first line says so."""
    script = tmp_path / "script"
    script.write_text(f"#!{wheel_python(wheel)}\nfrom mpi4py import MPI\n{SAY_MAPS}\n")
    script.chmod(0o755)
    done = pario("run", "-n", 1, script)
    assert f"/build/{wheel}/src/libpario_mpiio.so" in done.stdout, done.stderr


def test_program_without_mpi(pario: Pario) -> None:
    """A program that loads no MPI is refused, with what to do."""
    done = pario("run", "-n", 2, "ls")
    assert done.returncode == 125
    assert "does not load an MPI library" in done.stderr
    assert "--mpi NAME" in done.stderr


def test_missing_program(pario: Pario) -> None:
    """A program that is not there is named."""
    done = pario("run", "-n", 2, "./absent")
    assert (done.returncode, "./absent: no such program" in done.stderr) == (125, True)


def test_unknown_build(pario: Pario) -> None:
    """A build that does not exist is refused with a list of those that do."""
    done = pario("run", "--mpi", "lam", "ls")
    assert done.returncode == 125
    assert "there is no build 'lam'" in done.stderr
    assert "mpich: for MPICH 5" in done.stderr


def test_build_of_another_mpi(pario: Pario, tmp_path: Path) -> None:
    """A named build that cannot fit the program is refused, not tried."""
    done = pario("run", "--mpi", "openmpi", wheel_python("mpich"), "script.py")
    assert done.returncode == 125
    assert "uses MPICH" in done.stderr


def test_no_fitting_build(pario: Pario, tmp_path: Path) -> None:
    """A library of an MPI without a build: the message says what exists and how to build."""
    source = tmp_path / "other.c"
    source.write_text(
        "#include <string.h>\n"
        'int MPI_Get_library_version(char* text, int* length) { strcpy(text, "LAM 7.1"); *length = 7; return 0; }\n'
    )
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.9", source, "-o", tmp_path / "libmpi.so.9"],
        check=True,
    )
    main = tmp_path / "main.c"
    main.write_text(
        "int MPI_Get_library_version(char*, int*);\n"
        "int main(void) { char text[64]; int length; return MPI_Get_library_version(text, &length); }\n"
    )
    subprocess.run(
        ["cc", main, tmp_path / "libmpi.so.9", f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "main"], check=True
    )
    done = pario("run", "-n", 2, tmp_path / "main")
    assert done.returncode == 125
    assert "uses LAM 7.1" in done.stderr
    assert "no build of Pario fits it" in done.stderr
    assert "Builds that exist here:" in done.stderr


def test_another_copy_of_the_same_release(pario: Pario, tmp_path: Path) -> None:
    """A wheel in the user's own environment is used with its own libmpi and its own mpiexec."""
    for folder in ("lib", "bin", "include"):
        shutil.copytree(
            ROOT / ".env/mpich" / folder,
            tmp_path / "copy" / folder,
            symlinks=True,
            ignore=shutil.ignore_patterns("python3*"),
        )
    program = tmp_path / "opener"
    subprocess.run(
        [str(tmp_path / "copy/bin/mpicc"), str(ROOT / "tests/python/opener.c"), "-o", str(program)],
        check=True,
    )
    shown = pario("run", "-n", 2, "--dry-run", program)
    assert str(tmp_path / "copy/bin/mpiexec") in shown.stdout, shown.stderr
    assert f"LD_LIBRARY_PATH={tmp_path / 'copy/lib'}" in shown.stdout
    assert pario("run", "-n", 2, program).returncode == 3

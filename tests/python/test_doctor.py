"""`pario doctor` tells what is here, and its advice and status follow from that."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import DEBIAN, WHEELS, Result
from pario import probes

Pario = Callable[..., Result]


def findings(done: Result) -> dict[str, dict[str, str]]:
    """What --json says, by what was looked at."""
    return {finding["what"]: finding for finding in json.loads(done.stdout)["findings"]}


def test_every_mpi_has_its_build(pario: Pario) -> None:
    """All four MPIs are found, each with the build that fits."""
    text = pario("doctor").stdout
    for build in (*WHEELS, *DEBIAN):
        assert f"build {build}" in text


def test_nothing_wrong_means_zero(pario: Pario, tmp_path: Path) -> None:
    """The status says the same as the list of faults."""
    done = pario("doctor", "--json", tmp_path)
    faults = [finding for finding in findings(done).values() if finding["state"] == "wrong"]
    assert done.returncode == (1 if faults else 0)
    assert json.loads(done.stdout)["ok"] is not bool(faults)


def test_missing_path_is_a_fault_with_advice(pario: Pario, tmp_path: Path) -> None:
    """A folder that is not there is wrong, and the last lines say what to do."""
    done = pario("doctor", tmp_path / "absent")
    assert done.returncode == 1
    assert f"To do: Create {tmp_path}/absent" in done.stdout


def test_crowded_cores_are_a_note(pario: Pario) -> None:
    """More ranks than cores is no fault."""
    crowd = probes.usable_cores() + 1
    assert findings(pario("doctor", "--json", "-n", crowd))["cores"]["state"] == "note"
    assert findings(pario("doctor", "--json", "-n", 1))["cores"]["state"] == "good"


def test_probes_of_shared_memory_file_system(tmp_path: Path) -> None:
    """/dev/shm is a tmpfs; range locks hold there."""
    shared = Path("/dev/shm")
    assert probes.file_system_type(shared) == "tmpfs"
    assert probes.range_locks(shared).works
    assert probes.shared_memory().works
    assert not any(name.name.startswith(".pario-doctor") for name in shared.iterdir())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_permission(pario: Pario, tmp_path: Path) -> None:
    """A folder that cannot be written is wrong."""
    tmp_path.chmod(0o555)
    assert findings(pario("doctor", "--json", tmp_path))["writing"]["state"] == "wrong"


def test_sizes_are_readable() -> None:
    """Bytes as people say them."""
    assert [probes.readable_bytes(n) for n in (4, 1024, 1536 << 20)] == ["4 B", "1.0 KiB", "1.5 GiB"]

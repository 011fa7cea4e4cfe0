"""`pario bench` measures, shows, and writes what it measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result
from pario import bench

Pario = Callable[..., Result]


def test_a_small_grain_curve(pario: Pario, wheel: str, tmp_path: Path) -> None:
    """Table, JSON and picture agree about who was measured."""
    done = pario(
        "bench",
        "grain",
        "-n",
        2,
        "--size",
        "1M",
        "--grains",
        "64,64K",
        "--repeats",
        2,
        "--mpi",
        wheel,
        "--json",
        "out.json",
        "--picture",
        "out.png",
        limit_s=300,
    )
    assert done.returncode == 0, done.stderr
    (run,) = json.loads((tmp_path / "out.json").read_text())
    assert run["build"] == wheel
    assert run["header"]["ranks"] == 2
    measured = {(m["case"], m["direction"], m["who"]) for m in run["measurements"] if m["bench"] == "grain"}
    assert measured == {
        (c, d, w) for c in ("64", "65536") for d in ("write", "read") for w in ("pario", "native", "block")
    }
    assert all(m["median_mb_s"] > 0 for m in run["measurements"])
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert "Pario / block" in done.stdout


def test_words_that_mean_nothing(pario: Pario) -> None:
    """Bad words end with a sentence and status 125."""
    for words in (["--size", "much"], ["-n", "two"], ["-n", "0"], ["--mpi", "lam"]):
        done = pario("bench", *words)
        assert done.returncode == 125, done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("text", "size"), [("4", 4), ("64K", 65536), ("256M", 256 << 20), ("1GiB", 1 << 30)])
def test_sizes(text: str, size: int) -> None:
    """Sizes as people write them."""
    assert bench.parse_bytes(text) == size


def test_rates_keep_the_order_of_measurement() -> None:
    """One line for each case and direction, everyone beside."""
    lines = [
        {"bench": "grain", "case": c, "direction": "write", "who": w, "median_mb_s": r}
        for c, w, r in (("4", "pario", 9.0), ("4", "native", 3.0), ("16", "pario", 8.0))
    ]
    rates = bench.Result("b", {}, lines).rates("grain")
    assert rates == {("4", "write"): {"pario": 9.0, "native": 3.0}, ("16", "write"): {"pario": 8.0}}

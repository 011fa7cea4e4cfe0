"""`pario bench`: runs the benchmark program of each build and shows what it measured.

The program prints JSON lines on standard output, one header and then one line for each measurement,
and its progress on standard error.
"""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.status import Status
from rich.table import Table

from pario.builds import Build, usable_builds
from pario.launch import describe_builds, mpiexec_flags
from pario.picture import draw_grain_curves
from pario.probes import readable_bytes

ALL_BENCHES = ("grain", "memory", "darray", "levels", "view")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class BenchError(Exception):
    """A measurement could not be made; the text says why."""


@dataclass(frozen=True)
class Request:
    """What to measure. size: bytes of the file, of all ranks together; grains: bytes, empty for the program's."""

    benches: tuple[str, ...]
    ranks: tuple[int, ...]
    size: int
    grains: tuple[int, ...]
    repeats: int
    folder: Path

    @classmethod
    def parse(cls, what: str, ranks: str, size: str, grains: str | None, repeats: int, folder: Path) -> Request:
        """Reads the words of the command line. Raises BenchError on words that mean nothing."""
        try:
            counts = tuple(int(word) for word in ranks.split(","))
        except ValueError:
            raise BenchError(f"-n {ranks}: rank counts are numbers with commas between, such as 2,4") from None
        if min(counts) < 1:
            raise BenchError(f"-n {ranks}: there is at least one rank")
        pieces = tuple(parse_bytes(word) for word in grains.split(",")) if grains else ()
        benches = ALL_BENCHES if what == "all" else (what,)
        return cls(benches, counts, parse_bytes(size), pieces, repeats, folder)

    def arguments(self) -> list[str]:
        """The same for the benchmark program."""
        words = ["--bench", ",".join(self.benches), "--bytes", str(self.size), "--repeats", str(self.repeats)]
        words += ["--dir", str(self.folder)]
        return words + (["--grains", ",".join(map(str, self.grains))] if self.grains else [])


@dataclass
class Result:
    """What one run of the program printed: its header, and its measurements in order."""

    build: str
    header: dict[str, Any] = field(default_factory=dict)
    measurements: list[dict[str, Any]] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Build, MPI and ranks, for a table or a picture."""
        nodes = self.header.get("nodes", 1)
        places = f" on {nodes} nodes" if nodes > 1 else ""
        return f"{self.build}: {self.header['mpi']}, {self.header['ranks']} ranks{places}"

    def rates(self, bench: str) -> dict[tuple[str, str], dict[str, float]]:
        """Median MB/s of a bench that moves data: {(case, direction): {who: rate}}, in the order measured."""
        table: dict[tuple[str, str], dict[str, float]] = {}
        for line in self.measurements:
            if line["bench"] == bench and "median_mb_s" in line:
                table.setdefault((line["case"], line["direction"]), {})[line["who"]] = line["median_mb_s"]
        return table


def parse_bytes(text: str) -> int:
    """A size as people write it: 4, 64K, 256M, 1G; units are powers of 1024."""
    found = re.fullmatch(r"(\d+)([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if not found or int(found.group(1)) == 0:
        raise BenchError(f"{text!r} is not a size; write 4096, 64K, 256M or 1G")
    return int(found.group(1)) * _UNITS[found.group(2).upper()]


def chosen_builds(names: tuple[str, ...]) -> list[Build]:
    """The builds to measure, all if none is named. Raises BenchError if one is missing or has no program."""
    builds = usable_builds()
    known = {build.name: build for build in builds}
    if unknown := [name for name in names if name not in known]:
        raise BenchError(f"there is no build {unknown[0]!r}.\n{describe_builds(builds)}")
    chosen = [known[name] for name in names] or [build for build in builds if build.bench_program.exists()]
    if not chosen:
        raise BenchError(f"no build has a benchmark program.\n{describe_builds(builds)}")
    for build in chosen:
        if not build.bench_program.exists():
            raise BenchError(f"build {build.name!r} has no benchmark program ({build.bench_program})")
    return chosen


def measure(request: Request, builds: list[Build], console: Console) -> list[Result]:
    """Runs every build on every rank count. console: where progress goes."""
    results = []
    for build in builds:
        for ranks in request.ranks:
            with console.status(f"{build.name}, {ranks} ranks") as status:
                results.append(_run(request, build, ranks, status))
    return results


def report(results: list[Result], console: Console, json_path: Path | None, picture_path: Path | None) -> None:
    """Shows the tables; writes the numbers and the picture where that was asked for."""
    for result in results:
        header = result.header
        console.print(
            f"[bold]{result.title}[/], {header['file_system']}, {readable_bytes(header['bytes'])}, "
            f"medians of {header['repeats']}"
        )
        for bench in ALL_BENCHES[:-1]:
            if rates := result.rates(bench):
                console.print(_rate_table(bench, rates))
        if views := [line for line in result.measurements if line["bench"] == "view"]:
            console.print(_view_table(views))
    if json_path:
        write_json(results, json_path)
        console.print(f"Numbers: {json_path}", soft_wrap=True)
    if picture_path and any(result.rates("grain") for result in results):
        draw_grain_curves([(result.title, result.rates("grain")) for result in results], picture_path)
        console.print(f"Picture: {picture_path}", soft_wrap=True)


def write_json(results: list[Result], path: Path) -> None:
    """Writes every number: a list of runs, each with its header and its measurements."""
    path.parent.mkdir(parents=True, exist_ok=True)
    runs = [{"build": r.build, "header": r.header, "measurements": r.measurements} for r in results]
    path.write_text(json.dumps(runs, indent=1) + "\n")


def _run(request: Request, build: Build, ranks: int, status: Status) -> Result:
    if build.mpi is None:
        raise BenchError(f"build {build.name!r}: its MPI has gone; build it again")
    command = [str(build.mpiexec), "-n", str(ranks), *mpiexec_flags(build.mpi)]
    command += [str(build.bench_program), *request.arguments()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        said: deque[str] = deque(maxlen=10)
        follower = threading.Thread(target=_follow, args=(process.stderr, build.name, status, said))
        follower.start()
        result = _read(process.stdout, Result(build.name))
        follower.join()
    if process.returncode != 0 or not result.header:
        raise BenchError(f"{' '.join(command)}\nended with status {process.returncode}:\n" + "\n".join(said))
    return result


def _follow(lines: Iterable[str], name: str, status: Status, said: deque[str]) -> None:
    """Shows the progress of the program and keeps its last words."""
    for line in lines:
        said.append(line.rstrip())
        status.update(f"{name}: {line.strip()}")


def _read(lines: Iterable[str], result: Result) -> Result:
    """Takes the JSON lines; an MPI may print words of its own between them."""
    for line in lines:
        if not line.startswith("{"):
            continue
        entry = json.loads(line)
        if entry["kind"] == "header":
            result.header = entry
        else:
            result.measurements.append(entry)
    return result


def _rate_table(bench: str, rates: dict[tuple[str, str], dict[str, float]]) -> Table:
    table = Table(title=f"{bench} (MB/s)", title_justify="left", header_style="bold")
    table.add_column("grain" if bench in ("grain", "memory") else "case", justify="right")
    for heading in ("direction", "Pario", "MPI's own", "block I/O", "Pario / own", "Pario / block"):
        table.add_column(heading, justify="right")
    for (case, direction), by_whom in rates.items():
        label = readable_bytes(int(case)) if bench in ("grain", "memory") else case
        pario, native, block = (by_whom.get(who) for who in ("pario", "native", "block"))
        cells = [_number(rate, ",.0f") for rate in (pario, native, block)]
        cells += [_number(_ratio(pario, native), ",.2f"), _number(_ratio(pario, block), ".2f")]
        table.add_row(label, direction, *cells)
    return table


def _view_table(lines: list[dict[str, Any]]) -> Table:
    table = Table(title="setting a view", title_justify="left", header_style="bold")
    for heading in ("case", "who", "pieces", "microseconds", "memory"):
        table.add_column(heading, justify="right" if heading != "case" else "left")
    for line in lines:
        time = f"{line['median_seconds'] * 1e6:,.1f}"
        table.add_row(line["case"], line["who"], f"{line['pieces']:,}", time, readable_bytes(line["memory_bytes"]))
    return table


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)

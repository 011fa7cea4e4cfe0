"""The grain curve as a picture: rate over the size of a piece, one row of panels for each run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pario.probes import readable_bytes

Rates = dict[tuple[str, str], dict[str, float]]

# Whom, how it is called, and a colour that also the colour-blind tell apart.
_LINES = (
    ("pario", "Pario", "#0072b2"),
    ("native", "the MPI's own", "#d55e00"),
    ("block", "block I/O", "#777777"),
)


def draw_grain_curves(runs: list[tuple[str, Rates]], path: Path) -> None:
    """Draws title and rates of each run, writing left and reading right. path: ends in .png, .svg or .pdf."""
    # Slow to load, and needed for this alone.
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(len(runs), 2, figsize=(10, 3.2 * len(runs) + 0.6), squeeze=False)
    for (title, rates), row in zip(runs, panels):
        for panel, direction in zip(row, ("write", "read")):
            _draw_panel(panel, rates, direction)
            panel.set_title(f"{title}: {direction}", fontsize=9)
    panels[0][0].legend(fontsize=8, frameon=False)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)


def _draw_panel(panel: Any, rates: Rates, direction: str) -> None:
    grains: list[int] = []
    for who, label, colour in _LINES:
        points = [
            (int(case), by_whom[who]) for (case, way), by_whom in rates.items() if way == direction and who in by_whom
        ]
        if points:
            grains, speeds = map(list, zip(*points))
            style = {"linestyle": "--"} if who == "block" else {"marker": "o", "markersize": 4}
            panel.plot(grains, speeds, label=label, color=colour, **style)
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_xticks(grains, [readable_bytes(grain).replace(".0", "") for grain in grains], fontsize=7, rotation=30)
    panel.set_xlabel("bytes of a piece", fontsize=8)
    panel.set_ylabel("MB/s", fontsize=8)
    panel.grid(True, which="major", color="#dddddd", linewidth=0.6)
    panel.spines[["top", "right"]].set_visible(False)

"""Checks that a room of src/ includes only rooms below it, and that lower rooms see no <mpi.h>."""

from __future__ import annotations

import re
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src"

# Every room, with the rooms that it may include besides itself. Kept as a list of what is allowed,
# so that a new dependency is a decision that shows in a diff.
MAY_INCLUDE = {
    "base": set(),
    "layout": {"base"},
    "storage": {"base"},
    "plan": {"base", "layout"},
    "trace": {"base"},
    "mpi": {"base", "layout"},
    "exchange": {"base", "layout", "plan", "mpi", "storage", "trace"},
    "engine": {"base", "layout", "plan", "mpi", "storage", "exchange", "trace"},
    "mpiio": {"base", "layout", "plan", "mpi", "storage", "exchange", "engine", "trace"},
}
KNOWS_MPI = {"mpi", "exchange", "engine", "mpiio"}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"(\w+)/[^"]+"|<(mpi\.h)>)')


def faults(room: str, source: Path) -> list[str]:
    """What one file includes and may not."""
    found = []
    for number, line in enumerate(source.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match is None:
            continue
        other, mpi = match.groups()
        place = f"{source.relative_to(SOURCES.parent)}:{number}"
        if mpi and room not in KNOWS_MPI:
            found.append(f"{place}: {room} must not see <mpi.h>")
        if other in MAY_INCLUDE and other != room and other not in MAY_INCLUDE[room]:
            found.append(f"{place}: {room} may not include {other}")
    return found


def main() -> int:
    """Looks at every file of every room; 1 if one of them includes what it may not."""
    found: list[str] = []
    for folder in sorted(path for path in SOURCES.iterdir() if path.is_dir()):
        if folder.name not in MAY_INCLUDE:
            found.append(f"src/{folder.name}: a new room; say in scripts/check_rooms.py what it may include")
            continue
        for source in sorted(folder.glob("**/*.[ch]pp")):
            found += faults(folder.name, source)
    print("\n".join(found) or f"{len(MAY_INCLUDE)} rooms keep to those below them")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

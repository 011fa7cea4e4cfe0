"""A room includes only rooms below it (docs/architecture.md): checked over the #include lines."""

import re
import sys
from pathlib import Path

ALLOWED = {
    "base": set(),
    "layout": {"base"},
    "storage": {"base"},
    "trace": set(),
    "plan": {"base", "layout"},
    "mpi": {"base", "layout"},
    "exchange": {"base", "layout", "plan", "mpi"},
    "engine": {"base", "layout", "storage", "trace", "plan", "mpi", "exchange"},
    "mpiio": {"base", "layout", "storage", "plan", "mpi", "engine"},
}
MAY_USE_MPI = {"mpi", "exchange", "engine", "mpiio"}


def faults(source_root):
    for path in sorted(source_root.rglob("*.[ch]pp")):
        room = path.relative_to(source_root).parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            quoted = re.match(r'#include "([a-z]+)/', line)
            if quoted and quoted[1] != room and quoted[1] not in ALLOWED[room]:
                yield f"{path}:{number}: {room} must not include {quoted[1]}"
            if "#include <mpi.h>" in line and room not in MAY_USE_MPI:
                yield f"{path}:{number}: {room} must not know MPI"


def main():
    found = list(faults(Path(__file__).resolve().parent.parent / "src"))
    print("\n".join(found) or "rooms: every include points down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Makes `python -m pario` the same as `pario`."""

from pario.cli import main

main()

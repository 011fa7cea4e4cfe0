"""The pario command: runs unmodified MPI programs on Pario, measures it, and looks at the machine."""

__version__ = "0.1.0"

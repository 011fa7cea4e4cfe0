"""Runs modules of mpi4py's own test suite, unmodified, on all ranks, and tells what came out.

    mpi4py_suite.py TEST-FOLDER RESULT-FILE LEFT-OUT MODULE…

LEFT-OUT: patterns of test names with commas between, not to be run. Rank 0 writes a JSON object
{test name: "passed" | "skipped" | "left out" | the error of the first rank that had one}.
"""

import fnmatch
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from mpi4py import MPI


class Outcomes(unittest.TestResult):
    """Keeps one line for each test."""

    def __init__(self):
        """Starts empty."""
        super().__init__()
        self.by_name = {}

    def startTest(self, test):  # noqa: N802  (unittest's name)
        """A test has passed until something else is said."""
        super().startTest(test)
        if MPI.COMM_WORLD.Get_rank() == 0:
            # Where a run hangs, this is the last line.
            print(test.id(), file=sys.stderr, flush=True)
        self.by_name[test.id()] = "passed"

    def addError(self, test, err):  # noqa: N802
        """Keeps the last line of an error."""
        self.by_name[test.id()] = self._exc_info_to_string(err, test).strip().splitlines()[-1]

    addFailure = addError  # noqa: N815

    def addSubTest(self, test, subtest, err):  # noqa: N802
        """A part of a test that fails makes the test fail."""
        if err is not None:
            self.addError(test, err)

    def addSkip(self, test, reason):  # noqa: N802
        """Keeps that the test was skipped."""
        self.by_name[test.id()] = "skipped"


def flat(suite):
    """The single tests of a suite."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def merge(all_ranks):
    """One outcome for each test: an error of any rank wins."""
    merged = {}
    for name, outcome in ((n, o) for rank in all_ranks for n, o in rank.items()):
        if merged.get(name, "passed") in ("passed", "skipped"):
            merged[name] = outcome if outcome != "passed" else merged.get(name, "passed")
    return merged


def main():
    """Runs, gathers and writes."""
    outcomes = Outcomes()
    patterns = sys.argv[3].split(",")
    chosen = unittest.TestSuite()
    for test in flat(unittest.defaultTestLoader.loadTestsFromNames(sys.argv[4:])):
        if any(fnmatch.fnmatch(test.id(), pattern) for pattern in patterns):
            outcomes.by_name[test.id()] = "left out"
        else:
            chosen.addTest(test)
    chosen.run(outcomes)
    gathered = MPI.COMM_WORLD.gather(outcomes.by_name, root=0)
    if gathered is not None:
        Path(sys.argv[2]).write_text(json.dumps(merge(gathered), indent=1))


main()

"""Small experiments on this machine: each tries a thing and says whether it worked, and why not."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import struct
import tempfile
from dataclasses import dataclass
from pathlib import Path

# The number of io_uring_setup is the same on every Linux architecture but Alpha.
_SYS_IO_URING_SETUP = 425
_DIRECT_ALIGNMENT = 4096
# struct flock of 64-bit Linux: type, whence, start, length, process; padded as in C.
_FLOCK = "hhxxxxqqixxxx"


@dataclass(frozen=True)
class Outcome:
    """What an experiment found: whether it worked, and one short remark."""

    works: bool
    remark: str


def file_system_type(path: Path) -> str:
    """The kernel's name for the file system behind `path`, such as "ext4", "nfs4" or "lustre"."""
    wanted = str(path.resolve())
    best, name = "", "unknown"
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        # The kernel writes a space in a mount point as \040.
        mount_point = left.split()[4].encode().decode("unicode_escape")
        inside = wanted == mount_point or wanted.startswith(mount_point.rstrip("/") + "/")
        if inside and len(mount_point) >= len(best):
            best, name = mount_point, right.split()[0]
    return name


def free_bytes(path: Path) -> int:
    """Bytes that this user may still write behind `path`."""
    facts = os.statvfs(path)
    return facts.f_bavail * facts.f_frsize


def direct_io(folder: Path) -> Outcome:
    """Writes and reads one aligned page past the page cache."""
    block = mmap.mmap(-1, _DIRECT_ALIGNMENT)
    block.write(b"p" * _DIRECT_ALIGNMENT)
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".pario-doctor-") as file:
        try:
            descriptor = os.open(file.name, os.O_RDWR | os.O_DIRECT)
        except OSError as error:
            return Outcome(False, f"open with O_DIRECT: {error.strerror}")
        try:
            written = os.pwrite(descriptor, block, 0)
            read = os.preadv(descriptor, [block], 0)
        except OSError as error:
            return Outcome(False, f"aligned transfer: {error.strerror}")
        finally:
            os.close(descriptor)
    if (written, read) != (_DIRECT_ALIGNMENT, _DIRECT_ALIGNMENT):
        return Outcome(False, f"short transfer: {written} and {read} of {_DIRECT_ALIGNMENT} bytes")
    return Outcome(True, "aligned 4 KiB written and read")


def io_uring() -> Outcome:
    """Asks the kernel for a small ring."""
    libc = ctypes.CDLL(None, use_errno=True)
    parameters = ctypes.create_string_buffer(120)
    descriptor = libc.syscall(_SYS_IO_URING_SETUP, 4, parameters)
    if descriptor >= 0:
        os.close(descriptor)
        return Outcome(True, "a ring can be made")
    code = ctypes.get_errno()
    reasons = {errno.ENOSYS: "the kernel has none", errno.EPERM: "switched off here, often by the container"}
    return Outcome(False, reasons.get(code, os.strerror(code)))


def range_locks(folder: Path) -> Outcome:
    """Locks a range through one open file and sees that another open file is kept out of it only."""
    with (
        tempfile.NamedTemporaryFile(dir=folder, prefix=".pario-doctor-") as first,
        Path(first.name).open("r+b") as second,
    ):
        try:
            _lock(first.fileno(), 0, 100)
            _lock(second.fileno(), 100, 100)
        except OSError as error:
            return Outcome(False, f"open-file-description lock: {error.strerror}")
        try:
            _lock(second.fileno(), 50, 100)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                return Outcome(True, "open-file-description locks hold")
            return Outcome(False, f"second lock: {error.strerror}")
    return Outcome(False, "two files hold a lock on the same range: the file system ignores locks")


def shared_memory() -> Outcome:
    """Makes, fills and maps a small piece of node-shared memory."""
    try:
        with tempfile.TemporaryFile(dir="/dev/shm") as file:
            file.truncate(1 << 16)
            with mmap.mmap(file.fileno(), 1 << 16) as memory:
                memory[0:5] = b"pario"
        facts = os.statvfs("/dev/shm")
    except OSError as error:
        return Outcome(False, f"/dev/shm: {error.strerror}")
    return Outcome(True, f"/dev/shm: {readable_bytes(facts.f_bavail * facts.f_frsize)} free")


def usable_cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0))


def readable_bytes(count: int) -> str:
    """A byte count as people say it: 512 B, 4.0 KiB, 1.5 GiB."""
    value = float(count)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} PiB"


def _lock(descriptor: int, start: int, length: int) -> None:
    request = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, request)

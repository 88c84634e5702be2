"""Write over a file's own bytes, for files that must keep their inode.

Only under a write lease: nobody else has the file open, and whoever opens it waits until we
are done, so no reader sees the middle and no writer is overtaken. Never truncates first: a
crash leaves old and new bytes, which `recover` knows and finishes, never an empty file.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import sys
from typing import Final

from conductd.repair import killpoints
from conductd.repair.late import read_all
from conductd.repair.look import now_at
from conductd.repair.opening import Parent, file_stat
from conductd.repair.order import Applied, Busy, Changed, Method, NoSpace, Order, Outcome, Refused
from conductd.repair.temporary import Damaged, write_whole
from conductd.repair.writers import Held, NoLease, write_lease

FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_KEEP_SIZE: Final = 1


def write_in_place(parent: Parent, order: Order, target: bytes, why: str) -> Outcome:
    """Raises OSError only while nothing has been written. ``why`` goes into the notes."""
    if not parent.still_there():
        return Refused("a parent directory was replaced")
    descriptor = parent.open(parent.name, os.O_RDWR)
    if descriptor is None:
        return Changed(None, None, None)
    try:
        with write_lease(descriptor) as denied:
            if isinstance(denied, Held):
                return Busy(denied.reason)
            if isinstance(denied, NoLease):
                return Refused(f"no lease ({denied.reason}); {why}")
            killpoints.at("in_place.leased")
            outcome = _compare_and_write(descriptor, order, target, why)
        # Reading the file anew would wait for our own lease.
        return now_at(parent) if outcome is None else outcome
    finally:
        os.close(descriptor)


def _compare_and_write(descriptor: int, order: Order, target: bytes, why: str) -> Outcome | None:
    """None: not the judged bytes."""
    old = read_all(descriptor)
    if hashlib.sha256(old).digest() != order.judged:
        return None
    try:
        _reserve(descriptor, len(target))
        write_whole(descriptor, target, halfway="in_place.half_written")
        killpoints.at("in_place.written")
        os.ftruncate(descriptor, len(target))
        killpoints.at("in_place.truncated")
        os.fsync(descriptor)
        killpoints.at("in_place.synced")
        _read_back(descriptor, target)
    except OSError as error:
        _put_old_back(descriptor, old)
        if error.errno in FULL:
            return NoSpace(f"{os.strerror(error.errno)}; {why}")
        return Refused(f"{errno.errorcode.get(error.errno or 0, 'write failed')}; {why}")
    except Damaged as error:
        _put_old_back(descriptor, old)
        return Refused(f"{error}; {why}")
    return Applied(Method.IN_PLACE, file_stat(os.fstat(descriptor)), None, (why,))


def _read_back(descriptor: int, target: bytes) -> None:
    if read_all(descriptor) != target:
        raise Damaged("the file does not hold what was written to it")


def _put_old_back(descriptor: int, old: bytes) -> None:
    """The old bytes' blocks are still the file's own, so this needs no space (except on file
    systems that copy on write; there the journal has both texts and the rescan sees the damage)."""
    write_whole(descriptor, old, halfway="in_place.half_written")
    os.ftruncate(descriptor, len(old))
    os.fsync(descriptor)


def _reserve(descriptor: int, size: int) -> None:
    """Ask for the space before the first byte changes; where that cannot be asked, go on."""
    if sys.platform != "linux" or size <= os.fstat(descriptor).st_size:
        return
    library = ctypes.CDLL(None, use_errno=True)
    try:
        allocate = library.fallocate64 if ctypes.sizeof(ctypes.c_long) == 4 else library.fallocate
    except AttributeError:
        return
    allocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    if allocate(descriptor, _KEEP_SIZE, 0, size) != 0 and ctypes.get_errno() in FULL:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

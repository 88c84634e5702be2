"""Looking at a file around a repair: as late as possible before, and at what came out after."""

from __future__ import annotations

import errno
import hashlib
import os

from conductd.repair.late import LateWatch
from conductd.repair.opening import NotRegular, Opened, Parent, file_stat
from conductd.repair.order import Busy, Changed, Order, Outcome, Refused
from conductd.repair.writers import Held, no_writer


def stopped_by(parent: Parent, order: Order, current: Opened) -> tuple[Outcome | None, tuple[str, ...]]:
    """What forbids the write now (None: nothing), and notes for `Applied`.

    Still the same directory, no writer, still the same file with the judged bytes. Bytes last:
    a writer that was there before the lease question has shown itself by then.
    """
    if not parent.still_there():
        return Refused("a parent directory was replaced"), ()
    writer = no_writer(current.descriptor)
    if isinstance(writer, Held):
        return Busy(writer.reason), ()
    if not current.same_inode(parent.look(parent.name)) or hashlib.sha256(current.reread()).digest() != order.judged:
        return now_at(parent), ()
    return None, (writer.evidence,) if writer.evidence else ()


def taken_out(parent: Parent, temp: bytes) -> Opened | None:
    """What an exchange brought out; None when it is no readable regular file."""
    try:
        return parent.open_and_read(temp)
    except (NotRegular, OSError):
        return None


def now_at(
    parent: Parent, *, others: tuple[bytes, ...] = (), late: LateWatch | None = None, left: bytes | None = None
) -> Changed:
    """`Changed` with what stands at the path at this moment."""
    try:
        opened = parent.open_and_read(parent.name)
    except (NotRegular, OSError):
        opened = None
    if opened is None:
        return Changed(None, None, None, others, late, left)
    try:
        return Changed(opened.data, opened.digest, file_stat(opened.stat), others, late, left)
    finally:
        opened.close()


def set_aside(parent: Parent, temp: bytes, out: Opened | None, others: tuple[bytes, ...]) -> Changed:
    """An exchange was, or could not be, taken back, and ``out`` stands under the temporary name.

    The name goes only when it holds nothing that is not known already; ``others`` must be
    recorded first, and a crash until then must leave them on disk.
    """
    if out is None:
        return now_at(parent, left=temp if parent.look(temp) is not None else None)
    late = LateWatch(out.descriptor, out.digest)
    if others:
        return now_at(parent, others=others, late=late, left=temp)
    parent.unlink(temp)
    return now_at(parent, late=late)


def synced(parent: Parent) -> tuple[str, ...]:
    """Sync the directory; a failure comes too late to undo anything and is told as a note."""
    try:
        parent.sync()
    except OSError as error:
        return (f"the directory could not be synced ({errno.errorcode.get(error.errno or 0, 'unknown')})",)
    return ()


def stat_now(opened: Opened) -> os.stat_result:
    return os.fstat(opened.descriptor)

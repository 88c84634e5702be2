"""Carry out one planned repair, or say why not. The only door of this package that writes.

The caller has journaled the plan and journals how it ended; nothing here knows the journal.
Promise: the target is written only over bytes that were judged, and whatever anybody else
wrote around that moment is still on disk or in the outcome. Blocks on I/O (file syncs);
called by one thread at a time per file.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conductd.repair.appear import create, remove
from conductd.repair.exchange import Exchange, SystemExchange
from conductd.repair.in_place import FULL, write_in_place
from conductd.repair.links import put_link, replace_link
from conductd.repair.mounts import is_mounted_alone
from conductd.repair.opening import NotRegular, Opened, Parent, Unreachable, file_stat
from conductd.repair.order import Applied, Changed, Method, NoSpace, Order, Outcome, Refused
from conductd.repair.plan import Choice, Seen, choose
from conductd.repair.swap import swap
from conductd.repair.temporary import Damaged, SwapRefused

_WORDS: Final = {
    errno.EROFS: "read-only file system",
    errno.EACCES: "not permitted",
    errno.EPERM: "not permitted (immutable, or another user's)",
    errno.EEXIST: "the temporary name is taken",
}

# Whether the file of that name in that directory (a descriptor) is a mount of its own.
MountQuestion = Callable[[int, bytes], bool]


def apply(order: Order, *, exchange: Exchange | None = None, mounted: MountQuestion = is_mounted_alone) -> Outcome:
    """Make the file what the order wants. Never raises OSError: every way it can end is an outcome."""
    try:
        with Parent(order.root, order.path) as parent:
            way = exchange or SystemExchange()
            if order.judged_link is not None:
                return replace_link(parent, order, way)
            if order.target_link is not None:
                return put_link(parent, order, way)
            return _apply(parent, order, way, mounted)
    except Unreachable as error:
        return Refused(error.reason)
    except NotRegular as error:
        return Refused(f"{error.what} stands at the path")
    except Damaged as error:
        return Refused(str(error))
    except OSError as error:
        if error.errno in FULL:
            return NoSpace(os.strerror(error.errno))
        return Refused(_WORDS.get(error.errno or 0, errno.errorcode.get(error.errno or 0, "input/output error")))


def _apply(parent: Parent, order: Order, exchange: Exchange, mounted: MountQuestion) -> Outcome:
    current = parent.open_and_read(parent.name)
    if current is None:
        return _absent(parent, order, exchange)
    try:
        if current.digest != order.judged:
            return Changed(current.data, current.digest, file_stat(current.stat))
        seen = _seen(parent, order, current, mounted)
        choice = choose(seen)
        if choice.method is not Method.IN_PLACE:
            try:
                return _by(choice, parent, order, current, exchange)
            except SwapRefused as error:
                choice = choose(replace(seen, swap_refused=error.why))
    finally:
        current.close()
    # Our own read descriptor is closed by now: it would stand in the way of the lease.
    return write_in_place(parent, order, order.target or b"", choice.why)


def _absent(parent: Parent, order: Order, exchange: Exchange) -> Outcome:
    if order.judged is not None:
        return Changed(None, None, None)
    if order.target is None:
        return Applied(Method.NOTHING, None)
    return create(parent, order, order.target, exchange)


def _by(choice: Choice, parent: Parent, order: Order, current: Opened, exchange: Exchange) -> Outcome:
    if choice.method is Method.SWAP:
        return swap(parent, order, order.target or b"", current, exchange)
    if choice.method is Method.REMOVE:
        return remove(parent, order, current, exchange)
    if choice.method is Method.NOTHING:
        return Applied(Method.NOTHING, file_stat(current.stat))
    return Refused(choice.why)


def _seen(parent: Parent, order: Order, current: Opened, mounted: MountQuestion) -> Seen:
    return Seen(
        wanted=order.target is not None,
        same=order.target == current.data,
        links=current.stat.st_nlink,
        foreign=current.stat.st_uid != os.geteuid(),
        mounted=mounted(parent.descriptor, parent.name),
        configured=order.force_in_place,
        break_links=order.break_links,
    )

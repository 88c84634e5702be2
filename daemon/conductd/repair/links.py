"""Symlinks that give way to a regular file, or to nothing; and back.

By the same steps as a swap: what is wanted is made under the temporary name, exchanged or moved in one atomic step, and
what came out is looked at. A link is never followed, so what it leads to is never touched.
"""

from __future__ import annotations

import errno
import os
import stat

from conductd.repair import killpoints
from conductd.repair.exchange import Exchange
from conductd.repair.late import LateWatch
from conductd.repair.look import now_at, set_aside, stat_now, stopped_by, synced, taken_out
from conductd.repair.model import behind_link
from conductd.repair.opening import Opened, Parent, file_stat
from conductd.repair.order import Applied, Changed, Method, Order, Outcome, Refused
from conductd.repair.swap import EXCHANGE_REFUSED
from conductd.repair.temporary import write_temporary


def replace_link(parent: Parent, order: Order, exchange: Exchange) -> Outcome:
    """``order.judged_link`` stands there; bytes, another link or nothing are wanted. Raises OSError."""
    if read_link(parent, parent.name) != order.judged_link:
        return now_at(parent)
    if not parent.still_there():
        return Refused("a parent directory was replaced")
    if order.target is None and order.target_link is None:
        return _remove_link(parent, order, exchange)
    ours = _make(parent, order)
    try:
        refused = _exchange(parent, order.temp_name, exchange)
        if refused is not None:
            return refused
        killpoints.at("swap.exchanged")
        if read_link(parent, order.temp_name) != order.judged_link:
            return _give_back(parent, order, exchange, taken_out(parent, order.temp_name), ours)
        notes = synced(parent)
        parent.unlink(order.temp_name)
        return Applied(Method.SWAP, None if ours is None else file_stat(stat_now(ours)), None, notes)
    finally:
        if ours is not None:
            ours.close()


def put_link(parent: Parent, order: Order, exchange: Exchange) -> Outcome:
    """The judged bytes, or nothing, stand there; ``order.target_link`` is wanted. Raises OSError."""
    if read_link(parent, parent.name) is not None:
        return now_at(parent)
    current = parent.open_and_read(parent.name)
    if current is None and order.judged is None:
        return _create_link(parent, order, exchange)
    if current is None:
        return Changed(None, None, None)
    try:
        stopped, notes = stopped_by(parent, order, current)
        if stopped is not None:
            return stopped
        _make(parent, order)
        refused = _exchange(parent, order.temp_name, exchange)
        if refused is not None:
            return refused
        killpoints.at("swap.exchanged")
        out = taken_out(parent, order.temp_name)
        if out is None or out.digest != order.judged:
            return _give_back(parent, order, exchange, out, None)
        notes += synced(parent)
        parent.unlink(order.temp_name)
        return Applied(Method.SWAP, None, LateWatch(out.descriptor, out.digest), notes)
    finally:
        current.close()


def read_link(parent: Parent, name: bytes) -> bytes | None:
    """Where a symlink leads; None where none stands."""
    seen = parent.look(name)
    if seen is None or not stat.S_ISLNK(seen.st_mode):
        return None
    try:
        return os.readlink(name, dir_fd=parent.descriptor)
    except OSError:
        return None


def _make(parent: Parent, order: Order) -> Opened | None:
    if order.target_link is None:
        with behind_link(parent) as model:
            return write_temporary(parent, order.temp_name, order.target or b"", None, order.template, model)
    os.symlink(order.target_link, order.temp_name, dir_fd=parent.descriptor)
    return None


def _exchange(parent: Parent, temp: bytes, exchange: Exchange) -> Outcome | None:
    """None: done. What could not be exchanged leaves nothing behind."""
    killpoints.at("swap.checked")
    try:
        exchange.exchange(parent.descriptor, temp, parent.name)
    except OSError as error:
        parent.unlink(temp)
        if error.errno == errno.ENOENT:
            return now_at(parent)
        if error.errno in EXCHANGE_REFUSED:
            return Refused(f"a symlink cannot be exchanged here ({errno.errorcode[error.errno]})")
        raise
    return None


def _give_back(parent: Parent, order: Order, exchange: Exchange, out: Opened | None, ours: Opened | None) -> Outcome:
    """Somebody put ``out`` there at that very moment: it goes back. What stands under the temporary name then is ours,
    or it stays and is told."""
    temp = order.temp_name
    try:
        exchange.exchange(parent.descriptor, temp, parent.name)
    except OSError:
        return set_aside(parent, temp, out, () if out is None else (out.data,))
    if out is not None:
        out.close()
    is_ours = ours.same_inode(parent.look(temp)) if ours is not None else read_link(parent, temp) == order.target_link
    if is_ours:
        parent.unlink(temp)
        return now_at(parent)
    back = taken_out(parent, temp)
    return set_aside(parent, temp, back, () if back is None else (back.data,))


def _create_link(parent: Parent, order: Order, exchange: Exchange) -> Outcome:
    if not parent.still_there():
        return Refused("a parent directory was replaced")
    _make(parent, order)
    try:
        exchange.move(parent.descriptor, order.temp_name, parent.name)
    except FileExistsError:
        parent.unlink(order.temp_name)
        return now_at(parent)
    except OSError:
        parent.unlink(order.temp_name)
        raise
    return Applied(Method.CREATE, None, None, synced(parent))


def _remove_link(parent: Parent, order: Order, exchange: Exchange) -> Outcome:
    try:
        exchange.move(parent.descriptor, parent.name, order.temp_name)
    except FileNotFoundError:
        return now_at(parent)
    killpoints.at("remove.renamed")
    if read_link(parent, order.temp_name) != order.judged_link:
        exchange.move(parent.descriptor, order.temp_name, parent.name)
        return now_at(parent)
    notes = synced(parent)
    parent.unlink(order.temp_name)
    return Applied(Method.REMOVE, None, None, notes)

"""Put one file in place of another in a single atomic step, and look at what came out.

The exchange is atomic, it is no compare: between the last look and the exchange another
program may have saved. So what came out is read; if it is not what was judged, it is put
back, as long as ours is still in place. Whatever then stands nowhere is handed to the caller.
"""

from __future__ import annotations

import errno
from dataclasses import replace
from typing import Final

from conductd.repair import killpoints
from conductd.repair.exchange import Exchange
from conductd.repair.late import LateWatch
from conductd.repair.look import now_at, set_aside, stat_now, stopped_by, synced, taken_out
from conductd.repair.opening import Opened, Parent, file_stat
from conductd.repair.order import Applied, Method, Order, Outcome, Refused
from conductd.repair.temporary import SwapRefused, write_temporary

EXCHANGE_REFUSED: Final = (errno.EBUSY, errno.EINVAL, errno.ENOSYS, errno.EXDEV, errno.EOPNOTSUPP)
# Each round another program saved once between our look and our exchange.
_UNDO_ROUNDS: Final = 8


def swap(parent: Parent, order: Order, target: bytes, current: Opened, exchange: Exchange) -> Outcome:
    """``current`` holds the judged bytes. Raises `SwapRefused` (nothing changed) or OSError."""
    temp = order.temp_name
    ours = write_temporary(parent, temp, target, current, None)
    try:
        stopped, notes = stopped_by(parent, order, current)
        if stopped is None:
            killpoints.at("swap.checked")
            stopped = _exchange(parent, temp, exchange)
        if stopped is not None:
            parent.unlink(temp)
            return stopped
        killpoints.at("swap.exchanged")
        out = taken_out(parent, temp)
        killpoints.at("swap.looked")
        if out is None or out.digest != order.judged:
            return _take_back(parent, temp, target, ours, out, exchange)
        notes += synced(parent)
        killpoints.at("swap.directory_synced")
        parent.unlink(temp)
        killpoints.at("swap.temp_removed")
        return Applied(Method.SWAP, file_stat(stat_now(ours)), LateWatch(out.descriptor, out.digest), notes)
    finally:
        ours.close()


def _exchange(parent: Parent, temp: bytes, exchange: Exchange) -> Outcome | None:
    try:
        exchange.exchange(parent.descriptor, temp, parent.name)
    except FileNotFoundError:
        if parent.look(temp) is None:
            return Refused("the temporary file was removed by another program")
        return now_at(parent)
    except OSError as error:
        parent.unlink(temp)
        if error.errno in EXCHANGE_REFUSED:
            raise SwapRefused(f"exchange: {errno.errorcode[error.errno]}") from error
        raise
    return None


def _take_back(
    parent: Parent, temp: bytes, target: bytes, ours: Opened, out: Opened | None, exchange: Exchange
) -> Outcome:
    """Exchange again while what we put in place is still there.

    When yet another file was saved over ours at that very moment, that newer file comes out; it
    goes back in place of the older one, and so on until an exchange brings out what we had put
    there. What then is under the temporary name is ours, or a text that its successor's writer
    replaced: the latter is returned, never dropped.
    """
    placed: Opened | None = ours
    others: tuple[bytes, ...] = ()
    for _ in range(_UNDO_ROUNDS):
        killpoints.at("undo.before")
        if placed is None or not placed.same_inode(parent.look(parent.name)):
            break
        if placed is ours and ours.reread() != target:
            break  # somebody already writes into our file: taking it away would hide those words
        try:
            exchange.exchange(parent.descriptor, temp, parent.name)
        except OSError:
            break
        killpoints.at("undo.exchanged")
        back = taken_out(parent, temp)
        done = back is not None and back.same_inode(stat_now(placed))
        if placed is not ours:
            placed.close()
        placed, out = out, back
        if done:
            break
    if placed is not None and placed is not ours:
        placed.close()
    synced(parent)
    if out is not None and not (out.same_inode(stat_now(ours)) and out.data == target):
        others = (out.data,)
    result = replace(set_aside(parent, temp, out, others), ours=ours.same_inode(parent.look(parent.name)))
    killpoints.at("undo.set_aside")
    return result

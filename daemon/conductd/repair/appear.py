"""Files that come and go: create what is missing, remove what a repair's undo takes away.

Neither ever replaces a file that appeared in the meantime.
"""

from __future__ import annotations

import errno
import os
from typing import Final

from conductd.repair import killpoints
from conductd.repair.exchange import Exchange
from conductd.repair.late import LateWatch
from conductd.repair.look import now_at, set_aside, stat_now, stopped_by, synced, taken_out
from conductd.repair.model import model_of
from conductd.repair.opening import Opened, Parent, file_stat
from conductd.repair.order import Applied, Method, Order, Outcome, Refused
from conductd.repair.temporary import write_temporary

_CANNOT_TELL: Final = (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)  # no rename that never replaces


def create(parent: Parent, order: Order, target: bytes, exchange: Exchange) -> Outcome:
    """Nothing stands at the path. A file that appears meanwhile stays and is returned."""
    with model_of(order) as model:
        ours = write_temporary(parent, order.temp_name, target, None, order.template, model)
    try:
        killpoints.at("create.before")
        if not parent.still_there():
            parent.unlink(order.temp_name)
            return Refused("a parent directory was replaced")
        try:
            exchange.move(parent.descriptor, order.temp_name, parent.name)
        except FileExistsError:
            parent.unlink(order.temp_name)
            return now_at(parent)
        except OSError as error:
            parent.unlink(order.temp_name)
            if error.errno in _CANNOT_TELL:
                return _create_under_its_name(parent, order, target)
            raise
        killpoints.at("create.renamed")
        notes = synced(parent)
        killpoints.at("create.directory_synced")
        return Applied(Method.CREATE, file_stat(stat_now(ours)), None, notes)
    finally:
        ours.close()


def _create_under_its_name(parent: Parent, order: Order, target: bytes) -> Outcome:
    """Readers may see it half-written; the alternative is to overwrite what may have appeared."""
    try:
        with model_of(order) as model:
            made = write_temporary(parent, parent.name, target, None, order.template, model)
    except FileExistsError:
        return now_at(parent)
    try:
        note = "this file system cannot rename without replacing: created under its own name"
        return Applied(Method.CREATE, file_stat(stat_now(made)), None, (note, *synced(parent)))
    finally:
        made.close()


def remove(parent: Parent, order: Order, current: Opened, exchange: Exchange) -> Outcome:
    """Take the file away under the temporary name, look at it there, then drop it."""
    stopped, notes = stopped_by(parent, order, current)
    if stopped is not None:
        return stopped
    killpoints.at("remove.before")
    try:
        _move(parent, exchange, parent.name, order.temp_name)
    except FileNotFoundError:
        return now_at(parent)
    killpoints.at("remove.renamed")
    out = taken_out(parent, order.temp_name)
    killpoints.at("remove.looked")
    if out is None or out.digest != order.judged:
        return _bring_back(parent, order, out, exchange)
    notes += synced(parent)
    parent.unlink(order.temp_name)
    killpoints.at("remove.temp_removed")
    return Applied(Method.REMOVE, None, LateWatch(out.descriptor, out.digest), notes)


def _bring_back(parent: Parent, order: Order, out: Opened | None, exchange: Exchange) -> Outcome:
    try:
        _move(parent, exchange, order.temp_name, parent.name)
    except FileExistsError:
        return set_aside(parent, order.temp_name, out, () if out is None else (out.data,))
    if out is not None:
        out.close()
    synced(parent)
    return now_at(parent)


def _move(parent: Parent, exchange: Exchange, source: bytes, target: bytes) -> None:
    """Rename without replacing; where the file system cannot promise that, look first."""
    try:
        exchange.move(parent.descriptor, source, target)
    except OSError as error:
        if error.errno not in _CANNOT_TELL:
            raise
        if parent.look(target) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from error
        os.rename(source, target, src_dir_fd=parent.descriptor, dst_dir_fd=parent.descriptor)

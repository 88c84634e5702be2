"""The file that lends a new one its mode, owner and attributes: what it takes the place of, or is written with."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from conductd.repair.opening import NotRegular, Parent, Unreachable
from conductd.repair.order import Order

# A device or a FIFO behind the link must not stop us.
_LOOK: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@contextmanager
def model_of(order: Order) -> Iterator[int | None]:
    """A descriptor of it; None: there is none that can be looked at."""
    descriptor = None
    if order.like is not None:
        try:
            with Parent(order.root, order.like) as parent:
                descriptor = parent.open(parent.name, os.O_RDONLY)
        except (Unreachable, NotRegular, OSError):
            descriptor = None
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


@contextmanager
def behind_link(parent: Parent) -> Iterator[int | None]:
    """A descriptor of the regular file that the link leads to, only to be looked at: nothing of it is read."""
    descriptor = None
    try:
        descriptor = os.open(parent.name, _LOOK, dir_fd=parent.descriptor)
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
    except OSError:
        is_file = False
    try:
        yield descriptor if is_file else None
    finally:
        if descriptor is not None:
            os.close(descriptor)

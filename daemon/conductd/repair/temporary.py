"""The temporary file of a swap: made beside the target, dressed like it, synced and checked.

It is private (0600) until everything else about it is right, and never has a name that an
agent loads or indexes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import suppress
from typing import Final

from conductd.core.temp_name import temp_name
from conductd.model import FileStat
from conductd.repair import killpoints
from conductd.repair.opening import Opened, Parent

# A swap would leave something behind that cannot be copied: then the file is written in place.
_NOT_ALLOWED: Final = (errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.EINVAL)


class SwapRefused(Exception):
    """A swap is impossible or would do harm here; nothing has been changed. ``why`` is for people."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Damaged(Exception):
    """What was written does not read back as written: the disk or a program tampered with it."""


def new_temp_name() -> bytes:
    """A fresh name for a plan: dot-prefixed, no ``.md``, 64 random bits."""
    return temp_name(os.urandom(8))


def write_temporary(
    parent: Parent, name: bytes, data: bytes, like: Opened | None, template: FileStat | None, model: int | None = None
) -> Opened:
    """Make ``name`` hold ``data``, durably, with mode, owner and extended attributes of ``like``
    (or mode and owner of ``template``; of ``model``, a descriptor, whatever may be taken over). Raises
    `SwapRefused`, `Damaged` or OSError, and then leaves no file behind."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, 0o600, dir_fd=parent.descriptor)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES) and like is not None:
            raise SwapRefused("no new file can be made in the directory") from error
        raise
    try:
        killpoints.at("temp.created")
        write_whole(descriptor, data, halfway="temp.half_written")
        killpoints.at("temp.written")
        if like is not None:
            _dress_like(descriptor, like)
        else:
            if model is not None:
                _dress_as_permitted(descriptor, model, template)
            if template is not None:
                _dress_from(descriptor, template)
        killpoints.at("temp.dressed")
        os.fsync(descriptor)
        killpoints.at("temp.synced")
        return _reopened(parent, name, descriptor, data)
    except BaseException:
        parent.unlink(name)
        raise
    finally:
        # Our own write descriptor must be gone before the file is in place.
        os.close(descriptor)


def write_whole(descriptor: int, data: bytes, *, halfway: str) -> None:
    """Write ``data`` from offset 0, over what is there; short writes are continued."""
    middle = len(data) // 2
    _write_at(descriptor, data[:middle], 0)
    killpoints.at(halfway)
    _write_at(descriptor, data[middle:], middle)


def _write_at(descriptor: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def _reopened(parent: Parent, name: bytes, descriptor: int, data: bytes) -> Opened:
    opened = parent.open_and_read(name)
    if opened is None:
        raise Damaged("the temporary file has gone")
    if opened.digest != hashlib.sha256(data).digest() or not opened.same_inode(os.fstat(descriptor)):
        opened.close()
        raise Damaged("the temporary file does not hold what was written to it")
    return opened


def _dress_like(descriptor: int, like: Opened) -> None:
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (like.stat.st_uid, like.stat.st_gid):
        try:
            os.fchown(descriptor, like.stat.st_uid, like.stat.st_gid)
        except OSError as error:
            if error.errno in _NOT_ALLOWED:
                raise SwapRefused("owner or group cannot be kept") from error
            raise
    os.fchmod(descriptor, stat.S_IMODE(like.stat.st_mode))
    # After the mode: an access control list sets the mode's group bits itself.
    _copy_attributes(like.descriptor, descriptor)


def _dress_as_permitted(descriptor: int, model: int, template: FileStat | None) -> None:
    """Attributes of another file, and without a template its mode and owner; what is not permitted is left out."""
    of, made = os.fstat(model), os.fstat(descriptor)
    if template is None and (made.st_uid, made.st_gid) != (of.st_uid, of.st_gid):
        with suppress(OSError):
            os.fchown(descriptor, of.st_uid, of.st_gid)
    with suppress(OSError, SwapRefused):
        _copy_attributes(model, descriptor)
    os.fchmod(descriptor, stat.S_IMODE(of.st_mode) & 0o777)


def _dress_from(descriptor: int, template: FileStat) -> None:
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (template.uid, template.gid) and os.geteuid() == 0:
        os.fchown(descriptor, template.uid, template.gid)
    os.fchmod(descriptor, stat.S_IMODE(template.mode))


def _copy_attributes(source: int, target: int) -> None:
    """Extended attributes, POSIX access control lists among them (Linux keeps them as such)."""
    if not hasattr(os, "listxattr"):
        return
    try:
        names = os.listxattr(source)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.ENOSYS):
            return
        raise
    for name in names:
        value = os.getxattr(source, name)
        if _attribute(target, name) == value:
            continue
        try:
            os.setxattr(target, name, value)
        except OSError as error:
            if error.errno in _NOT_ALLOWED:
                raise SwapRefused(f"the attribute {name} cannot be kept") from error
            raise
    for name in set(os.listxattr(target)).difference(names):
        # A directory's default access control list gave the new file one that the old one lacks.
        try:
            os.removexattr(target, name)
        except OSError as error:
            if error.errno in _NOT_ALLOWED:
                raise SwapRefused(f"the attribute {name} cannot be left out") from error
            raise
    os.fchmod(target, stat.S_IMODE(os.fstat(source).st_mode))


def _attribute(descriptor: int, name: str) -> bytes | None:
    try:
        return os.getxattr(descriptor, name)
    except OSError:
        return None

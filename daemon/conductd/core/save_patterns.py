"""What editors leave beside a file while they have it open or save it, by name and by content.

Owns the names (swap, lock, backup, temporary) and the reading of the two that say who: vim's swap header
and Emacs' lock link. Pure. A name proves nothing: anybody can make one. `engine.gathering.editing` asks whether a
living editor stands behind it.

Sources: vim `:help swap-file`, `:help backup`, its swap layout (block zero) read from files of vim 9.0; Emacs
manual, "Interlocking" and "Backup"; GLib `g_file_replace`; nano `--locking`; helix, kakoune, joe and
LibreOffice as their releases name files.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

SWAP_HEADER = 1_024
_DIRTY_AT = 1_007
_CLEAN, _DIRTY = 0x00, 0x55


class Kind(StrEnum):
    """What a name beside a file is. ``SWAP`` and ``LOCK`` stand while the file is open (or changed in the editor),
    ``BACKUP`` and ``TEMP`` in the middle of a save, ``PROBE`` for an instant before one."""

    SWAP = "swap"
    LOCK = "lock"
    BACKUP = "backup"
    TEMP = "temp"
    PROBE = "probe"


class Trace(NamedTuple):
    """``editor``: family that makes such names, "" when several do. ``target``: the file's name, None where the
    name does not tell."""

    editor: str
    kind: Kind
    target: bytes | None


class Swap(NamedTuple):
    """The header of a swap file. ``modified``: the text in the editor differs from the file."""

    version: str
    pid: int
    user: str
    host: str
    modified: bool


class Lock(NamedTuple):
    """Who holds a lock link: ``user@host.pid`` with Emacs' boot time after it."""

    user: str
    host: str
    pid: int


_NAMES: tuple[tuple[re.Pattern[bytes], str, Kind], ...] = tuple(
    (re.compile(pattern, re.S), editor, kind)
    for pattern, editor, kind in (
        (rb"\.(.+)\.s[a-w][a-z]", "vim", Kind.SWAP),
        (rb"\.(.+)\.kate-swp", "kate", Kind.SWAP),
        (rb"\.#(.+)", "emacs", Kind.LOCK),
        (rb"\.~lock\.(.+)#", "libreoffice", Kind.LOCK),
        (rb"#(.+)#", "emacs", Kind.TEMP),
        (rb"\.goutputstream-[A-Z0-9]{6}", "gedit", Kind.TEMP),
        (rb"(.+)___jb_tmp___", "jetbrains", Kind.TEMP),
        (rb"(.+)___jb_(?:old|bak)___", "jetbrains", Kind.BACKUP),
        (rb"(.+)\.sb-[0-9a-f]{8}-[A-Za-z0-9]{6}", "textedit", Kind.TEMP),
        (rb"\.subl[0-9a-z]{1,8}\.tmp", "sublime", Kind.TEMP),
        (rb"(.+?)\.?[A-Za-z0-9]{6}\.bck", "helix", Kind.BACKUP),
        (rb"\.(.+)\.kak\.[A-Za-z0-9]{6}", "kakoune", Kind.TEMP),
        (rb"(.+)~", "", Kind.BACKUP),
        (rb"4913", "vim", Kind.PROBE),
    )
)
# A first look that costs next to nothing: every name above has one of these at its ends.
_MAY_BE = re.compile(rb"(?s)[.#].*|.*(?:~|___|\.bck|\.sb-.{15})|4913")


def trace_of(name: bytes) -> Trace | None:
    """What the last part of a path is in a save, or None for any other name."""
    if not _MAY_BE.fullmatch(name):
        return None
    for pattern, editor, kind in _NAMES:
        found = pattern.fullmatch(name)
        if found is not None:
            return Trace(editor, kind, found[1] if pattern.groups else None)
    return None


def read_swap(data: bytes) -> Swap | None:
    """The header of a swap file as vim, neovim and nano write it; None when it is no such thing.

    Numbers are little-endian on disk wherever vim runs; text fields end with a zero byte.
    """
    if len(data) < SWAP_HEADER or data[:2] != b"b0":
        return None
    if data[_DIRTY_AT] not in (_CLEAN, _DIRTY):
        return None
    pid = int.from_bytes(data[24:28], "little")
    if not 0 < pid < 1 << 31:
        return None
    return Swap(_text(data[2:12]), pid, _text(data[28:68]), _text(data[68:108]), data[_DIRTY_AT] == _DIRTY)


def read_lock(target: bytes) -> Lock | None:
    """The target of Emacs' (or joe's) lock link; None when it is no such thing."""
    found = re.fullmatch(rb"(?s)(.*)@(.*)\.(\d{1,10})(?::-?\d+)?", target)
    if found is None:
        return None
    return Lock(_shown(found[1]), _shown(found[2]), int(found[3]))


def _text(field: bytes) -> str:
    return _shown(field.split(b"\0", 1)[0])


def _shown(text: bytes) -> str:
    return text.decode("utf-8", "replace")

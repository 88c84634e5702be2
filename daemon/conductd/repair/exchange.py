"""Two renames that the standard library does not have: exchange, and never-replace.

Linux ``renameat2(2)`` (RENAME_EXCHANGE, RENAME_NOREPLACE), macOS ``renameatx_np(2)``
(RENAME_SWAP, RENAME_EXCL). Both are atomic for every reader of the directory. Neither
compares anything: callers look at what came out. Errors are OSError as the kernel gives
them; a platform without the call raises ENOSYS.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Callable
from typing import Final, Protocol

from conductd import macos

# ``renameat2`` by number, for C libraries without the wrapper (musl before 1.2.5).
_RENAMEAT2_NUMBER: Final = {
    "x86_64": 316,
    "i686": 353,
    "aarch64": 276,
    "riscv64": 276,
    "loongarch64": 276,
    "armv7l": 382,
    "ppc64le": 357,
    "s390x": 347,
}
_LINUX_NOREPLACE, _LINUX_EXCHANGE = 1, 2

# int rename(int from_dir, bytes from, int to_dir, bytes to, unsigned flags)
_Rename = Callable[[int, bytes, int, bytes, int], int]


class Exchange(Protocol):
    """Both names are single parts in the directory ``directory`` (a descriptor)."""

    def exchange(self, directory: int, one: bytes, other: bytes) -> None:
        """Each name gets the other's file. ENOENT when one of them is missing."""
        ...

    def move(self, directory: int, source: bytes, target: bytes) -> None:
        """Rename; EEXIST when ``target`` exists, whatever it is."""
        ...


class SystemExchange:
    """The kernel's calls."""

    def __init__(self) -> None:
        self._rename, self._exchange_flag, self._move_flag = _system_rename()

    def exchange(self, directory: int, one: bytes, other: bytes) -> None:
        self._call(directory, one, other, self._exchange_flag)

    def move(self, directory: int, source: bytes, target: bytes) -> None:
        self._call(directory, source, target, self._move_flag)

    def _call(self, directory: int, source: bytes, target: bytes, flags: int) -> None:
        if self._rename is None:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        if self._rename(directory, source, directory, target, flags) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), source, None, target)


def _system_rename() -> tuple[_Rename | None, int, int]:
    library = ctypes.CDLL(None, use_errno=True)
    if macos.IS_MACOS:
        return _typed(library, macos.RENAMEATX), macos.RENAME_SWAP, macos.RENAME_EXCL
    found = _typed(library, "renameat2")
    number = _RENAMEAT2_NUMBER.get(platform.machine())
    if found is None and number is not None and sys.platform == "linux":
        found = _by_number(library, number)
    return found, _LINUX_EXCHANGE, _LINUX_NOREPLACE


def _typed(library: ctypes.CDLL, name: str) -> _Rename | None:
    try:
        function = getattr(library, name)
    except AttributeError:
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    function.restype = ctypes.c_int
    return function  # type: ignore[no-any-return]  # ctypes function pointers are untyped


def _by_number(library: ctypes.CDLL, number: int) -> _Rename:
    syscall = library.syscall
    syscall.restype = ctypes.c_long

    def rename(from_directory: int, source: bytes, to_directory: int, target: bytes, flags: int) -> int:
        return int(
            syscall(
                ctypes.c_long(number),
                ctypes.c_int(from_directory),
                ctypes.c_char_p(source),
                ctypes.c_int(to_directory),
                ctypes.c_char_p(target),
                ctypes.c_uint(flags),
            )
        )

    return rename

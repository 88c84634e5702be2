"""Names that a file system may take for one: upper and lower case, composed and decomposed characters. Pure.

APFS and HFS+ (by default), NTFS and vfat, and ext4 and f2fs directories with case folding take such names for one
another; most Linux file systems do not.
"""

from __future__ import annotations

import unicodedata


def spelt_alike(name: str) -> str:
    """The same for all spellings of a name."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def spelt_alike_path(path: bytes) -> str:
    """As `spelt_alike`; bytes that are no UTF-8 stand for themselves."""
    return spelt_alike(path.decode("utf-8", "surrogateescape"))

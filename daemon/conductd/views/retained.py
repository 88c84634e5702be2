"""What `conductd gc` erased, or would erase."""

from __future__ import annotations

from conductd.views.base import View


class GcFileView(View, frozen=True):
    """Of one file: how many of its versions have content, how many lose it, and what that takes on disk."""

    workspace: str
    root: str
    path: str
    path_b64: str
    versions: int
    erased: int
    bytes: int


class GcView(View, frozen=True):
    """``bytes``: what the content takes that goes; what stays is stored anew, which takes some of it back. ``freed``:
    by how much the journal got smaller, None where nothing was erased (yet)."""

    text: str
    dry_run: bool
    versions: int
    erased: int
    bytes: int
    freed: int | None
    files: list[GcFileView]
    journal_bytes: int
    max_bytes: int  # 0: no limit
    request: int | None = None

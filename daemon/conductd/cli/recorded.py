"""What a daemon recorded of its workspaces, read without asking it: profile and mode, by root."""

from __future__ import annotations

import os
from contextlib import closing

from conductd.errors import ConductdError
from conductd.model import Mode


def recorded(state_dir: str) -> dict[bytes, tuple[str, Mode]]:
    """Profile and mode of what a daemon recorded and nobody let go of: the file must not say less than holds now."""
    path = os.path.join(state_dir, "index.sqlite3")
    if not os.path.isfile(path):
        return {}
    from conductd.index.reader import IndexReader

    with closing(IndexReader(path)) as reader:
        try:
            ended = reader.ended()
            return {
                row.root: (row.profile, Mode(row.mode))
                for row in reader.workspaces()
                if row.workspace not in ended and row.mode in set(Mode)
            }
        except ConductdError:
            return {}

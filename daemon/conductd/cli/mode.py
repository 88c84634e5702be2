"""What `protect` and `observe` share: set the mode of one directory and say so."""

from __future__ import annotations

import os

from conductd.cli import files, output
from conductd.cli.options import Options
from conductd.errors import NotFound, UsageError


def set_mode(options: Options, directory: str, mode: str) -> None:
    root = files.path(directory)
    if not os.path.lexists(root):
        raise NotFound(f"there is no directory {directory}", "name the directory that holds the memory files")
    if not os.path.isdir(root):
        raise UsageError(f"this is not a directory: {directory}", "name the directory that holds the memory files")
    with options.client() as client:
        view = client.set_mode(root, mode)
    if options.json:
        output.as_json(view)
        return
    from conductd.cli import render

    output.lines(render.workspace(view))

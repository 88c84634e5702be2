"""What `protect` and `observe` share: set the mode of one directory and say so."""

from __future__ import annotations

import os

from conductd.cli import files, outcome, output
from conductd.cli.options import Options
from conductd.errors import NotFound, UsageError


def set_mode(options: Options, directory: str, mode: str) -> int:
    root = files.path(directory)
    if mode != "end" and not os.path.lexists(root):
        raise NotFound(f"there is no directory {directory}", "name the directory that holds the memory files")
    if mode != "end" and not os.path.isdir(root):
        raise UsageError(f"this is not a directory: {directory}", "name the directory that holds the memory files")
    with options.client() as client:
        view = client.set_mode(root, mode)
    code = 0 if view.request is None else outcome.REQUESTED
    if options.json:
        output.as_json(view)
        return code
    from conductd.cli import render

    output.lines(render.workspace(view))
    return code

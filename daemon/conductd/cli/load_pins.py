"""Which lines of the loaded files a person pinned: asked of the daemon where one answers.

What stands between `<!-- pin -->` marks is seen without it. A daemon that is slow or gone is not waited for.
"""

from __future__ import annotations

import base64
import os

from msgspec.structs import replace

from conductd.core.load.loaded import Load

_WAIT_S = 2.0
_SURELY_FITS = 100  # bytes of a path that no system leads elsewhere


def with_pins(load: Load, socket_path: bytes) -> Load:
    """The same with its pinned lines; unchanged when nothing is cut, or nobody answers."""
    if not load.truncated or (len(socket_path) < _SURELY_FITS and not os.path.exists(socket_path)):
        return load
    from conductd.api.socket_path import find  # slow to load, and needed for long paths only

    if not os.path.exists(find(socket_path, os.environ)):
        return load
    from conductd.api.client import Client
    from conductd.errors import ConductdError

    lines: dict[bytes, set[int]] = {}
    try:
        with Client(socket_path, _WAIT_S) as client:
            for pin in client.pins():
                if pin.state == "held":
                    path = os.path.join(os.fsencode(pin.root), base64.b64decode(pin.path_b64))
                    lines.setdefault(os.path.realpath(path), set()).add(pin.line)
    except (ConductdError, OSError):
        return load
    return replace(
        load,
        files=tuple(
            replace(each, pinned=tuple(sorted(lines.get(os.path.realpath(os.fsencode(each.path)), ()))))
            for each in load.files
        ),
    )

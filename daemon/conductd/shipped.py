"""Files that the project ships beside its code: in a wheel inside the package, in a checkout where they are written."""

from __future__ import annotations

import os

from conductd.errors import NotFound

_HERE = os.path.dirname(os.path.abspath(__file__))
_PLACES = (os.path.join(_HERE, "_shipped"), os.path.join(_HERE, "..", ".."))


def text(name: str) -> str:
    """The text of a file by its path in the project, as `systemd/conductd.service`. Raises NotFound."""
    for place in _PLACES:
        try:
            with open(os.path.join(place, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            continue
    raise NotFound(f"this installation has no {name}", "install conductd anew")


def names(directory: str) -> list[str]:
    """The files of a directory of the project, sorted; none where it is not shipped."""
    for place in _PLACES:
        if os.path.isdir(os.path.join(place, directory)):
            return sorted(os.listdir(os.path.join(place, directory)))
    return []

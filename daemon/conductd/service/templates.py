"""The unit and the launch agent that the project ships: in a wheel inside the package, in a checkout at its top."""

from __future__ import annotations

import os

from conductd.errors import NotFound

_HERE = os.path.dirname(os.path.abspath(__file__))
_PLACES = (os.path.join(_HERE, "shipped"), os.path.join(_HERE, "..", "..", ".."))


def template(name: str) -> str:
    """The text of `systemd/conductd.service` or `launchd/dev.conductd.daemon.plist`. Raises NotFound."""
    for place in _PLACES:
        try:
            with open(os.path.join(place, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            continue
    raise NotFound(f"this installation has no {name}", "install conductd anew")

"""How a module of conductd is run as a process of its own: of this Python, from this place.

What can take for ever or too much memory (judging large files, expressions of people, the secret rules) runs in one
that can be ended. Starts nothing itself.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Where the package lies, so that the process finds it whether it is installed or not; never the package itself, whose
# modules would stand before those of the standard library (`secrets`).
_ABOVE = str(Path(__file__).resolve().parent.parent)


def command(module: str) -> list[str]:
    """To be run in "/", with `environment`: nothing of the working directory is imported then."""
    return [sys.executable, "-m", module]


def environment() -> dict[str, str]:
    given = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([_ABOVE, given] if given else [_ABOVE])}

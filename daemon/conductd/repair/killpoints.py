"""Named places where a test process may be killed: between every two steps of a repair, of forgetting and of gc.

In production `at` calls a function that does nothing. Only the test entry point installs
another one (it kills its own process at the name it was given); nothing in the package does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

# The engine, around forgetting: hidden, not answered; what stands is noted; segments are rewritten; all but the index.
FORGETTING: Final = ("forget.hidden", "forget.noted", "forget.rewritten", "forget.recorded")

# The engine, around gc: what goes is known; it is on record; segments are rewritten, nobody knows that yet.
COLLECTING: Final = ("gc.planned", "gc.recorded", "gc.rewritten")

# The engine, within a set of writes: one is done, the next is not begun.
SETS: Final = ("between",)

NAMES: Final = (
    # the engine, around the repair: the plan is journaled; the outcome is not yet
    "planned",
    "applied",
    *SETS,
    *FORGETTING,
    *COLLECTING,
    # swap, create: the temporary file
    "temp.created",
    "temp.half_written",
    "temp.written",
    "temp.dressed",
    "temp.synced",
    # swap
    "swap.checked",
    "swap.exchanged",
    "swap.looked",
    "swap.directory_synced",
    "swap.temp_removed",
    # swap that came too late
    "undo.before",
    "undo.exchanged",
    "undo.set_aside",
    # create
    "create.before",
    "create.renamed",
    "create.directory_synced",
    # remove
    "remove.before",
    "remove.renamed",
    "remove.looked",
    "remove.temp_removed",
    # in place
    "in_place.leased",
    "in_place.half_written",
    "in_place.written",
    "in_place.truncated",
    "in_place.synced",
)


def _nothing(_name: str) -> None:
    return None


_hook: Callable[[str], None] = _nothing


def at(name: str) -> None:
    """The repair has reached the place called ``name`` (one of `NAMES`)."""
    _hook(name)


def install(hook: Callable[[str], None] | None) -> None:
    """For the test entry point only: call ``hook`` at every place; None: do nothing again."""
    global _hook  # the one reference that a test replaces
    _hook = hook or _nothing

"""The card of a workspace as it is asked for: whose loader, which day, within which limits. Any thread.

Called by the daemon's `Bootcards` and, without a daemon, by the command line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import date

from conductd.agents import loading
from conductd.agents.loading import Asked
from conductd.agents.profiles import GENERIC, Profile
from conductd.config.schema import Config
from conductd.core.bootcard.card import LEAST_TOKENS, Limits
from conductd.core.load.loaded import Load
from conductd.core.load.openclaw_versions import Session
from conductd.engine.bootcards.gathering import Place, card_of
from conductd.engine.bootcards.reading import Clean
from conductd.engine.bootcards.showing import view
from conductd.engine.loading.readers import readers
from conductd.errors import UsageError
from conductd.model import Frozen
from conductd.views import PinView
from conductd.views.bootcard import BootcardView

MOST_LINES = 500
MOST_TOKENS = 100_000


class Wish(Frozen, frozen=True):
    """``agent`` "": the one that the configuration names, else the one that the directory looks like. ``lines``,
    ``tokens`` 0: as configured. ``has_checks``: with what the checks of the night found."""

    today: date
    agent: str = ""
    version: str = ""
    session: str = ""
    lines: int = 0
    tokens: int = 0
    has_checks: bool = True


class Around(Frozen, frozen=True):
    """What a card is made with beside the files. ``pins`` None: no daemon could be asked."""

    config: Config
    env: Mapping[str, str]
    home: str
    profile: Profile = GENERIC
    pins: Sequence[PinView] | None = None
    clean: Clean | None = None
    reports: tuple[bytes, ...] = ()


def made(root: bytes, wish: Wish, around: Around) -> BootcardView:
    """Raises UsageError for an agent, a version or limits that there are not."""
    limits = _limits(wish, around.config)
    load, said = _loaded(root, wish, around)
    if around.pins is None:
        said.append("pins of the daemon are not known: it does not run, or does not know this directory")
    place = Place(root, os.fsencode(around.home), around.profile.trees, around.reports)
    card = card_of(place, wish.today, load, around.pins, around.config.pinned_in, limits, around.clean)
    said += [f"not read: {name} ({why})" for name, why in card.unread]
    return view(card, root, load, around.pins is not None, said)


def _limits(wish: Wish, config: Config) -> Limits:
    lines, tokens = wish.lines or config.bootcard.lines, wish.tokens or config.bootcard.tokens
    if not 1 <= lines <= MOST_LINES:
        raise UsageError(f"a card has 1 to {MOST_LINES} lines, not {lines}", "20 unless said")
    if not LEAST_TOKENS <= tokens <= MOST_TOKENS:
        raise UsageError(f"a card has {LEAST_TOKENS} to {MOST_TOKENS} tokens, not {tokens}", "500 unless said")
    return Limits(lines, tokens, wish.has_checks)


def _loaded(root: bytes, wish: Wish, around: Around) -> tuple[Load | None, list[str]]:
    """What the agent loads, and what was guessed, or is not known. Of several agents of a workspace the first."""
    loaders = loading.with_further(each.chain() for each in around.config.agents)
    text = os.fsdecode(root)
    table = around.config.workspace(root)
    session = wish.session or (table.session if table is not None else "main")
    said: list[str] = []
    if wish.agent:
        loader = loading.named(wish.agent, loaders)
        version = wish.version or loading.version_of(loader, around.env)[0]
    else:
        found = readers(text, around.profile, table, loaders, around.env, around.home)
        if not found:
            return None, ["nothing says which agent loads it: what is loaded whole is not known"]
        loader, version = found[0].loader, wish.version or found[0].asked.version
        said += found[0].said
    try:
        return loader.load(Asked(text, version, Session(session), around.env, around.home)), said
    except UsageError as error:
        return None, [*said, f"what {loader.display} loads is not known: {error.message}"]


def day(text: str) -> date:
    """Raises UsageError for what is no day."""
    try:
        # Other forms of the standard are not taken.
        found = date.fromisoformat(text) if len(text) == len("2026-03-08") and text[4] + text[7] == "--" else None
    except ValueError:
        found = None
    if found is None:
        raise UsageError(f"{text[:40]} is no day", "write it like 2026-03-08")
    return found

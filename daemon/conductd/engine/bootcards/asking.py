"""What a caller may ask of a running daemon about boot cards (implements `faces.Bootcards`). Any thread."""

from __future__ import annotations

import os
from datetime import date, datetime

from conductd.agents.homes import home_of
from conductd.agents.profiles import profile_named
from conductd.engine.bootcards.making import Around, Wish, day, made
from conductd.engine.health.overview import Parts
from conductd.engine.people.naming import Naming
from conductd.engine.people.pinning import Pinning
from conductd.engine.workspaces import Handle
from conductd.errors import Ambiguous, NotFound
from conductd.faces import CardWish
from conductd.views.bootcard import BootcardView


class Bootcards:
    """See the module."""

    def __init__(self, parts: Parts, naming: Naming, pinning: Pinning) -> None:
        self._, self._naming, self._pinning = parts, naming, pinning

    def bootcard(self, workspace: str | None, wish: CardWish) -> BootcardView:
        """Raises NotFound, Ambiguous for the workspace; UsageError for an agent, a version, a day, limits."""
        return self.of(self._handle(workspace), wish)

    def of(self, handle: Handle, wish: CardWish) -> BootcardView:
        parts = self._
        env = dict(os.environ)
        around = Around(
            config=parts.workspaces.config,
            env=env,
            home=home_of(env),
            profile=profile_named(handle.profile, parts.workspaces.profiles),
            pins=self._pinning.pins(handle.id),
            clean=parts.repairer.cleaned,
            reports=(os.path.join(os.fsencode(parts.state_dir), b"reports", os.fsencode(handle.id)),),
        )
        today = day(wish.date) if wish.date else self.today()
        asked = Wish(today, wish.agent, wish.version, wish.session, wish.lines, wish.tokens, wish.has_checks)
        return made(handle.root, asked, around)

    def today(self) -> date:
        """By the daemon's clock, where it runs."""
        return datetime.fromtimestamp(self._.clock.wall_ns() / 1e9).astimezone().date()

    def _handle(self, workspace: str | None) -> Handle:
        wanted = self._naming.workspace(workspace)
        handles = [each for each in self._.workspaces.handles() if wanted in (None, each.id)]
        if not handles:
            raise NotFound("there is no workspace", "conductd status lists them")
        if len(handles) > 1:
            raise Ambiguous(f"there are {len(handles)} workspaces", "name one: conductd bootcard DIR")
        return handles[0]

"""Gives the notifier what it needs of the daemon: the history, names of workspaces, what was lost."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from conductd.config.schema import Config
from conductd.core.notifying.wording import ended
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.reports import Reports
from conductd.errors import ConductdError
from conductd.faces import Service
from conductd.notify.notifier import Notifier
from conductd.notify.routes import routes, spool_path
from conductd.notify.spool import Spool
from conductd.secrets.scan import masked

LINES = 3  # of an excerpt
LONGEST = 160
_PAGE = re.compile(r"(report|recap)/[0-9W-]+\.html")  # what is sent along, of a workspace's reports


class Carrying:
    """The notifier of the configuration in force; ``tell`` is given each new one, None where there is no channel."""

    def __init__(
        self, parts: Parts, service: Service, env: Mapping[str, str], tell: Callable[[Notifier | None], None]
    ) -> None:
        self._parts, self._service, self._env, self._tell = parts, service, env, tell
        self._spool: Spool | None = None  # one for all: it is written through one connection
        self._running: Notifier | None = None

    def take(self, config: Config) -> None:
        """What waits to be sent waits on; what one of the old channels is sending just now may come twice."""
        self.stop()
        for each in self._parts.degraded.list():
            if each.reason.startswith("channel:"):
                self._parts.degraded.clear(each.reason)
        if config.channels or os.path.exists(spool_path(self._parts.state_dir)):  # what waits for none is shown
            self._spool = self._spool or _spool(self._parts)
            self._running = notifier(self._parts, self._service, config, self._env, self._spool)
            self._running.start()
        self._tell(self._running)

    def stop(self) -> None:
        if self._running is not None:
            self._running.stop()
            self._running = None


def notifier(parts: Parts, service: Service, config: Config, env: Mapping[str, str], spool: Spool) -> Notifier:
    made = routes(config, env)

    def root(workspace: str) -> str:
        with parts.state.lock:
            known = parts.state.workspaces.get(workspace)
        return os.fsdecode(known.root) if known is not None else ""

    def became(incident: int) -> str:
        with parts.state.lock:
            known = parts.state.incidents.get(incident)
        return ended(known.record) if known is not None else ""

    def excerpt(incident: int) -> tuple[str, ...]:
        """The first lines of what was lost, without what is taken for a secret."""
        try:
            changes = service.explain(incident).changes
        except ConductdError:
            return ()
        texts = [" ".join(entry.text.split()) for change in changes for entry in change.lost]
        lines = [masked(text) for text in texts[:LINES]]
        cut = [line if len(line) <= LONGEST else line[: LONGEST - 1] + "…" for line in lines]
        return (*cut, f"and {len(texts) - LINES} more") if len(texts) > LINES else tuple(cut)

    def trouble(channel: str, why: str) -> None:
        reason = f"channel:{channel}"
        if why:
            message = f"notices do not get out on the channel {channel}: {why}"
            parts.degraded.raise_(reason, message, f"conductd notify test {channel}")
        else:
            parts.degraded.clear(reason)

    for each in made:
        if each.place is None:
            trouble(each.channel.name, each.why)

    def attached(workspace: str, name: str) -> bytes | None:
        is_ours = _PAGE.fullmatch(name) is not None
        return Reports(parts.state_dir, workspace).get(name.encode()) if is_ours else None

    clock = parts.clock
    return Notifier(
        made, spool, parts.journal, clock.wall_ns, clock.mono_ns, root, excerpt, became, trouble, attached=attached
    )


def _spool(parts: Parts) -> Spool:
    """On disk; in memory while the disk takes nothing: recording does not stop for it, nor do notices."""

    def trouble(why: str) -> None:
        if why:
            message = f"notices that wait are kept in memory alone, their disk takes nothing: {why}"
            parts.degraded.raise_("notice_spool", message, "make room on the disk of the state directory")
        else:
            parts.degraded.clear("notice_spool")

    return Spool(spool_path(parts.state_dir), parts.journal.uuid, trouble)

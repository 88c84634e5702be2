"""Gives the notifier what it needs of the daemon: the history, names of workspaces, what was lost."""

from __future__ import annotations

import os
from collections.abc import Mapping

from conductd.config.schema import Config
from conductd.core.notifying.wording import ENDED
from conductd.engine.health.overview import Parts
from conductd.errors import ConductdError
from conductd.faces import Service
from conductd.notify.notifier import Notifier
from conductd.notify.routes import routes, spool_path
from conductd.notify.spool import Spool
from conductd.secrets.scan import masked

LINES = 3  # of an excerpt
LONGEST = 160


def notifier(parts: Parts, service: Service, config: Config, env: Mapping[str, str]) -> Notifier | None:
    """None where no channel is configured."""
    if not config.channels:
        return None
    made = routes(config, env)

    def root(workspace: str) -> str:
        with parts.state.lock:
            known = parts.state.workspaces.get(workspace)
        return os.fsdecode(known.root) if known is not None else ""

    def became(incident: int) -> str:
        with parts.state.lock:
            known = parts.state.incidents.get(incident)
        return ENDED.get(known.record.state, "") if known is not None else ""

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
    spool = Spool(spool_path(parts.state_dir))
    return Notifier(made, spool, parts.journal, parts.clock.wall_ns, root, excerpt, became, trouble)

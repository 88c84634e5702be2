"""What `conductd memory` is asked about: whose memory, in which workspace, by the rules of which release."""

from __future__ import annotations

import os
from typing import NamedTuple

from conductd.agents import loading
from conductd.agents.openclaw_memory_settings import MemorySettings, memory_settings
from conductd.cli.output import harmless
from conductd.core.load.openclaw_versions import Version, parse_version
from conductd.core.openclaw_memory.collections import Collection
from conductd.core.openclaw_memory.collections import collections as of
from conductd.core.openclaw_memory.rules import rules
from conductd.errors import NotFound, UsageError


class Asked(NamedTuple):
    """``release`` as it is said, ``notes``: what was guessed and what the configuration makes unclear."""

    own: MemorySettings
    version: Version
    release: str
    notes: list[str]


def asked(workspace: str | None, agent: str | None, release: str | None) -> Asked:
    """Raises NotFound for an agent or a directory that there is not, UsageError for no version."""
    notes: list[str] = []
    openclaw = loading.named("openclaw")
    if release is None:
        release, is_installed = loading.version_of(openclaw, os.environ)
        notes.append(
            f"version {release} is installed" if is_installed else f"no version is installed: taken as {release}"
        )
    version = parse_version(release)
    if version is None:
        raise UsageError(f"{release} is no version of OpenClaw", "say it like 2026.9.6")
    root = os.path.abspath(workspace) if workspace is not None else None if agent is not None else os.getcwd()
    own = memory_settings(root, agent, version, os.environ, os.path.expanduser("~"))
    if own is None:
        raise NotFound(
            f"no configuration of OpenClaw has an agent {harmless(agent or 'main')}",
            "name the directory: --workspace DIR",
        )
    if not os.path.isdir(own.workspace):
        raise NotFound(f"there is no directory {harmless(own.workspace)}", "check --workspace and --agent-id")
    if not own.searches:
        notes.append("memory search is switched off for this agent: it finds and reads none of it")
    return Asked(own, version, ".".join(map(str, version)), [*notes, *own.notes])


def collections(those: Asked) -> tuple[Collection, ...]:
    """As the QMD backend had them; also where it is not in use."""
    own, by = those.own, rules(those.version)
    if not by.has_qmd:
        those.notes.append("the QMD backend was removed in 2026.8.1: these are the collections that it had before")
        by = rules((2026, 7, 35))
    elif not own.qmd_is_on:
        those.notes.append('memory.backend is not "qmd": these are the collections that it would have')
    return of(own.workspace, own.agent, own.qmd_has_own, own.qmd, by)

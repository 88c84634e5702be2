"""Every check, in the order in which they are told, and all of them asked at once. Pure.

docs/doctor.md lists them; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from conductd.core.doctor import (
    attested,
    configured,
    links,
    loading,
    names,
    provenance,
    running,
    store,
    watching,
    weak_settings,
    workspace,
)
from conductd.core.doctor.facts import AgentFacts, Facts, Workspace
from conductd.core.doctor.finding import Check, Finding, asked

WORKSPACE: tuple[Check[Workspace], ...] = (
    *workspace.CHECKS[:2],
    *names.CHECKS,
    *links.CHECKS,
    *workspace.CHECKS[2:],
    *watching.WORKSPACE,
)
AGENT: tuple[Check[AgentFacts], ...] = (
    *attested.CHECKS,
    *loading.CHECKS,
    *provenance.CHECKS,
    *weak_settings.CHECKS,
)

# Of facts of several kinds: what they have in common is a name and words.
ALL: tuple[Check[Any], ...] = (
    *running.CHECKS,
    *configured.CHECKS,
    *configured.PROTECTED,
    *store.CHECKS,
    *store.CLOCK,
    *watching.CHECKS,
    *WORKSPACE,
    *AGENT,
)


def examine(facts: Facts) -> list[Finding]:
    """What every check says of these facts."""
    return [*_machine(facts), *(found for each in facts.workspaces for found in examine_workspace(each))]


def _machine(facts: Facts) -> Iterator[Finding]:
    for one in running.CHECKS:
        yield from asked(one, facts.running)
    for two in configured.CHECKS:
        yield from asked(two, facts.configured)
    for three in configured.PROTECTED:
        yield from asked(three, facts.protected)
    for four in store.CHECKS:
        yield from asked(four, facts.store)
    for five in store.CLOCK:
        yield from asked(five, facts.clock)
    for six in watching.CHECKS:
        yield from asked(six, facts.watches)


def examine_workspace(of: Workspace) -> Iterator[Finding]:
    """What is found in one workspace, that of its agents last."""
    for check in WORKSPACE:
        yield from (replace(found, subject=of.root) for found in asked(check, of))
    for agent in of.agents:
        for each in AGENT:
            yield from (replace(found, subject=of.root, agent=agent.name) for found in asked(each, agent))

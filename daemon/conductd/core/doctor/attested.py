"""What OpenClaw noted of a workspace, copies that sandboxed sessions work in, releases newer than known. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conductd.core.doctor.facts import AgentFacts
from conductd.core.doctor.finding import Check, Seen, fail, ok, unknown, warn
from conductd.core.doctor.links import names

DAY_NS = 86_400 * 1_000_000_000
_SQLITE = (2026, 8, 1)


def _attested(agent: AgentFacts) -> Iterator[Seen]:
    if agent.legacy_state and _release(agent.version) >= _SQLITE:
        yield fail(
            f"state of an older release lies there ({', '.join(agent.legacy_state)}): this one refuses the workspace",
            "openclaw doctor --fix",
        )
    if not agent.attested_ns:
        yield ok("OpenClaw has not noted this workspace as whole yet")
        return
    files = [file for file in agent.load.files if not file.is_marker] if agent.load is not None else []
    if agent.load is None:
        yield unknown("whether the files that OpenClaw noted are there could not be found out")
    elif not files:
        within = agent.now_ns - agent.attested_ns < DAY_NS
        then = "it refuses to start" if within else "it makes its templates anew"
        yield fail(
            f"OpenClaw noted this workspace as whole, and now it is empty: {then}",
            "conductd restore --at TIME DIR brings its files back; do that before the agent starts",
        )
    elif agent.templates and {file.name for file in files} <= set(agent.templates):
        yield warn(
            f"every file is the template that OpenClaw made ({', '.join(agent.templates)}): it looks re-seeded",
            "conductd log; if there was more, conductd restore --at TIME DIR",
        )


def _sandboxes(agent: AgentFacts) -> Iterator[Seen]:
    values = agent.values or {}
    mode = values.get("agent.sandbox.mode") or values.get("agents.defaults.sandbox.mode")
    access = values.get("agent.sandbox.workspaceAccess") or values.get("agents.defaults.sandbox.workspaceAccess")
    if mode in ("all", "non-main") and access != "rw":
        yield warn(
            f"sandbox.mode is {mode} and workspaceAccess is {access or 'none'}: sessions write into a copy of the "
            "workspace, and what they note there is lost to the others",
            'set sandbox.workspaceAccess to "rw", or protect the copies',
        )
    if agent.sandboxes:
        yield warn(
            f"copies of workspaces that sandboxed sessions work in: {names(agent.sandboxes)}",
            "protect those that hold notes: conductd protect DIR",
            agent.sandboxes,
        )


def _release_known(agent: AgentFacts) -> Iterator[Seen]:
    if agent.problem:
        yield unknown(f"what {agent.display} loads could not be worked out: {agent.problem}")
    for each in agent.unread:
        yield unknown(
            f"{each} cannot be read or understood: what it sets for {agent.display} is not known", "correct the file"
        )
    if not agent.version:
        yield unknown(f"which release of {agent.display} runs here is not known")
    elif not agent.is_installed:
        yield unknown(
            f"no installed {agent.display} was found: taken as {agent.version}", "name it with --agent-version VERSION"
        )
    elif agent.newest and _release(agent.version) > _release(agent.newest):
        yield warn(
            f"{agent.display} {agent.version} is newer than the newest release known here ({agent.newest})",
            "update conductd; limits and names may have changed",
        )


def _release(version: str) -> tuple[int, ...]:
    found = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?", version)
    return tuple(int(part or 0) for part in found.groups()) if found else ()


def _is_openclaw(agent: AgentFacts) -> bool:
    return agent.name == "openclaw"


CHECKS: tuple[Check[AgentFacts], ...] = (
    Check(
        "agent_release",
        "which release of the agent is installed, and whether its rules are known",
        "Limits, names and order differ by release: what is said here holds for the one that is named.",
        "its release is known",
        _release_known,
        (),
        lambda agent: bool(agent.newest or agent.problem or agent.unread),
    ),
    Check(
        "attested",
        "what OpenClaw noted of the workspace: emptied or re-seeded since, state of an older release",
        "OpenClaw fills an emptied workspace with its templates after a day, which hides that all is lost.",
        "the workspace is as OpenClaw noted it",
        _attested,
        ("attested_ns",),
        _is_openclaw,
    ),
    Check(
        "sandboxes",
        "sandboxed sessions that work in a copy of the workspace",
        "Notes that are written into a copy are not in the memory, and conductd does not see them.",
        "no session works in a copy",
        _sandboxes,
        ("values", "sandboxes"),
        _is_openclaw,
    ),
)

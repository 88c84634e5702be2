"""``[[agents]]``: an agent described as a chain of files with limits, and what such a description may not say.

Owns the keys and what contradicts itself in them; what they mean is `core.load.chains` and `core.load.limits`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import msgspec

from conductd.config.lines import Place
from conductd.core.load.chains import Chain, Step, When, Where
from conductd.core.load.limits import PLACEHOLDERS, Keep, Limits, unknown_placeholders
from conductd.core.load.loaded import Unit
from conductd.model import Role

AGENT_NAME = msgspec.Meta(pattern="^[a-z0-9][a-z0-9-]*$", description="small letters, digits and hyphens")
Size = Annotated[int, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Hops = Annotated[int, msgspec.Meta(ge=0, le=10)]
_ROUNDING = 1e-9  # 0.7 + 0.3 is not quite 1


class AgentStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One look for the files of an agent: where, for which names. None: as the agent says."""

    names: tuple[str, ...]
    where: Where = Where.ROOT
    first: bool = False  # of these names only the first that a directory has
    once: bool = False  # only the first file of all
    when: When = When.ALWAYS  # the key of the front matter that must say that it is always loaded
    per_file: Size | None = None
    lines: Size | None = None
    keep: Keep | None = None
    head: Share | None = None
    tail: Share | None = None
    marker: str | None = None
    marker_counted: bool | None = None
    skip_over: Size | None = None
    trim_start: bool | None = None
    trim_end: bool | None = None
    frontmatter: bool | None = None
    comments: bool | None = None
    in_total: bool | None = None
    imports: Hops | None = None


class AgentConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One ``[[agents]]``. Sizes are in ``unit``, `skip_over` in bytes; 0: no limit."""

    name: Annotated[str, AGENT_NAME]
    steps: tuple[AgentStep, ...]
    display: str = ""
    marks: tuple[str, ...] = ()  # paths of which any says that a directory is this agent's
    unit: Literal["utf16", "characters", "bytes"] = "characters"
    per_file: Size = 0
    total: Size = 0  # of all files together, in load order
    lines: Size = 0  # of one file, from the top
    keep: Keep = Keep.HEAD
    head: Share = 0.0  # shares of the limit
    tail: Share = 0.0
    marker: str = ""  # what stands in the hole
    marker_counted: bool = False
    skip_over: Size = 0  # bytes
    trim_start: bool = False
    trim_end: bool = False
    frontmatter: bool = True  # loaded and counted
    comments: bool = True
    imports: Hops = 0  # hops of `@file`
    program: str = ""
    packages: tuple[str, ...] = ()
    roles: dict[str, Role] = {}  # glob -> role; the first that fits decides
    trees: tuple[str, ...] = ()  # directories protected with all below
    find: tuple[str, ...] = ()  # directories that are its workspaces

    def limits(self) -> Limits:
        return _limits(self, Limits())

    def chain(self) -> Chain:
        own = self.limits()
        return Chain(
            self.name,
            self.display or self.name,
            self.marks,
            tuple(_step(each, own) for each in self.steps),
            self.program,
            self.packages,
            unit=Unit[self.unit.upper()],
            limits=own,
            total=self.total,
            roles=tuple(self.roles.items()),
            trees=self.trees,
            find=self.find,
        )


def _step(step: AgentStep, own: Limits) -> Step:
    return Step(step.where, step.names, step.first, step.once, step.when, _limits(step, own))


def _limits(table: AgentConfig | AgentStep, given: Limits) -> Limits:
    said = {name: value for name in Limits.__struct_fields__ if (value := getattr(table, name, None)) is not None}
    return msgspec.structs.replace(given, **said)


def agent_faults(agents: tuple[AgentConfig, ...]) -> Iterator[tuple[Place, str]]:
    """What contradicts itself, each with its place."""
    names: set[str] = set()
    for number, agent in enumerate(agents):
        place: Place = ("agents", number)
        if agent.name in names:
            yield (*place, "name"), f"{agent.name} is described twice"
        names.add(agent.name)
        if not agent.steps:
            yield (*place, "steps"), "must have at least one step"
        own = agent.limits()
        some = agent.total or any(step.per_file for step in agent.steps)
        yield from _limit_faults(place, own, has_other=bool(some), said={})
        for at, step in enumerate(agent.steps):
            yield from _step_faults((*place, "steps", at), step, own, has_total=agent.total > 0)
        for key in ("marks", "trees"):
            for at, path in enumerate(getattr(agent, key)):
                if _is_elsewhere(path):
                    yield (*place, key, at), f"must be a path below the workspace, is {path[:60]}"
        for at, path in enumerate(agent.find):
            if not path.startswith(("/", "~/")):
                yield (*place, "find", at), f"must be absolute or start with ~/, is {path[:60]}"
        if agent.packages and not agent.program:
            yield (*place, "packages"), "needs `program`, by which the installed package is found"


def _step_faults(place: Place, step: AgentStep, own: Limits, *, has_total: bool) -> Iterator[tuple[Place, str]]:
    if not step.names:
        yield (*place, "names"), "must name at least one file"
    for at, name in enumerate(step.names):
        if _is_elsewhere(name):
            where = 'with `where = "home"` or "system" for what lies elsewhere'
            yield (*place, "names", at), f"must be a relative path, {where}, is {name[:60]}"
    said = {key: value for key in Limits.__struct_fields__ if (value := getattr(step, key, None)) is not None}
    if said:
        yield from _limit_faults(place, _limits(step, own), has_other=has_total, said=said)


def _limit_faults(
    place: Place, limits: Limits, *, has_other: bool, said: Mapping[str, object]
) -> Iterator[tuple[Place, str]]:
    """``has_other``: a limit is said elsewhere. ``said``: the keys of a step; {}: of the agent. What the agent says
    wrong is not told of each step again."""

    def here(*keys: str) -> bool:
        return not said or any(key in said for key in keys)

    if limits.keep is Keep.HEAD_TAIL:
        if here("keep", "head", "tail") and not (limits.head and limits.tail):
            yield (*place, "keep"), 'needs `head` and `tail`, the shares of the limit that "head-tail" keeps'
        elif here("head", "tail", "keep") and limits.head + limits.tail > 1 + _ROUNDING:
            yield (*place, "tail"), f"`head` and `tail` together must be at most 1, are {limits.head + limits.tail:.6g}"
        if here("keep", "per_file") and not limits.per_file and not has_other:
            yield (*place, "keep"), '"head-tail" needs a limit: `per_file` or `total`'
    elif here("keep", "head", "tail") and (limits.head or limits.tail):
        yield (*place, "keep"), f'`head` and `tail` are for "head-tail", not for "{limits.keep}"'
    if limits.lines and limits.keep is not Keep.HEAD and here("lines", "keep"):
        yield (*place, "lines"), f'are counted from the top: not with `keep = "{limits.keep}"`'
    if here("marker"):
        for each in unknown_placeholders(limits.marker):
            known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            yield (*place, "marker"), f"{{{each[:30]}}} means nothing, known are {known}"
    if limits.marker_counted and not limits.marker and here("marker", "marker_counted"):
        yield (*place, "marker_counted"), "there is no `marker` to count"


def _is_elsewhere(path: str) -> bool:
    return path.startswith(("/", "~")) or ".." in path.split("/")

"""Which workspaces a start takes on: those given, else configured, else found, else a demo."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec
import structlog

from conductd.agents.demo import create as create_demo
from conductd.agents.discover import find, unread
from conductd.agents.profiles import known_profiles, profile_named
from conductd.agents.recognised import recognised
from conductd.config import Config, refuse_state_dir_in
from conductd.engine.fold.state import State
from conductd.errors import NotFound, UsageError
from conductd.model import Frozen, Mode
from conductd.views import shown
from conductd.watch.watched import leaves

log = structlog.get_logger("roots")

# No memory, with all below: what the kernel makes up, and what the system is started from.
SYSTEM_TREES = (
    *(b"/proc", b"/sys", b"/dev", b"/boot", b"/bin", b"/sbin", b"/lib", b"/lib32", b"/lib64", b"/libx32"),
    *(b"/usr/bin", b"/usr/sbin", b"/usr/lib", b"/usr/lib32", b"/usr/lib64", b"/usr/libexec", b"/usr/include"),
    *(b"/System", b"/Library/Apple"),
)
# The system's own as well, where a person may keep an agent's directory below.
SYSTEM_PLACES = (
    *(b"/etc", b"/usr/share", b"/usr/src", b"/var/cache", b"/var/log", b"/var/mail", b"/var/spool", b"/snap"),
    *(b"/private/etc", b"/private/var/log", b"/Library"),
)
# Everybody's, of Linux and macOS: a workspace lies below, in a directory of its own.
SYSTEM_ROOTS = frozenset(
    {
        *(b"/", b"/home", b"/lost+found", b"/media", b"/mnt", b"/net", b"/nix", b"/opt", b"/run", b"/srv", b"/tmp"),
        *(b"/usr", b"/usr/local", b"/var", b"/var/lib", b"/var/lock", b"/var/opt", b"/var/run", b"/var/tmp"),
        *(b"/dev/shm", b"/run/user", b"/Applications", b"/Network", b"/Users", b"/Volumes", b"/cores", b"/private"),
        *(b"/private/tmp", b"/private/var", b"/private/var/tmp", b"/private/var/folders"),
        *SYSTEM_PLACES,
    }
)
_SHARED_MEMORY = b"/dev/shm/"  # among the devices, and everybody's files all the same


class Chosen(Frozen, frozen=True):
    """A workspace, its mode, and why it is here: "given", "config", "found" or "demo".

    ``is_named``: the configuration says the profile; else a known workspace keeps the one it has.
    """

    path: bytes
    mode: Mode
    profile: str
    why: str
    agent_state: bytes | None = None
    is_named: bool = False


def choose(
    given: tuple[bytes, ...],
    observe: bool,
    demo: bool,
    config: Config,
    environ: Mapping[str, str],
    state_dir: str,
) -> tuple[Chosen, ...]:
    """A directory that is not there is chosen all the same: it may come (see `something_to_do`). Makes nothing."""
    chains = [each.chain() for each in config.agents]
    found = {each.root: each for each in find(environ, chains=chains)}
    if given:
        roots = [os.path.realpath(path) for path in given]
        why = "given"
    elif config.workspaces:
        roots, why = [table.root_bytes for table in config.workspaces], "config"
    elif found:
        roots, why = list(found), "found"
    else:
        place = os.path.join(os.path.dirname(state_dir), "conductd-demo")
        roots, why = [os.fsencode(place)] if demo else [], "demo"
    for path in unread(environ) if why in ("found", "demo") else ():
        log.warning("this cannot be read or understood: what it holds or names is not found", path=path)
    chosen = []
    for root in dict.fromkeys(roots):
        table, known = config.workspace(root), found.get(root)
        mode = Mode.OBSERVE if observe else config.mode_of(root, found=why == "found")
        named = table.profile if table else None
        profile = named or (known.profile if known else recognised(root, environ, chains, found=()))
        chosen.append(Chosen(root, mode, profile, why, known.state_dir if known else None, named is not None))
    if why == "given":
        _refuse_given(chosen, config)
    return tuple(chosen)


def _refuse_given(chosen: Iterable[Chosen], config: Config) -> None:
    profiles = known_profiles(each.chain() for each in config.agents)
    given = {each.path: each.profile for each in chosen}

    def is_apart(outer: bytes, below: bytes) -> bool:
        table = config.workspace(outer)
        return leaves(profile_named(given[outer], profiles), table.extra if table else (), below)

    for root in given:
        refuse_root(root, given, is_apart)


def refuse_root(
    root: bytes, others: Iterable[bytes], is_apart: Callable[[bytes, bytes], bool] = lambda _outer, _below: False
) -> None:
    """Raises UsageError for a directory that is no workspace: of the system's own, or with files of a watched one.

    `others`: the workspaces there are already; one of them is never refused. A workspace within another one would have
    two histories for a file, unless the outer one watches nothing there (`is_apart(outer, path below it)`).
    """
    real = os.path.realpath(root)
    there = {os.path.realpath(other): other for other in others}
    if is_systems(real):
        raise UsageError(f"{shown(root)} is the system's, no workspace", "name the directory that holds MEMORY.md")
    for outer, inner in _nested(real, there):
        if is_apart(outer, inner[len(outer.rstrip(b"/")) + 1 :]):
            continue
        how, other = ("is inside", outer) if inner == real else ("holds", inner)
        raise UsageError(
            f"{shown(root)} {how} the workspace {shown(there[other])}: a file can be in one workspace only",
            "watch one of the two; what one lacks can be added to it in the configuration (extra)",
        )


def is_systems(real: bytes) -> bool:
    """Whether a real path is a directory of the operating system's own, or one for everybody."""
    if real in SYSTEM_ROOTS:
        return True
    if any(is_within(real, tree) for tree in SYSTEM_TREES):
        return not real.startswith(_SHARED_MEMORY)
    return any(is_within(real, place) for place in SYSTEM_PLACES) and not _has_notes(real)


def _has_notes(real: bytes) -> bool:
    try:
        return any(name.lower().endswith(b".md") or name in (b"memory", b"memories") for name in os.listdir(real))
    except OSError:
        return False


def _nested(real: bytes, others: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """(outer, inner), for all that lie in it or around it."""
    for other in others:
        if other != real and is_within(real, other):
            yield other, real
        elif other != real and is_within(other, real):
            yield real, other


def refuse_state(root: bytes, state_dir: str) -> None:
    """Raises UsageError for a directory in or around the state directory: recording the record would never end."""
    real, state = os.path.realpath(root), os.path.realpath(os.fsencode(state_dir))
    if is_within(real, state):
        raise UsageError(f"{shown(root)} is inside conductd's own state directory", "name another directory")
    if is_within(state, real):
        raise UsageError(f"{shown(root)} holds conductd's own state directory", "move one of them")


def is_within(path: bytes, directory: bytes) -> bool:
    return path == directory or path.startswith(directory.rstrip(b"/") + b"/")


def chosen_anew(
    given: tuple[bytes, ...],
    observe: bool,
    demo: bool,
    config: Config,
    environ: Mapping[str, str],
    state_dir: str,
    state: State,
) -> tuple[Chosen, ...]:
    """The workspaces of another configuration, while the daemon runs. Raises ConductdError where it cannot be run
    with."""
    roots = choose(given, observe, demo, config, environ, state_dir)
    refuse_state_dir_in(state_dir, [root.path for root in roots])
    roots = remembered(roots, state, observe)
    something_to_do(roots, state)
    return tuple(each for each in roots if each.why != "decided" or state.workspace_at(each.path) is not None)


def something_to_do(roots: tuple[Chosen, ...], state: State) -> None:
    """Raises NotFound when nothing of what was asked for is there or ever was: a slip of the pen, most likely.

    With anything else to guard, or one that is only away, a start goes on and waits for what is missing. The demo
    is made where it is all there is.
    """
    if not roots:
        raise NotFound("no workspace was given and none was found", "conductd run --workspace DIR")
    for root in roots:
        if root.why == "demo":
            create_demo(os.fsdecode(root.path))
    if not any(os.path.isdir(root.path) or state.workspace_at(root.path) for root in roots):
        raise NotFound(f"no directory {shown(roots[0].path)}", "give a directory that exists")


def remembered(chosen: tuple[Chosen, ...], state: State, observe: bool) -> tuple[Chosen, ...]:
    """A person's `protect` and `observe` outlive a restart: they set the mode, and bring back the workspace.

    What a person protected stays known when its directory is gone, until it is let go of: it is missing then, and
    never quietly replaced by a demo.
    """
    decided = {track.root: track for track in state.workspaces.values() if track.decided}
    chosen = tuple(_as_recorded(each, state) for each in chosen)
    roots = [
        msgspec.structs.replace(each, mode=decided[each.path].mode) if each.path in decided and not observe else each
        for each in chosen
    ]
    here = {each.path for each in chosen}
    for root, track in decided.items():
        if root not in here and (os.path.isdir(root) or track.mode is Mode.PROTECT):
            roots.append(Chosen(root, Mode.OBSERVE if observe else track.mode, track.profile, "decided"))
    return tuple(each for each in roots if each.why != "demo" or len(roots) == 1)


def _as_recorded(root: Chosen, state: State) -> Chosen:
    """With the profile that the workspace has: what its files are for does not change by a better guess. One that was
    never there has none yet."""
    track = None if root.is_named else state.workspace_at(root.path)
    return root if track is None or not track.inode else msgspec.structs.replace(root, profile=track.profile)

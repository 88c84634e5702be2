"""The facts of one workspace: what stands in it, who guards it, its file system, its git. Read-only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from conductd.agents.profiles import known_profiles, profile_named
from conductd.agents.recognised import recognised
from conductd.core.doctor.facts import Entry, GitFacts, Kind, Workspace
from conductd.core.load.chains import Chain
from conductd.core.load.openclaw_versions import Session
from conductd.doctor.agents import agent_facts, readers
from conductd.doctor.listing import listed
from conductd.doctor.machine import is_read_only, room
from conductd.journal.place import sync_folder
from conductd.model import Frozen
from conductd.watch.capabilities import probe
from conductd.watch.git import look
from conductd.watch.git_objects import has
from conductd.watch.ignore import Ignored, parse
from conductd.watch.plain_file import open_plain
from conductd.watch.watchset import WatchSet, watch_set

_IGNORE_BYTES = 64 * 1024
_GIT_FILES = 200
_GIT_BYTES = 1024 * 1024
_EVER_NS = 2**62


class Known(Frozen, frozen=True):
    """What the daemon, else the journal, knows of a workspace. ``is_known`` None: nobody could be asked. ``profile``
    "": none is recorded. ``pins`` None: not asked."""

    is_known: bool | None = None
    mode: str | None = None
    state: str | None = None
    watched: str | None = None
    device: int = 0
    inode: int = 0
    profile: str = ""
    pins: int | None = None
    id: str = ""


class Wanted(Frozen, frozen=True):
    """Whose view is asked for: agents (`name`, `name@version`), () those that read it anyway; a release of them, and
    the kind of session."""

    agents: tuple[str, ...] = ()
    version: str = ""
    session: Session = Session.MAIN


_NOBODY = Known()
_ANYBODY = Wanted()


def workspace_facts(
    root: bytes,
    env: Mapping[str, str],
    home: str,
    now_ns: int,
    known: Known = _NOBODY,
    wanted: Wanted = _ANYBODY,
    chains: Iterable[Chain] = (),
) -> Workspace:
    """Raises UsageError for an agent that nobody knows."""
    chains = tuple(chains)
    exists = os.path.lexists(root)
    bare = Workspace(
        root,
        exists,
        os.path.isdir(root),
        known.is_known,
        known.mode,
        known.state,
        known.watched,
        None if known.is_known is None else (known.device, known.inode),
        now_ns=now_ns,
        user=os.geteuid(),
    )
    if not os.path.isdir(root):
        return bare
    return _looked_at(bare, env, home, known, wanted, chains)


def _looked_at(
    bare: Workspace, env: Mapping[str, str], home: str, known: Known, wanted: Wanted, chains: tuple[Chain, ...]
) -> Workspace:
    root, place = bare.root, os.fsdecode(bare.root)
    name = known.profile or recognised(root, env, chains)
    profile = profile_named(name, known_profiles(chains))
    found = readers(place, name, wanted.agents, wanted.version, env, home, chains)
    agents = tuple(
        agent_facts(each, place, env, home, bare.now_ns or 0, known.pins, chains, wanted.session) for each in found
    )
    exact = [path for agent in agents for path in agent.exact]
    trees = tuple(dict.fromkeys((*profile.trees, b"memory")))
    entries, is_cut = listed(root, profile.roles, trees, exact)
    seen = _stat(root)
    plan = watch_set(trees=trees, directories=profile.directories)
    capabilities = probe(root, plan)
    free, files = room(root)
    return Workspace(
        root,
        True,
        True,
        bare.known,
        bare.mode,
        bare.state,
        bare.watched,
        bare.recorded,
        seen,
        entries,
        is_cut,
        capabilities.case_insensitive,
        os.access(root, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids),
        capabilities.fs_type or None,
        capabilities.why_poll,
        is_read_only(root),
        free,
        files,
        sync_folder(place) or b"",
        _git(root, entries or (), trees),
        bare.now_ns,
        bare.user,
        agents,
        _watched(entries, plan) if not is_cut else None,
        capabilities.words(),
    )


def _watched(entries: Iterable[Entry] | None, plan: WatchSet) -> int | None:
    """How many directories of it are watched, the root included."""
    if entries is None:
        return None
    return 1 + sum(each.kind is Kind.DIRECTORY and plan.watches(each.path) for each in entries)


def _stat(root: bytes) -> tuple[int, int] | None:
    try:
        seen = os.stat(root)
    except OSError:
        return None
    return seen.st_dev, seen.st_ino


# ------------------------------------------------------------------ git


def _git(root: bytes, entries: Iterable[Entry], trees: Iterable[bytes]) -> GitFacts:
    found = look(root)
    inside = any(
        os.path.lexists(os.path.join(root, tree, b".git"))
        for tree in trees
        if tree or os.path.basename(root) == b"memory"
    )
    if found.directory is None:
        return GitFacts(holds_memory=inside)
    paths = [each.path for each in entries if each.role is not None and each.kind is Kind.FILE]
    ignored = _ignored(found.top, found.common, root, paths)
    rest = [path for path in paths if path not in (ignored or ())]
    return GitFacts(found.top, ignored, found.unfinished, inside, _not_given(found.common, root, rest))


def _not_given(common: bytes, root: bytes, paths: list[bytes]) -> tuple[bytes, ...] | None:
    """Those whose bytes are no blob of git's; None where there are too many to look."""
    if len(paths) > _GIT_FILES:
        return None
    found = []
    for path in paths:
        try:
            with open_plain(os.path.join(root, path)) as file:
                data = file.read(_GIT_BYTES + 1)
        except OSError:
            continue
        if len(data) <= _GIT_BYTES and not has(common, data, _EVER_NS):
            found.append(path)
    return tuple(found)


def _ignored(top: bytes, common: bytes, root: bytes, paths: list[bytes]) -> tuple[bytes, ...] | None:
    """Those that git's own files of patterns fit; None where one of them takes something back (`!`): what then counts
    only git itself can say."""
    real, base = os.path.realpath(root), os.path.realpath(top)
    if not (real + b"/").startswith(base.rstrip(b"/") + b"/"):
        return None
    below = real[len(base) :].strip(b"/")
    sources = [(os.path.join(common, b"info", b"exclude"), b"")]
    steps = below.split(b"/") if below else []
    sources += [
        (os.path.join(base, *steps[:count], b".gitignore"), b"/".join(steps[:count])) for count in range(len(steps) + 1)
    ]
    rules: list[tuple[bytes, Ignored]] = []
    for source, prefix in sources:
        text = _text(source)
        if text is None:
            return None
        if any(line.startswith(b"!") for line in text.splitlines()):
            return None
        rules.append((prefix, parse(text)))
    return tuple(path for path in paths if _fits(rules, below + b"/" + path if below else path))


def _fits(rules: list[tuple[bytes, Ignored]], path: bytes) -> bool:
    parts = path.split(b"/")
    for prefix, ignored in rules:
        if prefix and not path.startswith(prefix + b"/"):
            continue
        own = parts[len(prefix.split(b"/")) if prefix else 0 :]
        names = [b"/".join(own[: count + 1]) for count in range(len(own))]
        if any(ignored.matches(name, is_directory=count < len(own) - 1) for count, name in enumerate(names)):
            return True
    return False


def _text(path: bytes) -> bytes | None:
    """b"" for a file that is not there, None for one that cannot be read."""
    if not os.path.lexists(path):
        return b""
    try:
        with open_plain(path) as file:
            return file.read(_IGNORE_BYTES)
    except OSError:
        return None

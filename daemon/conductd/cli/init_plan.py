"""What `conductd init` finds, and the configuration file that it would write. Reads only, until `written`.

Data first: a `Plan` is what is shown, what is written, and what `--dry-run` shows without writing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import msgspec

from conductd.agents import loading
from conductd.agents.discover import find, home_of, left_out, unread
from conductd.agents.found import Found
from conductd.agents.loading import Asked, Loader
from conductd.agents.profiles import Profile, known_profiles, profile_named
from conductd.cli.recorded import recorded
from conductd.config import Config, paths, refuse_state_dir_in, store
from conductd.config.addition import Addition, added, named_in_comment
from conductd.config.load import from_text
from conductd.core.load.openclaw_versions import Session
from conductd.core.roles import classify
from conductd.errors import ConductdError, ConfigError
from conductd.model import Frozen, Mode, Role
from conductd.watch.tree import ROOT, walk
from conductd.watch.watched import leaves, watched
from conductd.watch.watchset import join

_FILES = 2_000  # of one workspace; more are counted as "at least"
_ENTRIES = 50_000  # looked at for them
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

NEW, CONFIGURED, LEFT_OUT = "new", "configured", "left_out"


class File(Frozen, frozen=True):
    path: bytes
    role: Role
    size: int


class Agent(Frozen, frozen=True):
    """One workspace that was found. ``status``: "new" (is added), "configured" (the file names it), "left_out" (see
    ``note``). ``version_from``: "configured", "installed", "newest known", or "" where no release is known. ``cut``:
    files of which its loader leaves a part out today."""

    root: bytes
    profile: str
    display: str
    loader: str
    why: str
    version: str
    version_from: str
    mode: Mode
    status: str
    note: str
    files: tuple[File, ...]
    is_complete: bool
    limits: str
    limits_at: str
    cut: tuple[str, ...]


class Plan(Frozen, frozen=True):
    """``was``: the bytes of the configuration file, None: there is none. ``data``: what is to be written, None:
    nothing. ``configured``: how many workspaces the file names already. ``is_usual``: the file is found without being
    named. ``unread``: what is there and could not be read, so that something may be missing here.
    ``never``: (directory, why it was found) of what is no workspace: a home."""

    path: str
    was: bytes | None
    data: bytes | None
    found: tuple[Agent, ...]
    configured: int
    is_usual: bool
    unread: tuple[str, ...]
    never: tuple[tuple[str, str], ...] = ()


def planned(env: Mapping[str, str]) -> Plan:
    """Raises ConfigError when the configuration file is broken or cannot be added to."""
    path = os.path.abspath(paths.expand(env.get("CONDUCTD_CONFIG") or paths.default_config_path(env), env))
    was = store.read(path)
    text = _decoded(was or b"", path)
    config = from_text(text, path, env)
    chains = [each.chain() for each in config.agents]
    profiles, loaders = known_profiles(chains), loading.with_further(chains)
    known = recorded(config.state_dir)
    found: list[Agent] = []
    additions: list[Addition] = []
    for seen in find(env, chains=chains):
        profile, mode = known.get(seen.root, (seen.profile, config.found_mode))
        each = msgspec.structs.replace(seen, profile=profile) if profile in profiles else seen
        status, note = _status(each, config, text, env, profiles)
        found.append(_described(each, config, mode, status, note, env, profiles, loaders))
        root = _written_root(os.fsdecode(each.root), env)
        if status == NEW and root is not None:
            additions.append(Addition(root, mode, each.profile, each.why))
    data = added(text, additions, path, env).encode("utf-8") if additions else None
    if data is not None and (was or b"").startswith(b"\xef\xbb\xbf"):
        data = b"\xef\xbb\xbf" + data
    never = tuple((os.fsdecode(each.root), each.why) for each in left_out(env, chains=chains))
    is_usual = path == os.path.abspath(paths.default_config_path(env))
    return Plan(path, was, data, tuple(found), len(config.workspaces), is_usual, unread(env), never)


def written(plan: Plan) -> None:
    """Writes the file. Raises Refused when somebody wrote it meanwhile, ConfigError when it cannot be written."""
    assert plan.data is not None
    store.put(plan.path, plan.data, plan.was)


def _decoded(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ConfigError(f"the configuration {path} has a fault", "correct it", (f"line {line}: not UTF-8",)) from None


def _written_root(root: str, env: Mapping[str, str]) -> str | None:
    """How a directory is named in the file: below the home with `~/`; None: TOML cannot name it."""
    try:
        root.encode("utf-8")
    except UnicodeEncodeError:
        return None
    for home in (paths.home(env), os.path.realpath(paths.home(env))):
        short = "~/" + root.removeprefix(home.rstrip("/") + "/")
        if os.path.realpath(paths.expand(short, env)) == root:
            return short
    return root


# ------------------------------------------------------------------ what is done about a find


def _status(
    found: Found, config: Config, text: str, env: Mapping[str, str], profiles: Mapping[str, Profile]
) -> tuple[str, str]:
    for table in config.workspaces:
        there = os.path.realpath(table.root_bytes)
        if there == found.root:
            return CONFIGURED, ""
        other = profile_named(table.profile or "", dict(profiles))
        if _is_shared(found, profile_named(found.profile, dict(profiles)), there, other, table.extra):
            return LEFT_OUT, f"the workspace {os.fsdecode(there)} of the configuration has files in common with it"
    root = _written_root(os.fsdecode(found.root), env)
    if root is None:
        return LEFT_OUT, "its name is no UTF-8 and cannot stand in the file: `conductd protect` or `observe` it by hand"
    if named_in_comment(text, root):
        return LEFT_OUT, "the configuration names it in a comment"
    try:
        refuse_state_dir_in(config.state_dir, [found.root])
    except ConductdError as error:
        return LEFT_OUT, error.message
    return NEW, ""


def _is_shared(found: Found, profile: Profile, there: bytes, other: Profile, extra: tuple[str, ...]) -> bool:
    """Whether one of the two lies where the other watches."""
    for outer, its, more, inner in ((there, other, extra, found.root), (found.root, profile, (), there)):
        below = inner.removeprefix(outer.rstrip(b"/") + b"/")
        if below != inner and not leaves(its, more, below):
            return True
    return False


def _described(
    found: Found,
    config: Config,
    mode: Mode,
    status: str,
    note: str,
    env: Mapping[str, str],
    profiles: dict[str, Profile],
    loaders: Iterable[Loader],
) -> Agent:
    table = next((each for each in config.workspaces if os.path.realpath(each.root_bytes) == found.root), None)
    name = (table.profile if table else None) or found.profile
    profile = profile_named(name, profiles)
    loader = next((each for each in loaders if each.name == profile.loader), None)
    version, source = _release(loader, table.agent_version if table else "", env)
    files = [*islice(_files(found.root, profile), _FILES + 1)]
    limits, cut = _limits(loader, found.root, version, env)
    return Agent(
        root=found.root,
        profile=name,
        display=loader.display if loader else profile.display,
        loader=profile.loader,
        why=found.why,
        version=version,
        version_from=source,
        mode=(table.mode or config.mode) if table else mode,
        status=status,
        note=note,
        files=tuple(sorted(files[:_FILES], key=lambda file: (file.path.count(b"/"), file.path))),
        is_complete=len(files) <= _FILES,
        limits=limits,
        limits_at=profile.limits,
        cut=cut,
    )


def _release(loader: Loader | None, named: str, env: Mapping[str, str]) -> tuple[str, str]:
    """The release to take, and what says so."""
    if named:
        return named, "configured"
    version, is_installed = loading.version_of(loader, env) if loader else ("", False)
    return version, "installed" if is_installed else "newest known" if version else ""


def _files(root: bytes, profile: Profile) -> Iterator[File]:
    """The files that would be protected, as the daemon finds them."""
    try:
        descriptor = os.open(root, _DIRECTORY)
    except OSError:
        return
    left = _ENTRIES
    try:
        for visit in walk(descriptor, watched(profile), ROOT):
            for entry in visit.entries():
                left -= 1
                if left < 0:
                    return
                path = join(visit.path, os.fsencode(entry.name))
                role = classify(path, profile=profile.roles)
                if role is not None and (size := _size(entry)) is not None:
                    yield File(path, role, size)
    finally:
        os.close(descriptor)


def _size(entry: os.DirEntry[str]) -> int | None:
    try:
        return entry.stat(follow_symlinks=False).st_size if entry.is_file(follow_symlinks=False) else None
    except OSError:
        return None


def _limits(loader: Loader | None, root: bytes, version: str, env: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The agent's own limits as its loader has them there, and which files they cut today; ("", ()) when unknown."""
    if loader is None:
        return "", ()
    try:
        load = loader.load(Asked(os.fsdecode(root), version, Session.MAIN, env, home_of(env)))
    except ConductdError:
        return "", ()
    each = sorted({file.own_limit for file in load.files if file.own_limit})
    lines = sorted({file.lines_limit for file in load.files if file.lines_limit})
    parts = [f"{' or '.join(f'{limit:,}' for limit in each)} {load.unit} a file"] if each else []
    parts += [f"{lines[-1]:,} lines"] if lines else []
    parts += [f"{load.limit:,} {load.unit} together"] if load.limit else []
    return ", ".join(parts), tuple(file.name for file in load.files if file.truncated)

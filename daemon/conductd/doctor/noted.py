"""What OpenClaw itself notes of a workspace: when it saw it whole, its templates, copies for sandboxes. Read-only.

Source: OpenClaw's `agents/workspace-legacy-state`, its state database (2026.6 to 2026.9).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from conductd.agents.bootstrap_read import Guard, read
from conductd.agents.found import subdirectories
from conductd.agents.openclaw_settings import has_database
from conductd.core.load.loaded import Why
from conductd.model import Frozen

HEADER = b"openclaw-workspace-attestation:v1\n"
_SMALL = Guard(most=64 * 1024)
_STATE_FILES = ("openclaw-workspace-state.json", os.path.join(".openclaw", "workspace-state.json"))
_MARKS = ("MEMORY.md", "memory", "AGENTS.md", "SOUL.md", "USER.md")
_COPIES = 64


class Noted(Frozen, frozen=True):
    """As in `core.doctor.facts.AgentFacts`."""

    attested_ns: int | None = 0
    legacy_state: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    sandboxes: tuple[bytes, ...] | None = ()


def noted(root: str, state_dir: str | None, files: Sequence[tuple[str, str]]) -> Noted:
    """``files``: names and absolute paths of the files that are loaded. ``state_dir`` None: nobody knows where."""
    attested, legacy = _files(root, state_dir)
    if state_dir is None:
        return Noted(attested or None, legacy, (), None)
    hashes: dict[str, str] = {}
    if has_database(state_dir):
        found = _rows(os.path.join(state_dir, "state", "openclaw.sqlite"), root)
        if found is None:
            return Noted(None, legacy, (), _sandboxes(state_dir))
        attested, hashes = max(attested, found[0]), found[1]
    templates = tuple(name for name, path in files if name in hashes and _sha256(path) == hashes[name])
    return Noted(attested, legacy, templates, _sandboxes(state_dir))


def _files(root: str, state_dir: str | None) -> tuple[int, tuple[str, ...]]:
    """The time of the older releases' notes, and which of their files lie there."""
    places = [os.path.join(root, name) for name in _STATE_FILES]
    legacy = [name for name, place in zip(_STATE_FILES, places, strict=True) if os.path.lexists(place)]
    newest = 0
    keys = {os.path.abspath(root), os.path.realpath(root)}
    notes = [f"{key}.attested" for key in keys]
    if state_dir is not None:
        digests = [hashlib.sha256(os.fsencode(key)).hexdigest() for key in keys]
        notes += [os.path.join(state_dir, "workspace-attestations", f"{digest}.attested") for digest in digests]
    for note in sorted(notes):
        got = read(note, _SMALL)
        if got.data is None or not got.data.startswith(HEADER):
            continue
        legacy.append(os.path.basename(note))
        try:
            newest = max(newest, os.stat(note).st_mtime_ns)
        except OSError:
            continue
    return newest, tuple(legacy)


def _rows(database: str, root: str) -> tuple[int, dict[str, str]] | None:
    """When it was attested (0: never) and the digests of its templates; None when that cannot be read."""
    import sqlite3  # slow to load

    from conductd.agents.provenance import is_closed_database, opened

    paths = (os.path.abspath(root), os.path.realpath(root))
    try:
        with opened(database, immutable=is_closed_database(database)) as sql:
            columns = {row[1] for row in sql.execute("PRAGMA table_info(workspace_setup_state)")}
            names = {_text(each) for each in columns}
            if not {"workspace_path", "attested_at_ms"} <= names:
                return 0, {}
            asked = "SELECT attested_at_ms, workspace_key FROM workspace_setup_state WHERE workspace_path IN (?, ?)"
            if "workspace_key" not in names:
                asked = asked.replace(", workspace_key", ", NULL")
            rows = sql.execute(asked, paths).fetchall()
            hashes: dict[str, str] = {}
            for _, key in rows:
                if key is not None:
                    more = "SELECT filename, sha256 FROM workspace_generated_bootstrap_hashes WHERE workspace_key = ?"
                    hashes |= {_text(name): _text(digest) for name, digest in sql.execute(more, (_text(key),))}
    except (sqlite3.Error, sqlite3.Warning, OSError, ValueError):
        return None
    times = [_number(row[0]) for row in rows]
    return max(times, default=0) * 1_000_000, hashes


def _number(raw: object) -> int:
    if isinstance(raw, bytes):
        raw = raw.decode("ascii", "replace")
    try:
        return int(raw) if isinstance(raw, int | float | str) else 0
    except (ValueError, OverflowError):
        return 0


def _text(raw: object) -> str:
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def _sha256(path: str) -> str:
    got = read(path, Guard(most=2 * 1024 * 1024))
    return hashlib.sha256(got.data).hexdigest() if got.why is Why.LOADED and got.data is not None else ""


def _sandboxes(state_dir: str) -> tuple[bytes, ...]:
    """Copies of workspaces that hold something an agent would note."""
    base = os.path.join(state_dir, "sandboxes")
    found = []
    for name in list(subdirectories(base))[:_COPIES]:
        place = os.path.join(base, name)
        if any(os.path.lexists(os.path.join(place, mark)) for mark in _MARKS):
            found.append(os.fsencode(place))
    return tuple(found)

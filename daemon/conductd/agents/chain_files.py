"""Reads the files of an agent that is described as a chain (`core.load.chains`). Read-only, never raises."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from itertools import islice

from conductd.agents.bootstrap_read import read, text_of
from conductd.core.load.chains import Chain, Step, Where, applies
from conductd.core.load.cutting import Document, cut
from conductd.core.load.loaded import Load, LoadedFile, Unit, Why
from conductd.core.load.openclaw_versions import Session

_FILES = 1_000  # of one step


def load(chain: Chain, root: str, version: str, session: Session, home: str) -> Load:
    """What is in the context when a session starts in `root`."""
    root = os.path.realpath(root)
    files: list[LoadedFile] = []
    left_out: list[LoadedFile] = []
    seen: set[str] = set()
    for step in chain.steps:
        for path in _paths(step, root, home, left_out):
            got = read(path)
            if got.why is Why.MISSING or got.real in seen:
                continue
            seen.add(got.real)
            name = os.path.relpath(path, root) if path.startswith(root + "/") else path
            if got.data is None:
                left_out.append(LoadedFile(name, path, why=got.why, note=got.detail))
                continue
            text = text_of(got.data)
            if applies(step.when, text):
                files.append(cut(Document(name, path, text, step.limits or chain.limits), chain.unit))
            else:
                left_out.append(LoadedFile(name, path, len(text), why=Why.SCOPED, source=text))
    return Load(chain.name, version, session.value, Unit.CHARACTERS, tuple(files), None, chain.notes, tuple(left_out))


def _paths(step: Step, root: str, home: str, left_out: list[LoadedFile]) -> Iterator[str]:
    taken = ""
    for directory in _directories(step.where, root, home):
        here = ""
        for name in step.names:
            for path in _matching(directory, name):
                if (step.first and here) or (step.once and taken):
                    shown = os.path.relpath(path, root) if path.startswith(root + "/") else path
                    left_out.append(LoadedFile(shown, path, why=Why.OTHER_FILE, note=here or taken))
                    continue
                here = taken = os.path.basename(path)
                yield path


def _directories(where: Where, root: str, home: str) -> list[str]:
    if where is Where.HOME:
        return [home]
    if where is Where.SYSTEM:
        return ["/"]
    if where is Where.ROOT:
        return [root]
    chain = [root]
    while not os.path.lexists(os.path.join(chain[-1], ".git")):
        above = os.path.dirname(chain[-1])
        if above == chain[-1]:
            chain = [root]
            break
        chain.append(above)
    return chain if where is Where.UP else chain[::-1]


def _matching(directory: str, name: str) -> list[str]:
    if "*" not in name:
        path = os.path.join(directory, name)
        return [path] if os.path.isfile(path) else []
    found = glob.iglob(name, root_dir=directory, recursive=True, include_hidden=True)
    return sorted(os.path.join(directory, each) for each in islice(found, _FILES))

"""Reads the files of an agent that is described as a chain (`core.load.chains`). Read-only, never raises."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from conductd.agents.bootstrap_read import Guard, Read, read
from conductd.agents.chain_names import names_of
from conductd.agents.found import is_at, set_value
from conductd.core.globs import matches
from conductd.core.load.body import imports
from conductd.core.load.chains import Chain, Step, Where, applies
from conductd.core.load.counting import measure, readable, text_in
from conductd.core.load.cutting import Document, spend
from conductd.core.load.limits import Limits
from conductd.core.load.loaded import Load, LoadedFile, Why
from conductd.core.load.openclaw_versions import Session

_FILES = 1_000  # of one name
_DIRECTORIES = 4_096  # looked into for one name
_PASSED_OVER = (".git", "node_modules")  # by a name with a wildcard
_URL = ("http://", "https://")


def load(chain: Chain, root: str, version: str, session: Session, env: Mapping[str, str], home: str) -> Load:
    """What is in the context when a session starts in `root`."""
    walk = _Walk(chain, os.path.realpath(root), env, home)
    for step in chain.steps:
        walk.take(step)
    return Load(
        chain.name,
        version,
        session.value,
        chain.unit,
        tuple(spend(walk.documents, chain.unit, chain.total or None)),
        chain.total or None,
        (*chain.notes, *walk.notes),
        tuple(walk.left_out),
    )


class _Walk:
    """One walk; `documents`, `left_out` and `notes` grow as it goes."""

    def __init__(self, chain: Chain, root: str, env: Mapping[str, str], home: str) -> None:
        self._chain, self._root, self._env, self._home = chain, root, env, home
        self._seen: set[str] = set()
        self.documents: list[Document] = []
        self.left_out: list[LoadedFile] = []
        self.notes: list[str] = []

    def take(self, step: Step) -> None:
        """The files of one step, each once, and what they import."""
        if step.only and not is_at(self._root, step.only, self._home):
            return
        limits = step.limits or self._chain.limits
        for path in self._paths(step):
            got = self._read(path, limits)
            if got is None or got.data is None:
                continue
            text = text_in(got.data, self._chain.unit)
            if applies(step.when, text):
                self._add(path, text, limits, step.note, limits.imports)
            else:
                shown = self._shown(path)
                size = measure(text, self._chain.unit)
                self.left_out.append(LoadedFile(shown, path, size, why=Why.SCOPED, source=readable(text)))

    def _read(self, path: str, limits: Limits) -> Read | None:
        """None for what is not there, or was taken already; what is refused is told."""
        got = read(path, Guard(most=limits.skip_over or None))
        if got.why is Why.MISSING or got.real in self._seen:
            return None
        self._seen.add(got.real or path)
        if got.data is None:
            self.left_out.append(LoadedFile(self._shown(path), path, why=got.why, note=got.detail))
        return got

    def _add(self, path: str, text: str, limits: Limits, note: str, hops: int) -> None:
        self.documents.append(Document(self._shown(path), path, text, limits, note))
        if hops <= 0:
            return
        for name in imports(text):
            self._import(name, path, limits, hops)

    def _import(self, name: str, by: str, limits: Limits, hops: int) -> None:
        """A file that a loaded text names, below the repository that the text lies in, else below its directory."""
        place = os.path.dirname(by)
        path = os.path.join(self._home, name[2:]) if name.startswith("~/") else os.path.join(place, name)
        path = os.path.normpath(path)
        if not os.path.isfile(path):
            return
        within = os.path.realpath(_repository(place)[-1])
        if not os.path.realpath(path).startswith(within.rstrip("/") + "/"):
            if os.path.realpath(path) not in self._seen:
                note = f"an import of {os.path.basename(by)}"
                self.left_out.append(LoadedFile(self._shown(path), path, why=Why.OUTSIDE, note=note))
            return
        got = self._read(path, limits)
        if got is not None and got.data is not None:
            self._add(path, text_in(got.data, self._chain.unit), limits, f"imported by {self._shown(by)}", hops - 1)

    def _paths(self, step: Step) -> Iterator[str]:
        names = names_of(step, _repository(self._root), self._of_home, self._env)
        taken = ""
        for directory in self._directories(step.where):
            here = ""
            for name in names:
                for path in self._named(directory, name):
                    if (step.first and here) or (step.once and taken):
                        self._leave_out(path, here or taken)
                        continue
                    here = taken = os.path.basename(path)
                    yield path

    def _named(self, directory: str, name: str) -> list[str]:
        if name.startswith(_URL):
            self._say("what a configuration names by its address on the network is not looked at")
            return []
        if name.startswith("~/"):  # of a setting
            directory, name = self._home, name[2:]
        elif name.startswith("/"):
            directory, name = "/", name[1:]
        if directory == self._home:
            directory, name = self._moved(directory, name)
        return _matching(directory, name)

    def _of_home(self, name: str) -> str:
        return os.path.join(*self._moved(self._home, name))

    def _moved(self, directory: str, name: str) -> tuple[str, str]:
        """Where a variable says that a directory below the home is."""
        for each in self._chain.moved:
            place = set_value(self._env, each.variable)
            if name.startswith(each.path + "/") and os.path.isabs(place):
                moved, rest = os.path.join(place, each.below), name[len(each.path) + 1 :]
                if not each.beside or os.path.isfile(os.path.join(moved, rest)):
                    return moved, rest
        return directory, name

    def _directories(self, where: Where) -> list[str]:
        if where is Where.HOME:
            return [self._home]
        if where is Where.SYSTEM:
            return ["/"]
        if where is Where.ROOT:
            return [self._root]
        home = os.path.realpath(self._home)
        if where is Where.FROM_HOME and (self._root + "/").startswith(home.rstrip("/") + "/"):
            return _above(self._root, home)[::-1]
        found = _repository(self._root)
        return found if where is Where.UP else found[::-1]

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, self._root) if path.startswith(self._root.rstrip("/") + "/") else path

    def _leave_out(self, path: str, taken: str) -> None:
        self.left_out.append(LoadedFile(self._shown(path), path, why=Why.OTHER_FILE, note=taken))

    def _say(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _repository(directory: str) -> list[str]:
    """This directory and those above it up to the repository's root; outside of one only this."""
    found = [directory]
    while not os.path.lexists(os.path.join(found[-1], ".git")):
        above = os.path.dirname(found[-1])
        if above == found[-1]:
            return [directory]
        found.append(above)
    return found


def _above(directory: str, top: str) -> list[str]:
    """This directory and those above it up to `top`, which is one of them."""
    found = [directory]
    while found[-1] != top:
        found.append(os.path.dirname(found[-1]))
    return found


def _matching(directory: str, name: str) -> list[str]:
    """The files below the directory that the name can mean, in order; links to directories are not followed."""
    parts = name.split("/")
    fixed = next((at for at, part in enumerate(parts) if set(part) & set("*?[")), len(parts))
    if fixed == len(parts):
        path = os.path.join(directory, name)
        return [path] if os.path.isfile(path) else []
    depth = _DIRECTORIES if "**" in parts else len(parts) - fixed - 1
    pattern = "/" + "/".join(parts[fixed:])
    found: list[str] = []
    for path, inside in _files(os.path.join(directory, *parts[:fixed]), depth):
        if matches(pattern, os.fsencode(inside)):
            found.append(path)
        if len(found) == _FILES:
            break
    return sorted(found)


def _files(top: str, depth: int) -> Iterator[tuple[str, str]]:
    """Every file below with its path inside, as deep as that, of so many directories at most."""
    for count, (place, directories, files) in enumerate(os.walk(top)):
        inside = os.path.relpath(place, top)
        prefix = "" if inside == "." else inside + "/"
        if prefix.count("/") >= depth or count >= _DIRECTORIES:
            directories.clear()
        directories[:] = sorted(each for each in directories if each not in _PASSED_OVER)
        for name in sorted(files):
            if os.path.isfile(os.path.join(place, name)):
                yield os.path.join(place, name), prefix + name

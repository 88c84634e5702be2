"""What a labelled change is: what the daemon saw, and the decision wanted.

Owns the types of the corpus and the list of families. A family is a function from a language and a
random source to one change; it registers itself by name. Makes no judgement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple

from conductd.core.case import Case, Elsewhere, Git, Text, Write
from conductd.core.reading.blocks import Kind
from conductd.core.roles import classify
from conductd.model import UNKNOWN, Action, Actor, EventClass, FileState, Mode, Role
from corpus.languages import LANGUAGES, Language
from corpus.tables import KEY, table_of

NOON_NS = 1_780_000_000 * 1_000_000_000
SECOND_NS = 1_000_000_000
HOUR = 3600.0
DAY = 86_400.0

Content = str | bytes | None


class Wanted(NamedTuple):
    """The decision wanted.

    ``back``: fingerprints of old entries that were lost: they must stand in the file when the daemon
    writes it, and are what is counted when it proposes. ``new``: fingerprints of entries that must
    also stand in it. ``never``: texts that must not.
    """

    destructive: bool
    classes: frozenset[EventClass]
    actions: frozenset[Action]
    back: frozenset[bytes] = frozenset()
    new: frozenset[bytes] = frozenset()
    never: tuple[str, ...] = ()


class Step(NamedTuple):
    """One judgement. ``case`` is complete but for what the steps before it leave: with ``follows`` its
    baseline, earlier baselines and ledger are those that the steps before it made."""

    case: Case
    follows: bool = False


class Change(NamedTuple):
    """``every``: the decision is wanted of every step (files of one set); else of any of them (a slow
    loss), and no step may do what was not wanted."""

    family: str
    language: str
    number: int
    steps: tuple[Step, ...]
    wanted: Wanted
    every: bool = True

    @property
    def name(self) -> str:
        return f"{self.family}/{self.language}/{self.number}"


Made = tuple[tuple[Step, ...], Wanted] | tuple[tuple[Step, ...], Wanted, bool]
Maker = Callable[[Language, Random], Made]


class Family(NamedTuple):
    name: str
    destructive: bool
    make: Maker
    languages: tuple[str, ...]


FAMILIES: dict[str, Family] = {}


def family(*, destructive: bool, languages: tuple[str, ...] = tuple(LANGUAGES)) -> Callable[[Maker], Maker]:
    """Registers a maker under its function's name. ``languages``: those in which the kind can occur."""

    def register(make: Maker) -> Maker:
        name = make.__name__
        assert name not in FAMILIES, name
        FAMILIES[name] = Family(name, destructive, make, languages)
        return make

    return register


# --------------------------------------------------------------------------- building cases


def raw(content: str | bytes) -> bytes:
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content


def actor(name: str, confidence: float = 0.9) -> Actor:
    return UNKNOWN if name == "unknown" else Actor(name, confidence, ("announced",))


def write(content: Content, *, by: str = "unknown", at: float = 0.0, seq: int = 100, **more: Any) -> Write:
    """A version ``at`` so many seconds; None is absence."""
    at_ns = NOON_NS + int(at * SECOND_NS)
    if content is None:
        return Write(seq, FileState.ABSENT, at_ns, actor(by), **more)
    data = raw(content)
    return Write(seq, FileState.FILE, at_ns, actor(by), data, sha256(data).digest(), len(data), **more)


def baseline(content: str | bytes, *, by: str = "unknown", at: float = -DAY, seq: int = 90) -> Text:
    data = raw(content)
    return Text(seq, sha256(data).digest(), data, NOON_NS + int(at * SECOND_NS), actor(by))


def case(
    path: str,
    before: str | bytes | Text | None,
    *after: Content | Write,
    by: str = "unknown",
    earlier: tuple[Text, ...] = (),
    elsewhere: Mapping[str, str | bytes] | None = None,
    role: Role | None = None,
    git: Git | None = None,
    **more: Any,
) -> Case:
    """One file as the judge gets it. Versions given as text are by ``by``, a tenth of a second apart;
    fields that the judge does not have yet are left out."""
    versions = tuple(
        one if isinstance(one, Write) else write(one, by=by, at=n / 10, seq=100 + n) for n, one in enumerate(after)
    )
    known = set(Case.__struct_fields__)
    fields: dict[str, Any] = {
        "path": path.encode(),
        "role": role or classify(path.encode()) or Role.TOPIC,
        "mode": Mode.PROTECT,
        "now_ns": versions[-1].at_ns + SECOND_NS,
        "key": KEY,
        "versions": versions,
        "baseline": before if before is None or isinstance(before, Text) else baseline(before),
        "earlier": earlier,
        "elsewhere": tuple(
            Elsewhere(name.encode(), sha256(raw(text)).digest(), raw(text)) for name, text in (elsewhere or {}).items()
        ),
        "git": git or Git(),
        **{name: value for name, value in more.items() if name in known},
    }
    return Case(**fields)


def one(*args: Any, **more: Any) -> tuple[Step, ...]:
    """The steps of a change that is judged once."""
    return (Step(case(*args, **more)),)


# --------------------------------------------------------------------------- wanting


def marks(content: str | bytes) -> frozenset[bytes]:
    """Fingerprints of the entries that weigh something: headings and empty labels are layout here."""
    table = table_of(raw(content))
    return frozenset(entry.fingerprint for entry in table.entries if entry.weight and entry.kind is not Kind.HEADING)


def harmful(
    classes: str,
    actions: str,
    *,
    back: frozenset[bytes] = frozenset(),
    new: frozenset[bytes] = frozenset(),
    never: tuple[str, ...] = (),
) -> Wanted:
    """Destructive: any of these classes, and one of these actions (words parted by spaces)."""
    return Wanted(True, *_sets(classes, actions), back, new, never)


def harmless(classes: str, actions: str = "record") -> Wanted:
    """Legitimate. Actions beyond `record` are right too where the design asks a person."""
    return Wanted(False, *_sets(classes, actions))


def _sets(classes: str, actions: str) -> tuple[frozenset[EventClass], frozenset[Action]]:
    return (
        frozenset(EventClass(word) for word in classes.split()),
        frozenset(Action(word) for word in actions.split()),
    )

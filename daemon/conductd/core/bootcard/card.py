"""The boot card made of places: quoted, cut, shortened by priority until it holds its limits. Pure and deterministic.

The first line counts; every other one is a quotation or a count with its place. It never invents.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from conductd.core.bootcard.choosing import chosen_lines
from conductd.core.bootcard.finding import Place, Section, of_kind, places, recent_qc
from conductd.core.bootcard.header import Facts, counted, header
from conductd.core.notes.quoting import content, cut, harmless, unbold
from conductd.core.notes.source import Kind, Source
from conductd.core.notes.withheld import Conceal, Veiled, is_order
from conductd.core.tokens import UNCALIBRATED, Calibration, Tokens, estimate
from conductd.model import Frozen

LEAST_TOKENS = 60  # fewer do not hold the first line
_CANDIDATES = 200  # of one section that are looked at; the rest is counted


class Limits(Frozen, frozen=True):
    lines: int = 20
    tokens: int = 500  # the upper end of the estimate
    has_checks: bool = True  # what the checks of the night found stands on it


class Whole(Frozen, frozen=True):
    """A file that the agent's loader puts into the prompt uncut."""

    name: str
    path: bytes
    lines: int


class Quote(Frozen, frozen=True):
    """``text`` stands in line ``line`` (1-based) of the file, after `quoting.harmless`; ``is_cut``: more follows."""

    line: int
    text: str
    is_cut: bool = False


class CardLine(Frozen, frozen=True):
    """``quotes`` are empty where it counts. ``line``: where it begins. ``text``: as it stands on the card."""

    section: Section
    name: str
    path: bytes
    line: int
    quotes: tuple[Quote, ...]
    text: str
    is_sure: bool = True


class Given(Frozen, frozen=True):
    """``gone``: pinned entries that are not where they stood, as (name, path, line). ``pins_known``: a daemon
    was asked. ``unread``: files that could not be read, with the reason."""

    today: date
    sources: tuple[Source, ...]
    whole: tuple[Whole, ...] = ()
    gone: tuple[tuple[str, bytes, int], ...] = ()
    pins_known: bool = True
    unread: tuple[tuple[str, str], ...] = ()


class Card(Frozen, frozen=True):
    """``found``: lines that belong on it, by section. ``tokens`` of the card; ``instead``: of the ``files`` quoted.
    ``secrets`` and ``orders``: lines not quoted because of them."""

    today: date
    text: str
    lines: tuple[CardLine, ...]
    left_out: int
    left_first: str
    found: tuple[tuple[Section, int], ...]
    missing: tuple[str, ...]
    tokens: Tokens
    instead: Tokens
    files: int
    secrets: int
    orders: int
    limits: Limits
    unread: tuple[tuple[str, str], ...] = ()


def make(given: Given, conceal: Conceal, limits: Limits | None = None, calibration: Calibration = UNCALIBRATED) -> Card:
    """``conceal``: see `withheld.Conceal`. The order of ``given.sources`` does not matter."""
    limits = limits or Limits()
    return _Maker(given, conceal, limits, calibration).card()


class _Maker:
    def __init__(self, given: Given, conceal: Conceal, limits: Limits, calibration: Calibration) -> None:
        self._given, self._limits, self._calibration = given, limits, calibration
        self._veiled = Veiled(conceal)
        self._secrets = self._orders = 0
        self._more = dict.fromkeys(Section, 0)  # candidates beyond those looked at
        self._estimates: dict[bytes, Tokens] = {}
        self._by_path = {each.path: each for each in given.sources}
        self._lines = self._candidates()
        self._missing = _missing(given, self._lines)

    def card(self) -> Card:
        facts = self._facts([], 0)
        room = self._limits.tokens - self._high(header(facts, self._limits.tokens, self._calibration) + "\n") - 2
        chosen = chosen_lines(self._costs(), self._limits.lines - 1, room)
        while True:
            text, tokens, facts = self._text(chosen)
            if tokens.high <= self._limits.tokens or not chosen:
                break
            chosen.pop()
        ordered = _in_order(self._lines, chosen)
        if tokens.high > self._limits.tokens:
            text = cut(text.strip(), self._limits.tokens) + "\n"
        return Card(
            today=self._given.today,
            text=text,
            lines=tuple(ordered),
            left_out=facts.left_out,
            left_first=facts.left_first,
            found=tuple((section, len(lines) + self._more[section]) for section, lines in self._lines.items()),
            missing=self._missing,
            tokens=tokens,
            instead=facts.instead,
            files=facts.files,
            secrets=self._secrets,
            orders=self._orders,
            limits=self._limits,
            unread=self._given.unread,
        )

    def _high(self, text: str) -> int:
        return estimate(text, self._calibration).high

    def _costs(self) -> dict[Section, list[int]]:
        return {section: [self._high(each.text + "\n") for each in lines] for section, lines in self._lines.items()}

    def _text(self, chosen: list[tuple[Section, int]]) -> tuple[str, Tokens, Facts]:
        """The whole card; its first line says how many tokens it has, itself included."""
        body = "".join(each.text + "\n" for each in _in_order(self._lines, chosen))
        tokens = 0
        for _ in range(3):
            facts = self._facts(chosen, tokens)
            text = header(facts, self._limits.tokens, self._calibration) + "\n" + body
            found = estimate(text, self._calibration)
            if found.tokens == tokens:
                break
            tokens = found.tokens
        return text, found, facts

    def _facts(self, chosen: list[tuple[Section, int]], tokens: int) -> Facts:
        taken = set(chosen)
        left = [
            each
            for section, lines in self._lines.items()
            for place, each in enumerate(lines)
            if (section, place) not in taken
        ]
        quoted = dict.fromkeys(x.path for x in _in_order(self._lines, chosen) if x.path in self._by_path)
        whole = [self._whole_of(path) for path in quoted]
        return Facts(
            today=self._given.today,
            tokens=tokens,
            instead=Tokens(*(sum(each[at] for each in whole) for at in range(3))),
            files=len(quoted),
            left_out=len(left) + sum(self._more.values()),
            left_first=f"{left[0].name}:{left[0].line}" if left else "",
            pins_known=self._given.pins_known,
            secrets=self._secrets,
            orders=self._orders,
            unread=len(self._given.unread),
            missing=self._missing,
        )

    def _whole_of(self, path: bytes) -> Tokens:
        """The tokens of a file."""
        if path not in self._estimates:
            self._estimates[path] = estimate(self._by_path[path].text, self._calibration)
        return self._estimates[path]

    # ------------------------------------------------------------------ candidates

    def _candidates(self) -> dict[Section, list[CardLine]]:
        found = places(self._given.sources, self._given.today)
        if not self._limits.has_checks:
            del found[Section.QC]
        seen: set[str] = set()
        lines: dict[Section, list[CardLine]] = {}
        for section in Section:
            lines[section] = []
            for place in found.get(section, []):
                if len(lines[section]) >= _CANDIDATES:
                    self._more[section] += 1
                    continue
                line = self._line(place)
                key = "\n".join(quote.text.casefold() for quote in line.quotes) if line is not None else ""
                if line is not None and key not in seen:
                    seen.add(key)
                    lines[section].append(line)
        lines[Section.PINNED] += self._gone()
        lines[Section.QC] = self._counted_qc(lines[Section.QC]) if self._limits.has_checks else []
        lines[Section.LOADED] = self._loaded()
        return lines

    def _line(self, place: Place) -> CardLine | None:
        """None: it is not quoted."""
        cap = max(12, self._limits.tokens // (3 if place.section is Section.PINNED else 8 * len(place.numbers)))
        quotes = []
        for number in place.numbers:
            raw, has_secret = self._veiled.line(place.source, number)
            if has_secret and not place.is_sure:
                self._secrets += 1
                return None
            if not place.is_sure and is_order(place.source.lines[number - 1]):
                self._orders += 1
                return None
            whole = harmless(content(raw))
            if place.section is not Section.PINNED:
                whole = unbold(whole)
            text = cut(whole, cap)
            quotes.append(Quote(number, text, is_cut=text != whole))
        return _card_line(place, tuple(quotes))

    def _gone(self) -> list[CardLine]:
        gone = sorted(self._given.gone)
        if not gone:
            return []
        name, path, line = gone[0]
        what = "1 entry is" if len(gone) == 1 else f"{len(gone)} entries are"
        name = harmless(name)
        text = (
            f"- pinned: {what} not where it stood ({name}:{line})"
            if len(gone) == 1
            else (f"- pinned: {what} not where they stood, the first ({name}:{line})")
        )
        return [CardLine(Section.PINNED, name, path, line, (), text)]

    def _counted_qc(self, quoted: list[CardLine]) -> list[CardLine]:
        """Before the findings of a log how many it has: none recognised is said as that, and is no praise."""
        out: list[CardLine] = []
        for source in recent_qc(self._given.sources, self._given.today):
            mine = [each for each in quoted if each.path == source.path]
            findings = [each for each in mine if len(each.quotes) == 1]  # a summary has two
            first = findings[0].line if findings else 1
            number = counted(len(findings), "finding") if findings else "no finding"
            name = harmless(source.name)
            text = f"- QC: {number} recognised in {counted(len(source.raw_lines), 'line')} ({name}:{first})"
            out += [CardLine(Section.QC, name, source.path, first, (), text), *mine]
        return out

    def _loaded(self) -> list[CardLine]:
        whole = self._given.whole
        if not whole:
            return []
        names = [f"{harmless(each.name)}:1-{each.lines}" for each in whole]
        cap = max(12, self._limits.tokens // 5)
        shown = len(names)
        while True:
            more = f" and {len(names) - shown} more" if shown < len(names) else ""
            text = f"- loaded whole, not to be read again: {', '.join(names[:shown])}{more}"
            if shown == 1 or self._high(text) <= cap:
                break
            shown -= 1
        return [CardLine(Section.LOADED, harmless(whole[0].name), whole[0].path, 1, (), text)]


def _card_line(place: Place, quotes: tuple[Quote, ...]) -> CardLine:
    name = harmless(place.source.name)
    where = f"({name}:{','.join(str(each.line) for each in quotes)})"
    if place.is_sure:
        text = f"- pinned: {quotes[0].text} {where}"
    else:
        tag = "pin mark" if place.section is Section.PINNED else place.section.value
        said = "; ".join('"' + each.text.replace('"', "'") + '"' for each in quotes)
        text = f"- {tag}: {said} {where}"
    return CardLine(place.section, name, place.source.path, quotes[0].line, quotes, text, place.is_sure)


def _in_order(lines: dict[Section, list[CardLine]], chosen: Sequence[tuple[Section, int]]) -> list[CardLine]:
    taken = set(chosen)
    return [each for section in Section for at, each in enumerate(lines[section]) if (section, at) in taken]


def _missing(given: Given, lines: dict[Section, list[CardLine]]) -> tuple[str, ...]:
    """What was looked for and is not there."""
    days = (given.today.toordinal() - 1, given.today.toordinal())
    notes = any(each.day and each.day.toordinal() in days for each in of_kind(given.sources, Kind.DAILY))
    logs = [each.day for each in of_kind(given.sources, Kind.QC) if each.day and each.day <= given.today]
    older = f"QC since {max(logs)}" if logs else "QC"
    named = (
        ("pins", not lines[Section.PINNED]),
        ("who I am", not lines[Section.ME]),
        ("active tasks", not lines[Section.TASK]),
        ("notes of today and yesterday", not notes),
        ("continuity", not of_kind(given.sources, Kind.CONTINUITY)),
        (older, not recent_qc(given.sources, given.today)),
    )
    return tuple(name for name, is_missing in named if is_missing)

"""A memory file as a value: sections of facts, and the layouts in which people and agents write them.

Owns how facts become Markdown. Everything is drawn from the `random.Random` that is passed in, so
that a seed names one text. Called by the families.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple
from zlib import crc32

from corpus.languages import Fact, Language
from corpus.languages.language import TOPICS, filled

# How a section is written. `flow` is one paragraph for all its facts.
LAYOUTS = ("bullets", "stars", "numbered", "paragraphs", "table", "checks")


class Item(NamedTuple):
    """A line of the notes: the text as written and the fact behind it."""

    text: str
    fact: Fact
    mark: str = ""  # an id in brackets, or empty


class Section(NamedTuple):
    heading: str  # "" for none
    items: tuple[Item, ...]
    layout: str
    topic: str = ""


class Notes(NamedTuple):
    title: str
    sections: tuple[Section, ...]
    front: tuple[tuple[str, str], ...] = ()
    level: int = 2
    parted: bool = False  # entries parted by lines that hold only §, no headings

    @property
    def items(self) -> list[Item]:
        return [item for section in self.sections for item in section.items]

    @property
    def text(self) -> str:
        return render(self)

    def map(self, change: Callable[[Item], Item | None]) -> Notes:
        """Each item changed, or left out where ``change`` gives None; empty sections go."""
        sections = []
        for section in self.sections:
            items = tuple(item for old in section.items if (item := change(old)) is not None)
            if items:
                sections.append(section._replace(items=items))
        return self._replace(sections=tuple(sections))

    def only(self, kept: Sequence[Item]) -> Notes:
        """These items alone, in their sections."""
        stay = {id(item) for item in kept}
        return self.map(lambda item: item if id(item) in stay else None)

    def without(self, gone: Sequence[Item]) -> Notes:
        leave = {id(item) for item in gone}
        return self.map(lambda item: None if id(item) in leave else item)

    def plus(self, items: Sequence[Item]) -> Notes:
        """With items at the end of the last section."""
        *first, last = self.sections
        return self._replace(sections=(*first, last._replace(items=(*last.items, *items))))


def notes(
    language: Language,
    random: Random,
    entries: tuple[int, int] = (14, 36),
    *,
    sections: tuple[int, int] = (3, 6),
    layout: str = "",
    marks: bool | None = None,
    front: bool = False,
    parted: bool | None = None,
    title: str = "",
) -> Notes:
    """A file of so many entries. ``layout`` forces one for every section; ``marks``: ids on every line
    (None: in one file of five); ``parted``: None is one file of ten, where no layout is forced."""
    topics = random.sample(TOPICS, random.randint(*sections))
    wanted = random.randint(*entries)
    style = layout or random.choice(("bullets", "bullets", "bullets", "mix", "mix", "paragraphs", "stars", "numbered"))
    with_marks = random.random() < 0.2 if marks is None else marks
    split = not layout and not front and random.random() < 0.1 if parted is None else parted
    made: list[Section] = []
    count = 0
    for place, topic in enumerate(topics):
        number = wanted // len(topics) + (place < wanted % len(topics))
        items = []
        for fact in facts(language, random, topic, number):
            count += 1
            items.append(Item(fact.text, fact, f"[m-{count:04}]" if with_marks else ""))
        chosen = random.choice(LAYOUTS) if style == "mix" else style
        made.append(Section(language.headings[topic], tuple(items), chosen, topic))
    return Notes(
        title or language.phrases.title,
        tuple(made),
        front_matter(random) if front else (),
        parted=split,
    )


def facts(language: Language, random: Random, topic: str, number: int) -> list[Fact]:
    """So many facts on a topic; a pattern comes again only when all of them are used up."""
    patterns: list[str] = []
    made: list[Fact] = []
    while len(made) < number:
        if not patterns:
            patterns = random.sample(language.patterns[topic], len(language.patterns[topic]))
        tail = filled(random.choice(language.tails), language, random) if random.random() < 0.35 else ""
        made.append(Fact(topic, filled(patterns.pop(), language, random), tail))
    return made


def fresh(language: Language, random: Random, number: int) -> list[Item]:
    """Entries that are new: their patterns are used for nothing else."""
    chosen: list[str] = []
    while len(chosen) < number:
        chosen += random.sample(language.fresh, min(len(language.fresh), number - len(chosen)))
    return [item(Fact("fresh", filled(pattern, language, random))) for pattern in chosen]


def item(fact: Fact) -> Item:
    return Item(fact.text, fact)


def front_matter(random: Random) -> tuple[tuple[str, str], ...]:
    keys = [
        ("title", "Working memory"),
        ("type", random.choice(("project", "reference", "feedback", "user"))),
        ("owner", random.choice(("core team", "household", "night shift"))),
        ("created", f"2026-0{random.randint(1, 9)}-{random.randint(10, 28)}"),
        ("review_every_days", str(random.randint(7, 90))),
        ("scope", random.choice(("private", "shared with family", "team only"))),
        ("tags", "[memory, notes, long-term]"),
        ("description", random.choice(("what to know before touching production", "everything about the flat"))),
    ]
    return tuple(keys[: random.randint(4, 8)])


# --------------------------------------------------------------------------- layout


def render(whole: Notes) -> str:
    """The file. Ends with a line end."""
    parts: list[str] = []
    if whole.front:
        parts.append("---\n" + "".join(f"{key}: {value}\n" for key, value in whole.front) + "---\n")
    if whole.parted:
        return "".join(parts) + "\n§\n".join(line(one) for one in whole.items) + "\n"
    if whole.title:
        parts.append(f"{'#' * (whole.level - 1)} {whole.title}\n")
    for section in whole.sections:
        heading = f"{'#' * whole.level} {section.heading}\n\n" if section.heading else ""
        parts.append(heading + body(section))
    return "\n".join(parts)


def line(one: Item) -> str:
    return f"{one.mark} {one.text}" if one.mark else one.text


def number(one: Item) -> int:
    """A number that stays with a fact wherever its line goes."""
    return crc32(one.fact.core.encode()) % 900 + 100


def body(section: Section) -> str:
    """The items of a section in its layout, with a line end."""
    lines = [line(one) for one in section.items]
    match section.layout:
        case "bullets":
            return "".join(f"- {text}\n" for text in lines)
        case "stars":
            return "".join(f"* {text}\n" for text in lines)
        case "numbered":
            return "".join(f"{n}. {text}\n" for n, text in enumerate(lines, 1))
        case "checks":
            return "".join(f"- [{'x' if number(one) % 3 else ' '}] {line(one)}\n" for one in section.items)
        case "paragraphs":
            return "\n".join(f"{text}\n" for text in lines)
        case "flow":
            return " ".join(f"{text}." for text in lines) + "\n"
        case "table":
            rows = "".join(f"| T-{number(one)} | {line(one).replace('|', '/')} |\n" for one in section.items)
            return f"| # | {section.heading or 'note'} |\n|---|---|\n{rows}"
    raise AssertionError(section.layout)

"""Legitimate: the same content in another layout."""

from __future__ import annotations

import re
from random import Random
from textwrap import fill

from corpus.changes import Made, family, harmless, one
from corpus.families.places import ANY, KEPT, LASTING, writer
from corpus.languages import LANGUAGES, Language
from corpus.notes import Item, Notes, fresh, notes

LAYOUT = "format edit append encoding_change"


@family(destructive=False)
def reordered(language: Language, random: Random) -> Made:
    """Sections in another order, and the entries within them."""
    path, before = random.choice(LASTING), notes(language, random)
    sections = [
        section._replace(items=tuple(random.sample(section.items, len(section.items)))) for section in before.sections
    ]
    random.shuffle(sections)
    return one(path, before.text, before._replace(sections=tuple(sections)).text, by=writer(random)), harmless(LAYOUT)


@family(destructive=False)
def sorted_lines(language: Language, random: Random) -> Made:
    """All entries in one sorted list, headings gone."""
    path, before = random.choice(KEPT), notes(language, random, layout="bullets")
    lines = sorted(f"- {entry.mark} {entry.text}".replace("-  ", "- ") for entry in before.items)
    return one(path, before.text, f"# {before.title}\n\n" + "\n".join(lines) + "\n", by=writer(random)), harmless(
        LAYOUT
    )


@family(destructive=False, languages=("en", "de", "ar", "mixed"))
def rewrapped(language: Language, random: Random) -> Made:
    """Paragraphs and items wrapped at another width."""
    path, before = (
        random.choice(LASTING),
        notes(language, random, layout=random.choice(("paragraphs", "bullets")), marks=False),
    )
    width = random.choice((44, 60, 72))
    lines = before.text.split("\n")
    wrapped = [
        line
        if line.startswith("#")
        else fill(line, width, subsequent_indent="  " if line.startswith("- ") else "", break_on_hyphens=False)
        for line in lines
    ]
    texts = (before.text, "\n".join(wrapped))
    old, new = texts if random.random() < 0.5 else reversed(texts)
    return one(path, old, new, by=writer(random)), harmless(LAYOUT)


@family(destructive=False)
def bullets_to_paragraphs(language: Language, random: Random) -> Made:
    """Lists become running text, a sentence an entry: or the other way round."""
    path, before = random.choice(LASTING), notes(language, random, layout="bullets", parted=False, marks=False)
    stop = language.phrases.stop
    parts = [
        f"## {section.heading}\n\n"
        + (" " if language.spaced else "").join(entry.text + stop for entry in section.items)
        + "\n"
        for section in before.sections
    ]
    texts = (before.text, f"# {before.title}\n\n" + "\n".join(parts))
    old, new = texts if random.random() < 0.6 else reversed(texts)
    return one(path, old, new, by=writer(random)), harmless(LAYOUT)


@family(destructive=False)
def list_to_table(language: Language, random: Random) -> Made:
    """Lists become tables with a running number, or tables become lists."""
    path, before = random.choice(LASTING), notes(language, random, layout="bullets", parted=False, marks=False)
    parts = [
        f"## {section.heading}\n\n| No. | {section.heading} |\n|:--|:--|\n"
        + "".join(f"| {n} | {entry.text} |\n" for n, entry in enumerate(section.items, 1))
        for section in before.sections
    ]
    texts = (before.text, f"# {before.title}\n\n" + "\n".join(parts))
    old, new = texts if random.random() < 0.6 else reversed(texts)
    return one(path, old, new, by=writer(random)), harmless(LAYOUT)


@family(destructive=False)
def list_markers_changed(language: Language, random: Random) -> Made:
    """Other bullets, numbers, check boxes."""
    path, before = (
        random.choice(ANY),
        notes(language, random, layout=random.choice(("bullets", "numbered")), parted=False),
    )
    layout = random.choice(("stars", "checks", "paragraphs"))
    after = before._replace(sections=tuple(section._replace(layout=layout) for section in before.sections))
    return one(path, before.text, after.text, by=writer(random)), harmless(LAYOUT)


@family(destructive=False)
def heading_levels(language: Language, random: Random) -> Made:
    """All headings one level down, or numbered, or underlined."""
    path, before = random.choice(LASTING), notes(language, random, parted=False)
    after = random.choice(
        (
            before._replace(level=3).text,
            re.sub(r"^# (.+)$", lambda m: f"{m[1]}\n{'=' * 12}", before.text, flags=re.M).replace("\n## ", "\n### "),
            before._replace(
                sections=tuple(
                    section._replace(heading=f"{n}. {section.heading}") for n, section in enumerate(before.sections, 1)
                )
            ).text,
        )
    )
    return one(path, before.text, after, by=writer(random)), harmless(LAYOUT)


@family(destructive=False)
def headings_translated(language: Language, random: Random) -> Made:
    """Headings in another language, the entries as they were; often with a new entry."""
    path, before = random.choice(LASTING), notes(language, random, parted=False)
    into = random.choice([other for other in LANGUAGES.values() if other.name not in (language.name, "mixed")])
    sections = tuple(section._replace(heading=into.headings[section.topic]) for section in before.sections)
    after = Notes(into.phrases.title, sections)
    if random.random() < 0.5:
        after = after.plus(fresh(language, random, 1))
    return one(path, before.text, after.text, by=writer(random)), harmless(LAYOUT)


@family(destructive=False)
def line_ends_and_mark(language: Language, random: Random) -> Made:
    """CRLF, a byte order mark, blank lines at the end, tabs: no word changes."""
    path, text = random.choice(ANY), notes(language, random).text
    other = random.choice(
        (
            text.replace("\n", "\r\n"),
            "\ufeff" + text,
            text + "\n" * 40,
            text.replace("\n\n", "\n\n\n"),
            "\ufeff" + text.replace("\n", "\r\n"),
        )
    )
    old, new = (text, other) if random.random() < 0.6 else (other, text)
    return one(path, old, new, by=writer(random)), harmless(LAYOUT)


@family(destructive=False)
def encoding_converted(language: Language, random: Random) -> Made:
    """A real conversion: UTF-16 to UTF-8 and back; Latin-1 to UTF-8 where the language allows it."""
    path, text = random.choice(KEPT), notes(language, random)
    codes = ["utf-16", "utf-8-sig"] + (["latin-1", "cp1252"] if language.name == "de" else [])
    old = text.text.encode(random.choice(codes))
    new = (text.plus(fresh(language, random, 1)) if random.random() < 0.4 else text).text.encode()
    if random.random() < 0.25 and not old.startswith(b"#"):
        old, new = text.text.encode(), old
    return one(path, old, new, by=writer(random)), harmless(LAYOUT)


@family(destructive=False)
def emphasis_added(language: Language, random: Random) -> Made:
    """Bold and code marks around words, everywhere."""
    path, before = random.choice(LASTING), notes(language, random)

    def stress(entry: Item) -> Item:
        text = re.sub(r"\b([A-Z]{2}-\d{4}|\d{2}:\d{2}|\d{4}-\d{2}-\d{2})\b", r"**\1**", entry.text)
        return entry._replace(
            text=text if text != entry.text else f"**{entry.text}**" if random.random() < 0.4 else entry.text
        )

    return one(path, before.text, before.map(stress).text, by=writer(random)), harmless(LAYOUT)


@family(destructive=False)
def ids_added(language: Language, random: Random) -> Made:
    """A tool gives every entry an id, or takes the ids away."""
    path, before = random.choice(KEPT), notes(language, random, marks=False)
    numbers = iter(range(1, 1000))
    form = random.choice(("[m-{:04}]", "[K{:03}]", "({:05x}a)"))
    after = before.map(lambda entry: entry._replace(mark=form.format(next(numbers))))
    old, new = (before.text, after.text) if random.random() < 0.6 else (after.text, before.text)
    return one(path, old, new, by=writer(random)), harmless(LAYOUT)

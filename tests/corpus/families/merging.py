"""Legitimate: fewer entries that say as much."""

from __future__ import annotations

from random import Random

from corpus.changes import Made, family, harmless, one
from corpus.families.places import KEPT, LASTING, writer
from corpus.languages import Language
from corpus.notes import Item, Section, fresh, notes

MERGED = "edit format append move"


def _joined(language: Language, random: Random, section: Section, size: int, reword: float) -> list[str]:
    """The facts of a section, up to ``size`` in one sentence."""
    texts = [entry.fact.reworded(random) if random.random() < reword else entry.text for entry in section.items]
    lines = []
    while texts:
        group, texts = texts[:size], texts[size:]
        lines.append(random.choice(language.phrases.joiners).join(group) + language.phrases.stop)
    return lines


@family(destructive=False)
def pairs_merged(language: Language, random: Random) -> Made:
    """Two entries each become one."""
    path, before = (
        random.choice(LASTING),
        notes(language, random, (14, 30), parted=False, layout="bullets", marks=False),
    )
    parts = [
        f"## {section.heading}\n\n" + "".join(f"- {text}\n" for text in _joined(language, random, section, 2, 0.0))
        for section in before.sections
    ]
    return one(path, before.text, f"# {before.title}\n\n" + "\n".join(parts), by=writer(random)), harmless(MERGED)


def _consolidated(language: Language, random: Random, reword: float) -> tuple[str, str, str]:
    path, before = (
        random.choice(KEPT[:3]),
        notes(language, random, (18, 36), parted=False, layout=random.choice(("bullets", "paragraphs")), marks=False),
    )
    parts = [
        f"## {section.heading}\n\n"
        + "".join(f"- {text}\n" for text in _joined(language, random, section, random.randint(3, 4), reword))
        for section in before.sections
    ]
    return path, before.text, f"# {before.title}\n\n" + "\n".join(parts)


@family(destructive=False)
def consolidation_by_known_job(language: Language, random: Random) -> Made:
    """The nightly job puts several entries into one and keeps every fact."""
    path, before, after = _consolidated(language, random, random.choice((0.0, 0.2)))
    return one(path, before, after, by="cron:dreaming", consolidator=True), harmless(MERGED)


@family(destructive=False)
def consolidation_by_anybody(language: Language, random: Random) -> Made:
    """The same by a writer that nobody announced."""
    path, before, after = _consolidated(language, random, random.choice((0.0, 0.2)))
    return one(path, before, after, by=writer(random)), harmless(MERGED)


@family(destructive=False)
def exact_duplicates_removed(language: Language, random: Random) -> Made:
    """Lines that stood two or three times stand once."""
    path, after = (
        random.choice(LASTING),
        notes(language, random, (10, 24), parted=False, layout=random.choice(("bullets", "numbered", "paragraphs"))),
    )
    doubled = [entry for entry in after.items if random.random() < 0.7] or after.items[:1]
    before = after.plus([*doubled, *random.sample(doubled, len(doubled) // 2)])
    return one(path, before.text, after.text, by=writer(random)), harmless(MERGED)


@family(destructive=False)
def near_duplicates_removed(language: Language, random: Random) -> Made:
    """Of two entries that say the same, the fuller one stays."""
    path, after = random.choice(LASTING), notes(language, random, (12, 26), parted=False)
    shorter = [
        Item(entry.fact._replace(tail="").reworded(random), entry.fact)
        for entry in after.items
        if entry.fact.choices > 1 and random.random() < 0.8
    ]
    sections = list(after.sections)
    sections[0] = sections[0]._replace(items=(*sections[0].items, *shorter))
    before = after._replace(sections=tuple(sections))
    return one(path, before.text, after.text, by=writer(random)), harmless(MERGED)


@family(destructive=False)
def same_as_elsewhere_removed(language: Language, random: Random) -> Made:
    """What the instructions say already is taken out of the memory."""
    before = notes(language, random, (14, 30), parted=False)
    known = random.sample(before.items, round(len(before.items) * random.uniform(0.35, 0.7)))
    other = (
        notes(language, random).text
        + "\n## Also\n\n"
        + "".join(f"- {entry.fact.reworded(random) if random.random() < 0.4 else entry.text}\n" for entry in known)
    )
    return one(
        "MEMORY.md", before.text, before.without(known).text, by=writer(random), elsewhere={"AGENTS.md": other}
    ), harmless(MERGED)


@family(destructive=False)
def consolidation_with_news(language: Language, random: Random) -> Made:
    """Put together, with the day's notes worked in, under new headings."""
    path, before = (
        random.choice(KEPT[:3]),
        notes(language, random, (16, 32), parted=False, layout="bullets", marks=False),
    )
    lines = [text for section in before.sections for text in _joined(language, random, section, 2, 0.2)]
    lines += [entry.text for entry in fresh(language, random, 3)]
    random.shuffle(lines)
    half = len(lines) // 2
    first, second = random.sample(list(language.headings.values()), 2)
    after = (
        f"# {before.title}\n\n## {first}\n\n"
        + "".join(f"- {t}\n" for t in lines[:half])
        + f"\n## {second}\n\n"
        + "".join(f"- {t}\n" for t in lines[half:])
    )
    return one(path, before.text, after, by=random.choice(("cron:dreaming", "agent:main", "unknown"))), harmless(MERGED)


@family(destructive=False)
def long_entries_split(language: Language, random: Random) -> Made:
    """Entries that said several things become one line for each."""
    path, after = random.choice(LASTING), notes(language, random, (16, 32), parted=False, layout="bullets", marks=False)
    parts = [
        f"## {section.heading}\n\n"
        + "".join(f"- {text}\n" for text in _joined(language, random, section, random.randint(2, 4), 0.15))
        for section in after.sections
    ]
    before = f"# {after.title}\n\n" + "\n".join(parts)
    return one(path, before, after.text, by=writer(random)), harmless(MERGED)

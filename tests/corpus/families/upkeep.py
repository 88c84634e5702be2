"""Legitimate: everyday writing, and content that looks like damage."""

from __future__ import annotations

from random import Random

from corpus.changes import Made, family, harmless, one
from corpus.families.places import ANY, KEPT, LASTING, writer
from corpus.families.standins import untitled
from corpus.languages import Language
from corpus.languages.language import Fact
from corpus.notes import Item, Notes, Section, facts, fresh, item, notes

USUAL = "append edit format"


@family(destructive=False)
def appended(language: Language, random: Random) -> Made:
    """New entries at the end."""
    path, before = random.choice(ANY), notes(language, random)
    return one(
        path, before.text, before.plus(fresh(language, random, random.randint(1, 5))).text, by=writer(random)
    ), harmless(USUAL)


@family(destructive=False)
def inserted_in_sections(language: Language, random: Random) -> Made:
    """New entries where they belong, one section new."""
    path, before = random.choice(ANY), notes(language, random, parted=False)
    sections = [
        section._replace(items=(*section.items, *map(item, facts(language, random, section.topic, 1))))
        for section in before.sections
    ]
    sections.insert(0, Section("2026-05-28", tuple(fresh(language, random, 2)), "bullets"))
    return one(path, before.text, before._replace(sections=tuple(sections)).text, by=writer(random)), harmless(USUAL)


def _about(language: Language, random: Random, texts: tuple[str, ...]) -> Made:
    """Notes that hold such sentences; they are added, kept beside an edit, or moved within the file."""
    path, plain = random.choice(LASTING), notes(language, random, parted=False)
    special = [Item(text, Fact("about", text)) for text in random.sample(texts, random.randint(1, len(texts)))]
    quoted = Section(random.choice(("", "2026-05-28")), tuple(special), random.choice(("bullets", "paragraphs")))
    held = plain._replace(sections=(*plain.sections, quoted))
    match random.randrange(3):
        case 0:
            return one(path, plain.text, held.text, by=writer(random)), harmless(USUAL)
        case 1:
            after = held.map(
                lambda entry: entry._replace(text=entry.fact.reworded(random)) if random.random() < 0.5 else entry
            )
            return one(path, held.text, after.plus(fresh(language, random, 1)).text, by=writer(random)), harmless(USUAL)
    after = plain._replace(sections=(quoted, *plain.sections[::-1]))
    return one(path, held.text, after.text + "\n" + untitled(fresh(language, random, 1)), by=writer(random)), harmless(
        USUAL
    )


@family(destructive=False)
def prose_about_elisions(language: Language, random: Random) -> Made:
    """Rules and manuals that quote "[rest unchanged]", three dots, NO_REPLY."""
    return _about(language, random, language.phrases.says_elision)


@family(destructive=False)
def prose_about_errors(language: Language, random: Random) -> Made:
    """Notes that quote error messages and HTML."""
    return _about(language, random, language.phrases.says_error)


@family(destructive=False)
def prose_about_redaction(language: Language, random: Random) -> Made:
    """Notes that say what a redaction mark looks like."""
    return _about(language, random, language.phrases.says_redaction)


@family(destructive=False)
def code_tidied(language: Language, random: Random) -> Made:
    """Code blocks are indented, get a language or a comment; commands stay."""
    path, base = random.choice(LASTING), notes(language, random, (6, 12), layout="bullets", parted=False)
    old, new = [f"# {base.title}\n"], [f"# {base.title}\n"]
    for section in base.sections:
        words = random.sample(language.slots["tool"], 3)
        code = [
            f"{word.lower()} --host {random.choice(language.slots['host'])} --keep {random.randint(2, 60)}"
            for word in words
        ]
        head = f"## {section.heading}\n\n" + "".join(f"- {entry.text}\n" for entry in section.items)
        old.append(f"{head}\n```\n" + "\n".join(code) + "\n```\n")
        new.append(f"{head}\n```sh\n# {section.heading}\n" + "\n".join("    " + text for text in code) + "\n```\n")
    return one(path, "\n".join(old), "\n".join(new), by=writer(random)), harmless(USUAL)


@family(destructive=False)
def entry_replaced_by_newer(language: Language, random: Random) -> Made:
    """One or two facts are out of date and make way for what is true now."""
    path, before = random.choice(KEPT), notes(language, random, (20, 40))
    gone = {id(entry) for entry in random.sample(before.items, random.randint(1, 2))}
    news = iter(fresh(language, random, 2))
    after = before.map(lambda entry: next(news) if id(entry) in gone else entry)
    return one(path, before.text, after.text, by=writer(random)), harmless(USUAL)


@family(destructive=False)
def grown_from_little(language: Language, random: Random) -> Made:
    """A short note is worked out: each line becomes a fuller one."""
    path = random.choice(LASTING)
    lines = [fact for topic in random.sample(list(language.patterns), 3) for fact in facts(language, random, topic, 3)]
    fuller = [
        fact.text + language.phrases.joiners[0] + more.text
        for fact, more in zip(lines, fresh(language, random, len(lines)), strict=True)
    ]
    before = Notes(language.phrases.title, (Section("", tuple(map(item, lines)), "bullets"),)).text
    after = f"# {language.phrases.title}\n\n" + "".join(f"- {text}\n" for text in fuller)
    return one(path, before, after, by=writer(random)), harmless(USUAL)


@family(destructive=False)
def synced_from_elsewhere(language: Language, random: Random) -> Made:
    """A sync client brings a newer version: entries more, some reworded, another line end."""
    path, before = random.choice(ANY), notes(language, random, parted=False)
    after = before.map(
        lambda entry: entry._replace(text=entry.fact.reworded(random)) if random.random() < 0.3 else entry
    )
    text = after.plus(fresh(language, random, random.randint(1, 4))).text
    by = random.choice(("sync:cloud", "unknown"))
    return one(path, before.text, text.replace("\n", random.choice(("\n", "\r\n"))), by=by), harmless(USUAL)

"""Destructive: something stands where content was."""

from __future__ import annotations

import re
from random import Random

from conductd.model import Role
from corpus.changes import Made, family, harmful, marks, one
from corpus.families.places import ANY, KEPT, LASTING, role, writer
from corpus.languages import Language
from corpus.notes import Item, Notes, Section, body, facts, fresh, notes


def _elision(language: Language, random: Random) -> str:
    return random.choice(language.phrases.elisions)


@family(destructive=True)
def placeholder_beside_new(language: Language, random: Random) -> Made:
    """A new entry, and a line that says that the rest is as it was."""
    path, before = random.choice(ANY), notes(language, random)
    mark = _elision(language, random)
    news = Section(before.sections[-1].heading, tuple(fresh(language, random, random.randint(1, 3))), "bullets")
    parts = [f"# {before.title}\n", f"## {news.heading}\n\n{body(news)}"]
    parts.insert(random.choice((1, 2)), f"{random.choice(('', '', '- ')) if mark[0] not in '>#' else ''}{mark}\n")
    after = "\n".join(parts)
    wanted = harmful("placeholder", "merge", back=marks(before.text), new=marks(body(news)), never=(mark,))
    return one(path, before.text, after, by=writer(random)), wanted


@family(destructive=True)
def placeholder_beside_kept(language: Language, random: Random) -> Made:
    """The first sections are written out, a stand-in takes the place of the others."""
    path, before = random.choice(ANY), notes(language, random, (16, 40), sections=(4, 6), parted=False)
    kept = before._replace(sections=before.sections[: random.randint(1, len(before.sections) - 2)])
    mark = _elision(language, random)
    after = f"{kept.text}\n{mark}\n"
    wanted = harmful("placeholder", "merge", back=marks(before.text) - marks(kept.text), never=(mark,))
    return one(path, before.text, after, by=writer(random)), wanted


@family(destructive=True)
def placeholder_between(language: Language, random: Random) -> Made:
    """An edit of one section; stand-ins for what lies before and after it, or inside every section."""
    path, before = random.choice(ANY), notes(language, random, (18, 40), sections=(4, 6), parted=False)
    mark = _elision(language, random)
    news = fresh(language, random, 1)
    if random.random() < 0.5:
        place = random.randint(1, len(before.sections) - 2)
        old = before.sections[place]
        shown = old._replace(items=(*old.items, *news))
        new = marks(body(shown)) - marks(body(old))
        after = f"# {before.title}\n\n{mark}\n\n## {shown.heading}\n\n{body(shown)}\n{mark}\n"
    else:
        parts = [
            f"## {section.heading}\n\n{body(section._replace(items=section.items[:1]))}\n{mark}\n"
            for section in before.sections
        ]
        after = f"# {before.title}\n\n" + "\n".join(parts) + "\n" + untitled(news)
        new = marks(untitled(news))
    wanted = harmful(
        "placeholder",
        "merge",
        back=marks(before.text) - marks(after),
        new=new,
        never=(mark,),
    )
    return one(path, before.text, after, by=writer(random)), wanted


@family(destructive=True)
def truncated_view_saved(language: Language, random: Random) -> Made:
    """What an agent was shown of a long file, cut in the middle, was written back as the file."""
    path, before = (
        random.choice(("MEMORY.md", "AGENTS.md", "CLAUDE.md", "memory/projects/lantern.md")),
        notes(language, random, (40, 60), sections=(5, 7)),
    )
    lines = before.text.splitlines(True)
    head, tail = lines[: len(lines) // 2], lines[-len(lines) // 5 :]
    cut = sum(map(len, lines)) - sum(map(len, head + tail))
    mark = random.choice(
        (
            f"[...truncated, read {path} for full content...]\n"
            f"…(truncated {path}: kept {len(head)}+{len(tail)} chars of {len(before.text)})…",
            f"[... {len(lines) - len(head) - len(tail)} lines omitted ...]",
            f"... [{cut} characters truncated] ...",
            f"[More content available. Use from={len(head)} to continue.]",
        )
    )
    after = "".join(head) + f"\n{mark}\n\n" + "".join(tail)
    wanted = harmful("placeholder shrink", "merge propose", back=marks(before.text) - marks(after))
    return one(path, before.text, after, by=writer(random)), wanted


@family(destructive=True)
def numbered_list_cut(language: Language, random: Random) -> Made:
    """A long list of which the first are given, "and 17 more" for the others."""
    path, before = (
        random.choice(KEPT),
        notes(language, random, (20, 36), sections=(1, 2), layout=random.choice(("numbered", "bullets"))),
    )
    parts, gone = [], []
    for section in before.sections:
        keep = max(2, len(section.items) // random.randint(3, 4))
        gone += section.items[keep:]
        more = language.phrases.more.format(n=len(section.items) - keep)
        parts.append(f"## {section.heading}\n\n{body(section._replace(items=section.items[:keep]))}{more}\n")
    after = f"# {before.title}\n\n" + "\n".join(parts)
    wanted = harmful("placeholder shrink overwrite", "merge propose revert", back=marks(before.only(gone).text))
    return one(path, before.text, after, by=writer(random)), wanted


@family(destructive=True)
def code_blocks_emptied(language: Language, random: Random) -> Made:
    """The fences stay, what stood between them is a comment or nothing."""
    path, notes_ = (
        random.choice(LASTING),
        notes(language, random, (6, 12), sections=(3, 4), layout="bullets", parted=False),
    )
    full, empty = [f"# {notes_.title}\n"], [f"# {notes_.title}\n"]
    hollow = random.choice(("", "# ...\n", f"# {language.phrases.elisions[1]}\n", "// ... existing code ...\n"))
    for section in notes_.sections:
        hosts, tools = random.sample(language.slots["host"], 2), random.sample(language.slots["tool"], 3)
        code = "".join(
            f"{tool.lower()} --target {host} --retention {random.randint(3, 90)}d --port {random.randint(1024, 9999)}\n"
            for tool in tools
            for host in hosts
        )
        head = f"## {section.heading}\n\n{body(section)}\n"
        full.append(f"{head}```sh\n{code}```\n")
        empty.append(f"{head}```sh\n{hollow}```\n")
    before, after = "\n".join(full), "\n".join(empty)
    wanted = harmful("placeholder shrink overwrite", "merge propose revert", back=marks(before) - marks(after))
    return one(path, before, after, by=writer(random)), wanted


_VALUE = re.compile(r"\d{4}-\d{2}-\d{2}|[A-Z]{2}-\d{4}|10(?:\.\d+){3}|\d{2}:\d{2}|\d+")


@family(destructive=True)
def redaction_over_values(language: Language, random: Random) -> Made:
    """A clean-up of secrets, by whom nobody knows, put marks over values that were needed."""
    path, before = random.choice(LASTING), notes(language, random, (10, 30))
    mark = random.choice(language.phrases.redacted)
    some = [entry for entry in before.items if _VALUE.search(entry.text)]
    chosen = random.sample(some, max(1, round(len(some) * random.choice((0.1, 0.3, 0.6, 1.0)))))
    ids = {id(entry) for entry in chosen}

    def hide(entry: Item) -> Item:
        return entry._replace(text=_VALUE.sub(mark, entry.text)) if id(entry) in ids else entry

    after = before.map(hide)
    return one(path, before.text, after.text, by=writer(random)), harmful(
        "placeholder", "propose", back=marks(before.text) - marks(after.text)
    )


@family(destructive=True)
def rewrite_with_elisions(language: Language, random: Random) -> Made:
    """Every entry is begun, and ends in three dots."""
    path, before = (
        random.choice(KEPT),
        notes(language, random, (12, 28), layout=random.choice(("bullets", "paragraphs"))),
    )

    def begin(entry: Item) -> Item:
        if language.spaced:
            words = entry.text.split()
            return entry._replace(text=" ".join(words[: max(2, len(words) // 4)]) + random.choice((" ...", "…")))
        return entry._replace(text=entry.text[: max(4, len(entry.text) // 4)] + "……")

    after = before.map(begin)
    wanted = harmful(
        "placeholder shrink overwrite",
        "merge propose" + (" revert" if role(path) is not Role.DAILY else ""),
        back=marks(before.text),
    )
    return one(path, before.text, after.text, by=writer(random)), wanted


def untitled(items: list[Item]) -> str:
    """Items as a bare list."""
    return Notes("", (Section("", tuple(items), "bullets"),)).text


@family(destructive=True)
def values_emptied(language: Language, random: Random) -> Made:
    """The form is back, what was filled in is not."""
    path, colon = random.choice(("USER.md", "MEMORY.md", "memory/people.md")), ": " if language.spaced else "："
    people = random.sample(language.slots["person"], 4)
    labels = [label for label, _ in language.phrases.labels]

    def form(filled_in: bool) -> str:
        parts = []
        for place, person in enumerate(people):
            told = [values[(place + n) % len(values)] if filled_in else waiting for n in range(len(labels))]
            lines = "".join(
                f"- {label}{colon}{value}".rstrip() + "\n" for label, value in zip(labels, told, strict=True)
            )
            parts.append(f"## {person}\n\n{lines}")
        return f"# {language.phrases.title}\n\n" + "\n".join(parts)

    values = [fact.short for fact in facts(language, random, "tastes", 7)]
    waiting = random.choice((language.phrases.waiting, "", "?", "..."))
    before, after = form(True), form(False)
    wanted = harmful("overwrite shrink placeholder", "revert merge propose", back=marks(before))
    return one(path, before, after, by=writer(random)), wanted

"""Legitimate: the file, the job or the tool is known to do this."""

from __future__ import annotations

from random import Random

from conductd.core.case import Git
from conductd.model import Role
from corpus.changes import NOON_NS, SECOND_NS, Made, family, harmless, one, write
from corpus.families.people import ANYTHING
from corpus.families.places import KEPT, LASTING, writer
from corpus.languages import Language
from corpus.notes import Notes, body, fresh, notes


@family(destructive=False)
def hand_off_replaced(language: Language, random: Random) -> Made:
    """A hand-off is written anew for every session."""
    path = random.choice(("SESSION_HANDOFF.md", "memory/handoff.md", "memory/active-context.md"))
    before, after = notes(language, random).text, notes(language, random).text
    after = random.choice((after, after, language.phrases.stubs[1]))
    return one(path, before, after, by=writer(random), role=Role.REPLACEABLE), harmless(ANYTHING)


@family(destructive=False)
def heartbeat_replaced(language: Language, random: Random) -> Made:
    """HEARTBEAT.md and task files are made to be replaced, and to be empty."""
    path, before = random.choice(("HEARTBEAT.md", "TASKS.md", "TODO.md")), notes(language, random).text
    after = random.choice((notes(language, random, (3, 8)).text, "# Heartbeat\n", "", None))
    return one(path, before, after, by=writer(random)), harmless(ANYTHING)


@family(destructive=False)
def removed_by_retention(language: Language, random: Random) -> Made:
    """A configured job removes what is old enough."""
    path = random.choice(("memory/archive/2025-10-01.md", "memory/2025-09-14.md"))
    return one(path, notes(language, random).text, None, by="cron:housekeeping", retention=True), harmless(ANYTHING)


@family(destructive=False)
def deleted_again(language: Language, random: Random) -> Made:
    """It was put back an hour ago, and is deleted again: it was meant."""
    path = random.choice(KEPT[3:])
    restored = NOON_NS - random.randint(1, 20) * 3600 * SECOND_NS
    return one(path, notes(language, random).text, None, by=writer(random), restored_ns=restored), harmless(ANYTHING)


@family(destructive=False)
def branch_checked_out(language: Language, random: Random) -> Made:
    """A checkout of a branch with other notes: asked about, never written under git's feet."""
    path, before = random.choice(LASTING), notes(language, random)
    after = before.without(random.sample(before.items, len(before.items) // 2)).plus(fresh(language, random, 3))
    git = Git(committed=random.random() < 0.5)
    return one(path, before.text, after.text, by="git", git=git), harmless(ANYTHING, "record propose hold")


@family(destructive=False)
def merge_finished(language: Language, random: Random) -> Made:
    """The marks of a merge are resolved, both sides kept, the commit is made."""
    path, before = random.choice(LASTING), notes(language, random, parted=False)
    ours, theirs = fresh(language, random, 2)
    end = before.sections[-1]
    marks = f"<<<<<<< HEAD\n- {ours.text}\n=======\n- {theirs.text}\n>>>>>>> origin/main\n"
    marked = before.text.replace(body(end), body(end) + marks)
    resolved = before.text.replace(body(end), body(end) + f"- {ours.text}\n- {theirs.text}\n")
    if random.random() < 0.5:
        return one(path, marked, resolved, by="unknown"), harmless(ANYTHING)
    versions = (
        write(marked, by="git", at=-60, seq=100),
        write(resolved, by=random.choice(("unknown", "human:vim")), at=0, seq=101),
    )
    return one(path, before.text, *versions), harmless(ANYTHING)


@family(destructive=False)
def git_brings_more(language: Language, random: Random) -> Made:
    """A pull brings entries of another machine and takes none."""
    path, before = random.choice(LASTING), notes(language, random, parted=False)
    return one(path, before.text, before.plus(fresh(language, random, 4)).text, by="git"), harmless(ANYTHING)


@family(destructive=False)
def dreaming_promotes(language: Language, random: Random) -> Made:
    """OpenClaw's nightly promotion: a dated section, a marker comment before each entry."""
    before, lines = notes(language, random), []
    for number, entry in enumerate(fresh(language, random, random.randint(2, 6))):
        lines.append(f"<!-- openclaw-memory-promotion:{random.getrandbits(40):010x}-{number} -->\n- {entry.text}\n")
    middle = random.choice(("", "### Global\n\n", "### Project: lantern\n\n"))
    after = before.text + "\n## Promoted From Short-Term Memory (2026-05-28)\n\n" + middle + "\n".join(lines)
    return one(
        "MEMORY.md",
        before.text,
        after,
        by=random.choice(("cron:dreaming", "unknown")),
        consolidator=random.random() < 0.5,
    ), harmless(ANYTHING)


@family(destructive=False)
def memory_imported(language: Language, random: Random) -> Made:
    """An import from another agent is added at the end, larger than what was there."""
    path, before, more = (
        random.choice(KEPT[:3]),
        notes(language, random, (6, 16), parted=False),
        notes(language, random, (30, 50), parted=False),
    )
    after = f"{before.text}\n## Imported\n\n{more._replace(title='', level=3).text}"
    return one(path, before.text, after, by=writer(random)), harmless(ANYTHING)


@family(destructive=False)
def template_removed(language: Language, random: Random) -> Made:
    """An untouched template makes way for real notes."""
    before = random.choice((language.phrases.stubs[0], language.phrases.stubs[1], language.phrases.stubs[-1]))
    after = Notes(language.phrases.title, notes(language, random).sections).text
    return one(random.choice(KEPT), before, after, by=writer(random)), harmless(ANYTHING)

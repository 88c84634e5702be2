"""Legitimate: what is gone from here is somewhere else in the workspace, or comes from there."""

from __future__ import annotations

from random import Random

from corpus.changes import Made, family, harmless, one
from corpus.families.places import DAILY, KEPT, writer
from corpus.languages import Language
from corpus.notes import Item, Notes, notes

MOVED = "move edit rename format append deletion"


def _reworded(whole: Notes, random: Random, share: float) -> Notes:
    def again(entry: Item) -> Item:
        return entry._replace(text=entry.fact.reworded(random)) if random.random() < share else entry

    return whole.map(again)


def _index(language: Language, *paths: str) -> str:
    return "".join(f"- {language.phrases.index.format(path=path)}\n" for path in paths)


@family(destructive=False)
def moved_to_topic_file(language: Language, random: Random) -> Made:
    """Sections are moved out word for word, a line says where."""
    before = notes(language, random, (18, 44), sections=(4, 7), parted=False)
    keep = random.randint(1, len(before.sections) // 2)
    stay, gone = before._replace(sections=before.sections[:keep]), before._replace(sections=before.sections[keep:])
    path = random.choice(("memory/details.md", "memory/archive/2026-spring.md", "docs/notes.md"))
    elsewhere = {path: gone._replace(title=gone.sections[0].heading).text}
    return one(
        "MEMORY.md", before.text, f"{stay.text}\n{_index(language, path)}", by=writer(random), elsewhere=elsewhere
    ), harmless(MOVED)


@family(destructive=False)
def moved_and_reworded(language: Language, random: Random) -> Made:
    """The same, with the wording touched on the way and another layout."""
    before = notes(language, random, (18, 40), sections=(4, 6), parted=False)
    keep = random.randint(1, len(before.sections) // 2)
    stay, gone = before._replace(sections=before.sections[:keep]), before._replace(sections=before.sections[keep:])
    there = _reworded(gone, random, 0.6)
    layout = random.choice(("bullets", "paragraphs", "stars"))
    there = there._replace(sections=tuple(section._replace(layout=layout) for section in there.sections))
    path = random.choice(("memory/details.md", "memory/servers.md"))
    return one(
        "MEMORY.md",
        before.text,
        f"{stay.text}\n{_index(language, path)}",
        by=writer(random),
        elsewhere={path: there.text},
    ), harmless(MOVED)


@family(destructive=False)
def split_into_files(language: Language, random: Random) -> Made:
    """Every section gets a file of its own, an index is left."""
    path, before = (
        random.choice(("MEMORY.md", "CLAUDE.md", "AGENTS.md")),
        notes(language, random, (20, 48), sections=(4, 7), parted=False),
    )
    elsewhere = {
        f"memory/{number:02}-{section.topic}.md": Notes(section.heading, (section._replace(heading=""),)).text
        for number, section in enumerate(before.sections)
    }
    after = f"# {before.title}\n\n{_index(language, *elsewhere)}"
    return one(path, before.text, after, by=writer(random), elsewhere=elsewhere), harmless(MOVED)


@family(destructive=False)
def renamed_file(language: Language, random: Random) -> Made:
    """The file has another name now, its text is the same or nearly."""
    path, before = (
        random.choice(("memory/notes.md", "memory/people.md", "memory/2026-05-20.md")),
        notes(language, random),
    )
    to = random.choice(("memory/work/notes.md", "memory/people-and-firms.md", "memory/old-notes.md"))
    after = before if random.random() < 0.6 else _reworded(before, random, 0.2)
    return one(
        path, before.text, None, by=writer(random), elsewhere={to: after.text}, renamed_to=to.encode()
    ), harmless(MOVED)


@family(destructive=False)
def daily_log_archived(language: Language, random: Random) -> Made:
    """Old days go to an archive folder, by rename or by copy and delete, or many into one."""
    path, before = random.choice(("memory/2026-02-03.md", "memory/2026-02-03-evening.md")), notes(language, random)
    to = random.choice(("memory/archive/2026-02/2026-02-03.md", "archive/2026-02-03.md", "memory/archive/2026-q1.md"))
    text = before.text
    if to.endswith("q1.md"):
        text = notes(language, random).text + "\n" + text
        return one(path, before.text, None, by="cron:housekeeping", elsewhere={to: text}), harmless(MOVED)
    more = {"renamed_to": to.encode()} if random.random() < 0.5 else {}
    return one(path, before.text, None, by="cron:housekeeping", elsewhere={to: text}, **more), harmless(MOVED)


@family(destructive=False)
def files_joined(language: Language, random: Random) -> Made:
    """A small topic file is taken into a larger one and removed."""
    before, larger = notes(language, random, (6, 16), parted=False), notes(language, random, parted=False)
    joined = larger.text + "\n" + before._replace(title=before.sections[0].heading).text
    return one(
        "memory/people.md", before.text, None, by=writer(random), elsewhere={"memory/everyone.md": joined}
    ), harmless(MOVED)


@family(destructive=False)
def doctor_merges_lower_case_file(language: Language, random: Random) -> Made:
    """`memory.md` is taken into MEMORY.md by the host's own repair, its original put aside."""
    before, upper = notes(language, random, (8, 20), parted=False), notes(language, random, parted=False)
    merged = f"{upper.text}\n<!-- merged from memory.md -->\n\n{before._replace(title='').text}"
    elsewhere = {"MEMORY.md": merged, ".openclaw-repair/root-memory/2026-05-28/memory.md": before.text}
    return one("memory.md", before.text, None, by="unknown", elsewhere=elsewhere, consolidator=True), harmless(MOVED)


@family(destructive=False)
def doctor_merges_tools_file(language: Language, random: Random) -> Made:
    """TOOLS.md becomes a section of AGENTS.md."""
    before, agents = notes(language, random, (6, 18), parted=False), notes(language, random, parted=False)
    merged = f"{agents.text}\n## Tools\n\n{before._replace(title='', level=3).text}"
    return one(
        "TOOLS.md", before.text, None, by="unknown", elsewhere={"AGENTS.md": merged}, consolidator=True
    ), harmless(MOVED)


@family(destructive=False)
def daily_notes_promoted(language: Language, random: Random) -> Made:
    """What was noted in a day's log is promoted to the curated file and cut from the log."""
    before = notes(language, random, (12, 26), parted=False)
    promoted = random.sample(before.items, round(len(before.items) * random.uniform(0.35, 0.7)))
    curated = notes(language, random, parted=False).text + "\n## 2026-05-27\n\n"
    curated += "".join(
        f"- {entry.fact.reworded(random) if random.random() < 0.4 else entry.text}\n" for entry in promoted
    )
    after = before.without(promoted)
    return one(
        random.choice(DAILY), before.text, after.text, by=writer(random), elsewhere={"MEMORY.md": curated}
    ), harmless(MOVED)


@family(destructive=False)
def swapped_between_files(language: Language, random: Random) -> Made:
    """Tidying: half of the entries change places with another file's."""
    here, there = notes(language, random, (14, 28), parted=False), notes(language, random, (14, 28), parted=False)
    out, back = random.sample(here.items, len(here.items) // 2), random.sample(there.items, len(there.items) // 2)
    after, other = here.without(out).plus(back), there.without(back).plus(out)
    return one(
        random.choice(KEPT[3:]), here.text, after.text, by=writer(random), elsewhere={"memory/other.md": other.text}
    ), harmless(MOVED)

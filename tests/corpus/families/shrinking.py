"""Destructive: part of the file is gone, and is nowhere else."""

from __future__ import annotations

from random import Random

from conductd.model import FileState
from corpus.changes import Made, family, harmful, marks, one, write
from corpus.families.places import ANY, INSTRUCTIONS, KEPT, LASTING, writer
from corpus.languages import Language
from corpus.languages.language import Fact, filled
from corpus.notes import Item, Notes, fresh, item, notes


def _gone(before: Notes, after: Notes) -> frozenset[bytes]:
    return marks(before.text) - marks(after.text)


@family(destructive=True)
def cut_mid_line(language: Language, random: Random) -> Made:
    """The write ended in the middle of a line."""
    path, before = random.choice(ANY), notes(language, random).text
    data = before.encode()
    at = random.randint(len(data) // 4, len(data) * 4 // 5)
    whole = random.random() < 0.5  # between characters: a limit in characters, not in bytes
    while data[at - 1 : at + 1].strip() != data[at - 1 : at + 1] or (whole and data[at] & 0xC0 == 0x80):
        at -= 1
    after = data[:at]
    return one(path, before, after, by=writer(random)), harmful(
        "partial_write", "revert", back=marks(before) - marks(after)
    )


@family(destructive=True)
def cut_at_block(language: Language, random: Random) -> Made:
    """A full disk or a crash left whole blocks of the file."""
    path, before = random.choice(ANY), notes(language, random, (90, 120), sections=(7, 8)).text
    data = before.encode()
    after = data[: 4096 * random.randint(1, (len(data) - 1) // 4096)]
    return one(path, before, after, by=writer(random)), harmful(
        "partial_write", "revert", back=marks(before) - marks(after)
    )


@family(destructive=True)
def sections_dropped(language: Language, random: Random) -> Made:
    """Whole sections are missing from a rewrite, most of it still there."""
    path, before = random.choice(LASTING), notes(language, random, (18, 40), sections=(4, 7), parted=False)
    count = len(before.sections)
    kept = sorted(random.sample(range(count), random.randint(count // 2, count - 2)))
    after = before._replace(sections=tuple(before.sections[place] for place in kept))
    if random.random() < 0.5:
        after = after.plus(fresh(language, random, 1))
    return one(path, before.text, after.text, by=writer(random)), harmful(
        "shrink", "propose", back=_gone(before, after)
    )


@family(destructive=True)
def entries_scattered(language: Language, random: Random) -> Made:
    """Entries go here and there, a third to half of them, by nobody known to be allowed to."""
    path, before = random.choice(LASTING), notes(language, random, (16, 44))
    after = before.without(random.sample(before.items, round(len(before.items) * random.uniform(0.32, 0.55))))
    return one(path, before.text, after.text, by=writer(random)), harmful(
        "shrink", "propose", back=_gone(before, after)
    )


@family(destructive=True)
def small_section_dropped(language: Language, random: Random) -> Made:
    """One section of a long file, a tenth of it at most."""
    path, before = random.choice(LASTING), notes(language, random, (54, 70), sections=(8, 8), parted=False)
    place = random.randrange(len(before.sections))
    sections = list(before.sections)
    sections[place] = sections[place]._replace(items=sections[place].items[: random.randint(4, 5)])
    before = before._replace(sections=tuple(sections))
    after = before._replace(sections=(*sections[:place], *sections[place + 1 :]))
    if random.random() < 0.5:
        after = after.plus(fresh(language, random, 1))
    return one(path, before.text, after.text, by=writer(random)), harmful(
        "shrink", "propose", back=_gone(before, after)
    )


@family(destructive=True)
def summary_instead(language: Language, random: Random) -> Made:
    """Each section became one sentence that says what it was about; the figures and names are gone."""
    path, before = random.choice(KEPT), notes(language, random, (20, 40), sections=(4, 6), parted=False)
    lines = [
        f"## {section.heading}\n\n{language.summaries[section.topic]}{language.phrases.stop}\n"
        for section in before.sections
    ]
    after = f"# {before.title}\n\n" + "\n".join(lines)
    wanted = harmful("overwrite shrink", "merge revert propose", back=marks(before.text))
    return one(path, before.text, after, by=writer(random)), wanted


@family(destructive=True)
def rules_lost_in_compaction(language: Language, random: Random) -> Made:
    """A compaction puts everything into other words and leaves the standing rules out."""
    path = random.choice((*INSTRUCTIONS, "MEMORY.md"))
    before = notes(language, random, (40, 56), sections=(8, 8), parted=False, layout="bullets")
    kept = [section for section in before.sections if section.topic != "rules"]
    rules = next(section for section in before.sections if section.topic == "rules")

    def again(entry: Item) -> Item:
        return entry._replace(text=entry.fact.reworded(random)) if random.random() < 0.5 else entry

    after = before._replace(sections=tuple(kept)).map(again)
    text = after.text
    if random.random() < 0.5:
        text += f"\n## {rules.heading}\n\n{language.summaries['rules']}{language.phrases.stop}\n"
    wanted = harmful("shrink", "propose", back=marks(before.only(rules.items).text))
    return one(path, before.text, text, by=random.choice(("agent:main", "cron:compact", "unknown"))), wanted


@family(destructive=True)
def partly_moved(language: Language, random: Random) -> Made:
    """Sections move to topic files, and one of them never arrives."""
    path, before = "MEMORY.md", notes(language, random, (24, 40), sections=(5, 6), parted=False)
    stay, moved, gone = before.sections[:1], before.sections[1:3], before.sections[3:]
    after = before._replace(sections=stay).text + f"\n{language.phrases.index.format(path='memory/more.md')}\n"
    more = before._replace(title=moved[0].heading, sections=moved).text
    wanted = harmful("shrink", "propose", back=marks(before._replace(sections=gone).text))
    return one(path, before.text, after, by=writer(random), elsewhere={"memory/more.md": more}), wanted


@family(destructive=True)
def sorted_unique(language: Language, random: Random) -> Made:
    """Sorted, with one kept of each group of lines that look alike and are different."""
    path = random.choice(KEPT)
    groups = [
        [item(Fact(topic, filled(pattern, language, random))) for _ in range(3)]
        for topic in random.sample(list(language.patterns), 4)
        for pattern in random.sample(language.patterns[topic], 2)
    ]
    lines = [entry.text for group in groups for entry in group]
    kept = sorted(group[0].text for group in groups)
    before = f"# {language.phrases.title}\n\n" + "".join(f"- {text}\n" for text in lines)
    after = f"# {language.phrases.title}\n\n" + "".join(f"- {text}\n" for text in kept)
    wanted = harmful("shrink overwrite", "propose", back=marks(before) - marks(after))
    return one(path, before, after, by=writer(random)), wanted


@family(destructive=True)
def table_rows_dropped(language: Language, random: Random) -> Made:
    """The head of the table and some of its rows are left."""
    path, before = (
        random.choice(LASTING),
        notes(language, random, (18, 40), sections=(1, 2), layout="table", parted=False),
    )
    share = random.uniform(0.35, 0.65)
    kept = [
        entry
        for section in before.sections
        for entry in section.items[: max(1, round(len(section.items) * (1 - share)))]
    ]
    after = before.only(kept)
    return one(path, before.text, after.text, by=writer(random)), harmful(
        "shrink", "propose", back=_gone(before, after)
    )


@family(destructive=True)
def flush_shrinks_log(language: Language, random: Random) -> Made:
    """A writer that may only append to the day's log left part of it out."""
    before = notes(language, random, (12, 24), parted=False)
    after = before.without(random.sample(before.items, round(len(before.items) * random.uniform(0.35, 0.55)))).plus(
        fresh(language, random, 1)
    )
    wanted = harmful("shrink", "merge", back=_gone(before, after), new=marks(after.text) - marks(before.text))
    return one("memory/2026-05-28.md", before.text, after.text, by="cron:flush", append_only_writer=True), wanted


@family(destructive=True)
def consolidator_drops_facts(language: Language, random: Random) -> Made:
    """A known consolidator puts notes together and leaves a third of them out."""
    path, before = random.choice(("MEMORY.md", "USER.md")), notes(language, random, (20, 40))
    kept = random.sample(before.items, round(len(before.items) * random.uniform(0.45, 0.7)))
    lines = [
        entry.fact.reworded(random) if random.random() < 0.4 else entry.text for entry in before.items if entry in kept
    ]
    after = f"# {before.title}\n\n" + "".join(f"- {text}\n" for text in lines)
    gone = before.without(kept)
    wanted = harmful("shrink overwrite lost_update", "propose", back=marks(gone.text))
    return one(path, before.text, after, by="cron:dreaming", consolidator=True), wanted


@family(destructive=True)
def link_instead(language: Language, random: Random) -> Made:
    """A symbolic link took the file's place, and what it held is nowhere."""
    path, before = random.choice(LASTING), notes(language, random).text
    target = random.choice((b"/dev/null", b"../common/MEMORY.md", b"notes.md", b"/mnt/sync/memory.md"))
    link = write(None, by=writer(random))
    version = link.__class__(link.seq, FileState.SYMLINK, link.at_ns, link.actor, link_target=target)
    return one(path, before, version), harmful("symlink_change", "propose", back=marks(before))


@family(destructive=True)
def head_trimmed(language: Language, random: Random) -> Made:
    """A limit kept the newest lines and threw the oldest away."""
    path, before = (
        random.choice(KEPT),
        notes(language, random, (24, 44), sections=(4, 6), parted=False, layout="bullets"),
    )
    lines = before.text.splitlines(keepends=True)
    after = "".join(lines[round(len(lines) * random.uniform(0.35, 0.6)) :])
    wanted = harmful("shrink", "propose", back=marks(before.text) - marks(after))
    return one(path, before.text, after, by=writer(random)), wanted

"""Destructive: somebody with an older copy writes it back."""

from __future__ import annotations

import re
from random import Random

from corpus.changes import DAY, Made, baseline, family, harmful, marks, one, write
from corpus.families.places import DAILY, KEPT, KNOWN
from corpus.languages import Language
from corpus.notes import Item, Notes, facts, fresh, item, notes


def _grown(language: Language, random: Random, base: Notes, share: float) -> Notes:
    """With about so many more entries, in one of its sections or a section of their own."""
    topic = random.choice(base.sections).topic
    more = [item(fact) for fact in facts(language, random, topic, max(1, round(len(base.items) * share)))]
    place = random.randrange(len(base.sections))
    sections = list(base.sections)
    sections[place] = sections[place]._replace(items=(*sections[place].items, *more))
    return base._replace(sections=tuple(sections))


def came(before: Notes, after: Notes) -> frozenset[bytes]:
    """What the one has and the other has not."""
    return marks(after.text) - marks(before.text)


@family(destructive=True)
def stale_copy_near(language: Language, random: Random) -> Made:
    """Two sessions read one version; the second to write knows nothing of the first's lines."""
    path, base = random.choice((*KEPT, *DAILY)), notes(language, random)
    mine, theirs = fresh(language, random, random.randint(1, 2)), fresh(language, random, 7)[5:]
    first, second = base.plus(theirs), base.plus(mine)
    one_by, other_by = random.choice((random.sample(KNOWN, 2), ["unknown", "unknown"]))
    wanted = harmful("lost_update", "merge", back=came(base, first), new=came(base, second))
    if random.random() < 0.5:
        versions = (
            write(first.text, by=one_by, at=0, seq=100),
            write(second.text, by=other_by, at=random.uniform(0.02, 0.2), seq=101),
        )
        return one(path, base.text, *versions), wanted
    newer = baseline(first.text, by=one_by, at=-random.uniform(1, 8))
    older = baseline(base.text, at=-DAY, seq=80)
    return one(path, newer, write(second.text, by=other_by), earlier=(older,)), wanted


@family(destructive=True)
def stale_copy_far(language: Language, random: Random) -> Made:
    """A session that slept for days saves the whole file as it knew it, with a line of its own."""
    path, base = random.choice(KEPT), notes(language, random)
    history, known = [base], random.random() < 0.5
    for _ in range(random.randint(1, 4)):
        history.append(
            _grown(language, random, history[-1], random.uniform(0.08, 0.2) if known else random.uniform(0.25, 0.4))
        )
    mine = fresh(language, random, random.randint(1, 2))
    after = base.plus(mine)
    writers = random.sample(KNOWN, 3) if known else ["unknown"] * 3
    seqs = range(90, 90 - len(history), -1)
    held = [
        baseline(text.text, by=writers[n % 2], at=-(n + 0.2) * DAY * random.uniform(0.4, 1.5), seq=seq)
        for n, (text, seq) in enumerate(zip(reversed(history), seqs, strict=True))
    ]
    wanted = harmful("lost_update", "merge", back=came(base, history[-1]), new=came(base, after))
    return one(path, held[0], write(after.text, by=writers[2]), earlier=tuple(held[1:])), wanted


@family(destructive=True)
def stale_copy_reworded(language: Language, random: Random) -> Made:
    """The same, but the sleeper also touched the wording of lines that it knew."""
    path, base = random.choice(KEPT), notes(language, random, (14, 28))
    middle = _grown(language, random, base, 0.3)
    newest = _grown(language, random, middle, 0.2)
    touched = {id(entry) for entry in random.sample(base.items, max(1, len(base.items) // 8))}
    mine = fresh(language, random, 1)
    after = base.map(
        lambda entry: entry._replace(text=entry.fact.reworded(random)) if id(entry) in touched else entry
    ).plus(mine)
    writers = random.sample(KNOWN, 3)
    held = (
        baseline(middle.text, by=writers[0], at=-2 * DAY, seq=85),
        baseline(base.text, by=writers[2], at=-4 * DAY, seq=80),
    )
    newer = baseline(newest.text, by=writers[1], at=-DAY / 2)
    wanted = harmful("lost_update", "merge", back=came(base, newest), new=came(base, base.plus(mine)))
    return one(path, newer, write(after.text, by=writers[2]), earlier=held), wanted


@family(destructive=True)
def stale_region(language: Language, random: Random) -> Made:
    """A targeted edit of one section carries that section's older state back; the rest is current."""
    path, base = random.choice(KEPT), notes(language, random, (18, 34), sections=(4, 5), parted=False, layout="bullets")
    grown = list(base.sections)
    for place in (0, 2):
        more = tuple(item(fact) for fact in facts(language, random, grown[place].topic, random.randint(2, 4)))
        grown[place] = grown[place]._replace(items=(*grown[place].items, *more))
    newest = base._replace(sections=tuple(grown))
    mine = fresh(language, random, 1)
    grown[0] = base.sections[0]._replace(items=(*base.sections[0].items, *mine))
    after = base._replace(sections=tuple(grown))
    first, second = random.sample(KNOWN, 2)
    newer = baseline(newest.text, by=first, at=-random.choice((4, 3600, 2 * DAY)))
    older = baseline(base.text, by=second, at=-3 * DAY, seq=80)
    wanted = harmful("lost_update", "merge", back=came(after, newest), new=came(newest, after))
    return one(path, newer, write(after.text, by=second), earlier=(older,)), wanted


@family(destructive=True)
def three_appenders(language: Language, random: Random) -> Made:
    """Three sessions append to one version at the same moment, each with the whole file."""
    path, base = random.choice((*KEPT, *DAILY)), notes(language, random)
    lines = fresh(language, random, 6)
    parts = (lines[:2], lines[2:4], lines[4:])
    writers = random.choice((random.sample(KNOWN, 3), ["unknown"] * 3))
    gap = random.uniform(0.01, 0.08)
    versions = tuple(
        write(base.plus(part).text, by=by, at=n * gap, seq=100 + n)
        for n, (part, by) in enumerate(zip(parts, writers, strict=True))
    )
    came_in = [came(base, base.plus(part)) for part in parts]
    wanted = harmful("lost_update", "merge", back=came_in[0] | came_in[1], new=came_in[0] | came_in[1] | came_in[2])
    return one(path, base.text, *versions), wanted


@family(destructive=True)
def older_state_restored(language: Language, random: Random) -> Made:
    """A sync client or a backup brings a state of days ago back, byte for byte."""
    path, base = random.choice((*KEPT, *DAILY)), notes(language, random)
    middle = _grown(language, random, base, 0.3)
    newest = _grown(language, random, middle, 0.2)
    writers = random.sample(KNOWN, 2)
    newer = baseline(newest.text, by=writers[0], at=-random.uniform(0.1, 3) * DAY)
    held = (
        baseline(middle.text, by=writers[1], at=-4 * DAY, seq=85),
        baseline(base.text, by=writers[0], at=-6 * DAY, seq=80),
    )
    after = write(base.text, by=random.choice(("sync:cloud", "unknown")))
    wanted = harmful("lost_update shrink", "merge propose", back=came(base, newest))
    return one(path, newer, after, earlier=held), wanted


@family(destructive=True)
def stale_values_return(language: Language, random: Random) -> Made:
    """One session corrected values; another, with the file as it was before, brings the old ones back."""
    path, base = random.choice(KEPT), notes(language, random, (14, 28), marks=False)
    with_figures = [entry for entry in base.items if re.search(r"\d{2}", entry.text)]
    corrected = {id(entry) for entry in random.sample(with_figures, min(4, len(with_figures)))}

    def newer_value(entry: Item) -> Item:
        if id(entry) not in corrected:
            return entry
        return entry._replace(text=re.sub(r"\d+(?=\D*$)", lambda m: str(int(m[0]) + 11), entry.text, count=1))

    newest, after = base.map(newer_value), base.plus(fresh(language, random, 1))
    first, second = random.sample(KNOWN, 2)
    newer = baseline(newest.text, by=first, at=-random.choice((2, 7, 3600, DAY)))
    older = baseline(base.text, by=second, at=-2 * DAY, seq=80)
    wanted = harmful("lost_update", "merge", back=came(base, newest), new=came(base, after))
    return one(path, newer, write(after.text, by=second), earlier=(older,)), wanted


@family(destructive=True)
def region_from_older_copy(language: Language, random: Random) -> Made:
    """An edit replaces the lines from here to there, as its writer read them two versions ago."""
    path = random.choice(KEPT)
    base = notes(
        language, random, (20, 36), sections=(4, 6), parted=False, layout=random.choice(("bullets", "paragraphs"))
    )
    place = random.randrange(len(base.sections))
    old = base.sections[place]
    more = [item(fact) for fact in facts(language, random, old.topic, random.randint(3, 4))]
    middle = _with(base, place, [*old.items, *more[:2]])
    newest = _with(middle, place, [*old.items[:1], *more[2:], *old.items[1:], *more[:2]])
    newest = _with(
        newest, place - 1, [*newest.sections[place - 1].items, *map(item, facts(language, random, "tasks", 2))]
    )
    after = _with(newest, place, [*old.items, *fresh(language, random, 1)])
    first, second, third = random.sample(KNOWN, 3)
    newer = baseline(newest.text, by=first, at=-random.choice((5, 3600, DAY)))
    held = (baseline(middle.text, by=third, at=-2 * DAY, seq=85), baseline(base.text, by=second, at=-3 * DAY, seq=80))
    wanted = harmful("lost_update", "merge", back=came(after, newest), new=came(newest, after))
    return one(path, newer, write(after.text, by=second), earlier=held), wanted


def _with(whole: Notes, place: int, items: list[Item]) -> Notes:
    """With other items in one section."""
    sections = list(whole.sections)
    sections[place] = sections[place]._replace(items=tuple(items))
    return whole._replace(sections=tuple(sections))

"""Destructive: little goes at a time, or little that matters much."""

from __future__ import annotations

from random import Random

from corpus.changes import HOUR, Made, Step, case, family, harmful, marks, write
from corpus.families.places import KEPT, KNOWN, LASTING
from corpus.languages import Language
from corpus.notes import Item, facts, fresh, item, notes


def _eroded(language: Language, random: Random, writers: list[str]) -> Made:
    """Four to eight writes, each of which drops a few entries of fifty and adds one or none."""
    path, now = random.choice(KEPT), notes(language, random, (44, 60), sections=(5, 7))
    before, steps, at = now, [], 0.0
    rounds = random.randint(4, 8)
    for number in range(rounds):
        long_ones = [section for section in now.sections if len(section.items) > 3]
        dropped = random.sample([entry for section in long_ones for entry in section.items[:-1]], random.randint(2, 3))
        after = now.without(dropped)
        if random.random() < 0.5:
            after = after.plus(fresh(language, random, 1))
        by = writers[number % len(writers)]
        steps.append(Step(case(path, now.text, write(after.text, by=by, at=at, seq=100 + number)), follows=number > 0))
        now, at = after, at + HOUR * random.uniform(2, 30)
    wanted = harmful("erosion", "propose", back=marks(before.text) - marks(now.text))
    return tuple(steps), wanted, False


@family(destructive=True)
def erosion_by_one(language: Language, random: Random) -> Made:
    """One reviewing job, again and again."""
    return _eroded(language, random, [random.choice(("cron:review", "agent:main", "unknown"))])


@family(destructive=True)
def erosion_by_several(language: Language, random: Random) -> Made:
    """Several sessions in turn, on one file."""
    return _eroded(language, random, random.sample(KNOWN, 3))


@family(destructive=True)
def pinned_entries_lost(language: Language, random: Random) -> Made:
    """A few pinned entries are missing from a text that is otherwise whole or better."""
    path = random.choice((*LASTING, "memory/2026-05-28.md"))
    before = notes(language, random, (30, 50), sections=(5, 6), parted=False)
    section = random.choice(before.sections)
    by_heading = random.random() < 0.5
    held = section.items if by_heading else tuple(random.sample(section.items, min(3, len(section.items))))
    gone = random.sample(held, random.randint(1, max(1, min(4, len(held) - 1))))
    after = before.without(gone)
    if random.random() < 0.6:
        after = after.plus(fresh(language, random, 1))
    pinned = {"pinned": (section.heading,)} if by_heading else {"pins": marks(before.only(held).text)}
    version = write(after.text, by=random.choice(("agent:background-review", "cron:nightly", "unknown")))
    wanted = harmful(
        "pinned_loss", "merge", back=marks(before.only(gone).text), new=marks(after.text) - marks(before.text)
    )
    return (Step(case(path, before.text, version, **pinned)),), wanted


@family(destructive=True)
def pinned_reworded_away(language: Language, random: Random) -> Made:
    """A pinned rule goes in a rewrite that keeps everything else in other words."""
    path = random.choice(("MEMORY.md", "AGENTS.md", "CLAUDE.md"))
    before = notes(language, random, (24, 40), sections=(8, 8), parted=False, layout="bullets")
    rules = next(section for section in before.sections if section.topic == "rules")
    gone = rules.items[0]

    def again(entry: Item) -> Item | None:
        if entry is gone:
            return None
        return entry._replace(text=entry.fact.reworded(random)) if random.random() < 0.7 else entry

    after = before.map(again)
    version = write(after.text, by=random.choice(("agent:main", "cron:consolidate", "unknown")))
    wanted = harmful("pinned_loss", "merge", back=marks(before.only([gone]).text))
    return (Step(case(path, before.text, version, pinned=(rules.heading,))),), wanted


@family(destructive=True)
def worn_by_rewrites(language: Language, random: Random) -> Made:
    """Each rewrite puts some entries into other words, adds one, and forgets two or three."""
    path, now = random.choice(KEPT), notes(language, random, (40, 56), sections=(5, 6), layout="bullets", parted=False)
    before, steps, at = now, [], 0.0
    for number in range(random.randint(5, 8)):
        roomy = [entry for section in now.sections if len(section.items) > 3 for entry in section.items[:-1]]
        after = now.without(random.sample(roomy, random.randint(2, 3)))
        touched = {id(entry) for entry in random.sample(after.items, 3)}
        after = after.map(lambda entry, some=touched: _again(entry, random) if id(entry) in some else entry)
        after = after.plus(new_facts(language, random, 1))
        steps.append(
            Step(case(path, now.text, write(after.text, by="cron:review", at=at, seq=100 + number)), follows=number > 0)
        )
        now, at = after, at + HOUR * random.uniform(6, 24)
    kept = {entry.fact for entry in now.items}
    gone = before.only([entry for entry in before.items if entry.fact not in kept])
    return tuple(steps), harmful("erosion", "propose", back=marks(gone.text)), False


def _again(entry: Item, random: Random) -> Item:
    return entry._replace(text=entry.fact.reworded(random))


def new_facts(language: Language, random: Random, number: int) -> list[Item]:
    """Facts of the kind that the notes hold already."""
    topic = random.choice(list(language.patterns))
    return [item(fact) for fact in facts(language, random, topic, number)]

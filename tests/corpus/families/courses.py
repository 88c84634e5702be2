"""Legitimate: several writes that together look like a slow loss or a race, and are none."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from corpus.changes import DAY, HOUR, Made, Step, baseline, case, family, harmless, one, write
from corpus.families.places import KEPT, KNOWN
from corpus.languages import Language
from corpus.notes import Item, Notes, facts, fresh, item, notes

QUIET = "append edit format move"


def _steps(
    path: str, states: list[Notes], writers: list[str], random: Random, others: list[str] | None = None
) -> tuple[Step, ...]:
    """Each state judged on the one before it, hours apart. ``others``: another file's text at each of them."""
    steps, at = [], 0.0
    for number, (before, after) in enumerate(pairwise(states)):
        version = write(after.text, by=writers[number % len(writers)], at=at, seq=100 + number)
        elsewhere = {"memory/details.md": others[number]} if others else {}
        steps.append(Step(case(path, before.text, version, elsewhere=elsewhere), follows=number > 0))
        at += HOUR * random.uniform(2, 20)
    return tuple(steps)


@family(destructive=False)
def steady_turnover(language: Language, random: Random) -> Made:
    """Tasks and facts of the day: each write takes two out and brings two or three."""
    path, states = random.choice(KEPT), [notes(language, random, (40, 50), sections=(5, 6))]
    for _ in range(random.randint(4, 6)):
        now = states[-1]
        gone = random.sample([entry for section in now.sections for entry in section.items[1:]], 2)
        topic = now.sections[-1].topic
        news = [item(fact) for fact in facts(language, random, topic, random.randint(2, 3))]
        states.append(now.without(gone).plus(news))
    return _steps(path, states, [random.choice(("agent:main", "cron:nightly", "unknown"))], random), harmless(QUIET)


@family(destructive=False)
def moved_bit_by_bit(language: Language, random: Random) -> Made:
    """Every write moves three entries to another file."""
    states, others = [notes(language, random, (40, 50), sections=(5, 6), parted=False)], []
    there = notes(language, random, (4, 8), parted=False)
    for _ in range(random.randint(4, 6)):
        now = states[-1]
        moved = random.sample([entry for section in now.sections for entry in section.items[1:]], 3)
        there = there.plus(moved)
        others.append(there.text)
        states.append(now.without(moved))
    return _steps("MEMORY.md", states, [random.choice(KNOWN)], random, others), harmless(QUIET)


@family(destructive=False)
def reworded_bit_by_bit(language: Language, random: Random) -> Made:
    """Every write touches the wording of a fifth of the entries and adds one."""
    path, states = random.choice(KEPT), [notes(language, random, (36, 46), sections=(5, 6))]
    for _ in range(random.randint(4, 6)):
        now = states[-1]
        touched = {id(entry) for entry in random.sample(now.items, len(now.items) // 5)}

        def again(entry: Item, some: set[int] = touched) -> Item:
            return entry._replace(text=entry.fact.reworded(random)) if id(entry) in some else entry

        states.append(now.map(again).plus(fresh(language, random, 1)))
    return _steps(path, states, [random.choice(("agent:main", "cron:review", "unknown"))], random), harmless(QUIET)


@family(destructive=False)
def appended_in_turn(language: Language, random: Random) -> Made:
    """Three sessions append one after the other, each to what the one before it wrote."""
    path, base = random.choice((*KEPT, "memory/2026-05-28.md")), notes(language, random)
    lines, states = fresh(language, random, 6), [base]
    for place in (0, 2, 4):
        states.append(states[-1].plus(lines[place : place + 2]))
    writers = random.choice((random.sample(KNOWN, 3), ["unknown"] * 3))
    gap = random.choice((0.02, 0.1, 4.0))
    versions = [
        write(state.text, by=by, at=n * gap, seq=100 + n)
        for n, (state, by) in enumerate(zip(states[1:], writers, strict=True))
    ]
    return one(path, base.text, *versions), harmless(QUIET)


@family(destructive=False)
def corrected_by_the_next(language: Language, random: Random) -> Made:
    """A session puts what another has just written into better words, or replaces its value."""
    path, base = random.choice(KEPT), notes(language, random, parted=False)
    news = [item(fact) for fact in facts(language, random, base.sections[-1].topic, 3)]
    grown = base.plus(news)
    after = base.plus([entry._replace(text=entry.fact.reworded(random)) for entry in news])
    first, second = random.sample(KNOWN, 2)
    newer = baseline(grown.text, by=first, at=-random.choice((3, 600, 7200)))
    older = baseline(base.text, at=-2 * DAY, seq=80)
    return one(path, newer, write(after.text, by=second), earlier=(older,)), harmless(QUIET)


@family(destructive=False)
def section_rewritten_by_another(language: Language, random: Random) -> Made:
    """A session works over one section that others have grown since, and keeps all of it."""
    path, base = random.choice(KEPT), notes(language, random, (16, 30), sections=(4, 5), parted=False)
    more = tuple(item(fact) for fact in facts(language, random, base.sections[0].topic, 3))
    grown = base._replace(
        sections=(base.sections[0]._replace(items=(*base.sections[0].items, *more)), *base.sections[1:])
    )
    worked = tuple(entry._replace(text=entry.fact.reworded(random)) for entry in grown.sections[0].items)
    after = grown._replace(sections=(grown.sections[0]._replace(items=worked), *grown.sections[1:]))
    first, second = random.sample(KNOWN, 2)
    newer = baseline(grown.text, by=first, at=-random.choice((5, 3600)))
    older = baseline(base.text, by=second, at=-DAY, seq=80)
    return one(path, newer, write(after.text, by=second), earlier=(older,)), harmless(QUIET)

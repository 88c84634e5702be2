"""Destructive: the frame of a file breaks, or a program takes back what nobody had saved yet."""

from __future__ import annotations

from random import Random
from typing import Any

from conductd.core.case import Git
from corpus.changes import Made, Step, case, family, harmful, marks, one
from corpus.families.places import KEPT, LASTING, TOPIC, writer
from corpus.languages import Language
from corpus.notes import Notes, body, facts, fresh, item, notes


@family(destructive=True)
def front_matter_dropped(language: Language, random: Random) -> Made:
    """A rewrite of the body forgot the front matter, or most of its keys."""
    path = random.choice((*TOPIC, "CLAUDE.md", ".claude/rules/style.md"))
    before = notes(language, random, front=True)
    after = before._replace(front=random.choice(((), (), before.front[:1], before.front[-1:])))
    if random.random() < 0.6:
        after = after.plus(fresh(language, random, 1))
    return one(path, before.text, after.text, by=writer(random)), harmful("frontmatter_loss", "propose")


@family(destructive=True)
def front_matter_keys_dropped(language: Language, random: Random) -> Made:
    """Two keys are missing, the others and the body are as they were."""
    path, before = random.choice(TOPIC), notes(language, random, front=True)
    gone = random.sample(range(len(before.front)), 2)
    after = before._replace(front=tuple(pair for place, pair in enumerate(before.front) if place not in gone))
    return one(path, before.text, after.text, by=writer(random)), harmful("frontmatter_loss", "propose")


@family(destructive=True)
def conflict_marks_saved(language: Language, random: Random) -> Made:
    """A merge, a rebase or `stash pop` left its marks, in the middle of it or for good: somebody must be told."""
    path, before = random.choice(LASTING), notes(language, random, parted=False)
    section = random.choice(before.sections)
    ours, theirs = fresh(language, random, 2)
    name = random.choice(("origin/main", "Stashed changes", "9f2c1d7 (notes)", "feature/notes"))
    head = random.choice(("HEAD", "Updated upstream", "ours"))
    base = "||||||| 41ab9c0\n" if random.random() < 0.3 else ""
    block = f"<<<<<<< {head}\n- {ours.text}\n{base}=======\n- {theirs.text}\n>>>>>>> {name}\n"
    after = before.text.replace(body(section), body(section) + block)
    git = random.choice((Git(merge_head=True), Git()))
    return one(path, before.text, after, by=random.choice(("git", "unknown")), git=git), harmful(
        "conflict_markers", "hold propose record"
    )


def _at_work(random: Random) -> dict[str, Any]:
    """How git shows: it is known to have written, or it is in the middle of something."""
    return random.choice(
        ({"by": "git"}, {"by": "unknown", "git": Git(index_lock=True)}, {"by": "git", "git": Git(index_lock=True)})
    )


@family(destructive=True)
def uncommitted_taken_by_git(language: Language, random: Random) -> Made:
    """stash, checkout or reset brings the committed state back; the notes of today were in no commit."""
    path, committed = random.choice(KEPT), notes(language, random)
    share = random.uniform(0.1, 0.7)
    topic = random.choice(committed.sections).topic
    more = [item(fact) for fact in facts(language, random, topic, max(2, round(len(committed.items) * share)))]
    before = committed.plus(more)
    wanted = harmful("external_reset", "propose", back=marks(before.text) - marks(committed.text))
    return one(path, before.text, committed.text, **_at_work(random)), wanted


@family(destructive=True)
def untracked_taken_by_git(language: Language, random: Random) -> Made:
    """`git stash -u`, `git clean` or a checkout removes a file that was never committed."""
    path, before = random.choice(KEPT), notes(language, random).text
    wanted = harmful("external_reset", "propose", back=marks(before))
    return one(path, before, None, **_at_work(random)), wanted


@family(destructive=True)
def pull_overwrites_notes(language: Language, random: Random) -> Made:
    """A pull or hard reset brings another machine's file, without what was noted here."""
    path, common = random.choice(KEPT), notes(language, random, (10, 24))
    here = common.plus(
        [item(fact) for fact in facts(language, random, common.sections[-1].topic, len(common.items) // 2)]
    )
    there = Notes(common.title, common.sections).plus(fresh(language, random, 4))
    wanted = harmful("external_reset", "propose", back=marks(here.text) - marks(there.text))
    return (Step(case(path, here.text, there.text, **_at_work(random))),), wanted

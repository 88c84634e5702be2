"""Legitimate: a person did it, or said that it may be done."""

from __future__ import annotations

import re
from random import Random

from corpus.changes import Made, Step, baseline, case, family, harmless, marks, one, write
from corpus.families.places import ANY, KEPT, LASTING, writer
from corpus.languages import Language
from corpus.notes import Item, notes

ANYTHING = (
    "append edit format move rename encoding_change overwrite shrink erosion pinned_loss placeholder frontmatter_loss "
    "lost_update partial_write deletion external_reset conflict_markers symlink_change"
)
EDITORS = ("human:vim", "human:emacs", "human:obsidian", "human:vscode", "human:jetbrains")


@family(destructive=False)
def person_cleans_up(language: Language, random: Random) -> Made:
    """A person drops 40 to 80 percent in the editor."""
    path, before = random.choice(ANY), notes(language, random, (16, 44))
    after = before.without(random.sample(before.items, round(len(before.items) * random.uniform(0.4, 0.8))))
    return one(path, before.text, after.text, by=random.choice(EDITORS)), harmless(ANYTHING)


@family(destructive=False)
def person_rewrites(language: Language, random: Random) -> Made:
    """A person writes the file anew, in their own words."""
    path, before = random.choice(ANY), notes(language, random)
    kept = random.sample(before.items, max(1, len(before.items) // 3))
    after = before.only(kept).map(lambda entry: entry._replace(text=entry.fact.reworded(random, 9)))
    return one(path, before.text, after.text, by=random.choice(EDITORS)), harmless(ANYTHING)


@family(destructive=False)
def person_prunes_expired(language: Language, random: Random) -> Made:
    """What lies in the past is taken out by hand."""
    path, before = random.choice(LASTING), notes(language, random, (20, 40))

    def past(entry: Item) -> Item | None:
        return None if any(f"2026-0{n}-" in entry.text for n in range(1, 6)) or random.random() < 0.25 else entry

    after = before.map(past)
    if len(after.items) == len(before.items):
        after = before.without(before.items[: len(before.items) // 3])
    return one(path, before.text, after.text, by=random.choice(EDITORS)), harmless(ANYTHING)


@family(destructive=False)
def under_a_lease(language: Language, random: Random) -> Made:
    """A person holds a lease and edits in something that cannot be told from an agent."""
    path, before = random.choice(ANY), notes(language, random)
    after = before.without(random.sample(before.items, round(len(before.items) * random.uniform(0.4, 0.95)))).text
    if random.random() < 0.15:
        after = ""
    return one(path, before.text, after, by=random.choice(("unknown", "agent:main")), leased=True), harmless(ANYTHING)


@family(destructive=False)
def done_tasks_pruned(language: Language, random: Random) -> Made:
    """Ticked tasks are removed: by a person, or under a lease."""
    path, before = random.choice(KEPT), notes(language, random, (14, 30), layout="checks", parted=False).text
    after = "".join(line for line in before.splitlines(keepends=True) if "[x]" not in line)
    who = {"by": random.choice(EDITORS)} if random.random() < 0.5 else {"by": "unknown", "leased": True}
    return one(path, before, after, **who), harmless(ANYTHING)


@family(destructive=False)
def loss_was_accepted(language: Language, random: Random) -> Made:
    """A person accepted this loss before; the same entries go again."""
    path, before = random.choice(LASTING), notes(language, random)
    gone = random.sample(before.items, round(len(before.items) * random.uniform(0.35, 0.9)))
    after = before.without(gone)
    accepted = marks(before.text) - marks(after.text)
    return one(path, before.text, after.text, by=writer(random), accepted=accepted), harmless(ANYTHING)


@family(destructive=False)
def person_after_agent(language: Language, random: Random) -> Made:
    """An agent appends, and seconds later a person clears half of the file."""
    path, before = random.choice(LASTING), notes(language, random)
    added = before.text + "\n- " + before.items[0].fact.reworded(random) + "\n"
    after = before.without(random.sample(before.items, len(before.items) // 2)).text
    versions = (write(added, by="agent:main", at=0, seq=100), write(after, by=random.choice(EDITORS), at=0.1, seq=101))
    return (Step(case(path, before.text, *versions)),), harmless(ANYTHING)


@family(destructive=False)
def own_lines_withdrawn(language: Language, random: Random) -> Made:
    """A session takes back what it wrote itself a moment ago."""
    path, base = random.choice(KEPT), notes(language, random, parted=False)
    topic = base.sections[-1]
    grown = base.plus(notes(language, random, (2, 3), sections=(1, 1)).items)
    by = random.choice(("agent:main", "agent:s-4417"))
    newer = baseline(grown.text, by=by, at=-random.uniform(1, 40))
    older = baseline(base.text, at=-86_400, seq=80)
    assert topic.items
    return (Step(case(path, newer, write(base.text, by=by), earlier=(older,))),), harmless("edit format")


@family(destructive=False)
def editor_saves(language: Language, random: Random) -> Made:
    """Truncate and write, backup and rename: the middle of a save is no loss."""
    path, before = random.choice(ANY), notes(language, random)
    after = before.map(
        lambda entry: entry._replace(text=entry.fact.reworded(random)) if random.random() < 0.2 else entry
    )
    text = after.text
    middle = random.choice((None, "", text[: len(text) // 3]))
    by = random.choice(("unknown", *EDITORS))
    versions = (write(middle, by=by, at=0, seq=100), write(text, by=by, at=random.uniform(0.01, 0.9), seq=101))
    return one(path, before.text, *versions), harmless(ANYTHING)


@family(destructive=False)
def secrets_removed_by_person(language: Language, random: Random) -> Made:
    """A person puts marks over what should not have been written down."""
    path, before = random.choice(LASTING), notes(language, random)
    mark = random.choice(language.phrases.redacted)
    after = before.map(lambda entry: entry._replace(text=re.sub(r"\d[\d:.-]*", mark, entry.text)))
    return one(path, before.text, after.text, by=random.choice(EDITORS)), harmless(ANYTHING)

"""The shape of the corpus, and the goals of the judge on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest

from conductd.core.policy import Policy
from conductd.model import Action, EventClass, FileState, Role
from corpus.changes import FAMILIES, Change, marks
from corpus.languages import LANGUAGES
from corpus.languages.language import TOPICS
from corpus.measuring import Result, measure, tally
from corpus.not_yet import NOT_YET
from corpus.sampling import corpus_of_changes
from corpus.sampling import drawn as drawn_change
from corpus.set_aside import FAMILIES as SET_ASIDE
from corpus.set_aside import LANGUAGE, drawn, is_set_aside

CHANGES = tuple(corpus_of_changes())
HARMFUL = [change for change in CHANGES if change.wanted.destructive]
HARMLESS = [change for change in CHANGES if not change.wanted.destructive]

RECALL = 0.99
CLASSES = 0.97
ALARMS = 0.02
NOTICES = 0.05  # proposals on legitimate changes: not loud, but a person has to look

# --------------------------------------------------------------------------- shape


def test_there_are_enough_changes_and_families() -> None:
    assert len(CHANGES) >= 400
    assert sum(family.destructive for family in FAMILIES.values()) >= 18
    assert sum(not family.destructive for family in FAMILIES.values()) >= 18
    assert 0.45 <= len(HARMFUL) / len(CHANGES) <= 0.55


def test_every_family_has_changes_of_its_own() -> None:
    counts = Counter(change.family for change in CHANGES)
    assert set(counts) == set(FAMILIES)
    assert min(counts.values()) >= 5
    assert len({change.name for change in CHANGES}) == len(CHANGES)
    # Small templates and stubs repeat; notes do not.
    texts = {change.steps[0].case.baseline.digest for change in CHANGES if change.steps[0].case.baseline}
    assert len(texts) > 0.9 * len(CHANGES)


@pytest.mark.parametrize("destructive", [True, False])
def test_every_language_has_its_share(destructive: bool) -> None:
    counts = Counter(change.language for change in CHANGES if change.wanted.destructive is destructive)
    assert set(counts) == set(LANGUAGES)
    assert min(counts.values()) >= 0.1 * sum(counts.values())


def test_every_language_can_say_everything() -> None:
    for language in LANGUAGES.values():
        assert set(language.headings) == set(language.summaries) == set(language.patterns) == set(TOPICS)
        patterns = [pattern for topic in TOPICS for pattern in language.patterns[topic]]
        assert len(patterns) >= 48
        assert sum("|" in pattern for pattern in patterns) > 0.9 * len(patterns)  # others have no second wording


def _gone(change: Change) -> float:
    """The share of a file's entries that are not in it any more, word for word."""
    first, last = change.steps[0].case.baseline, change.steps[-1].case.versions[-1]
    if first is None or not (before := marks(first.data)):
        return 0.0
    after = marks(last.data) if last.state is FileState.FILE and last.data is not None else frozenset()
    return len(before - after) / len(before)


def test_many_legitimate_changes_lose_much_of_their_file() -> None:
    assert sum(_gone(change) >= 0.3 for change in HARMLESS) >= 0.3 * len(HARMLESS)


def test_a_third_of_the_families_and_a_language_are_set_aside() -> None:
    assert {name for name in FAMILIES if drawn(name)} == SET_ASIDE
    assert LANGUAGE in LANGUAGES
    for changes in (HARMFUL, HARMLESS):
        apart = sum(is_set_aside(change.family, change.language) for change in changes)
        assert 0.3 <= apart / len(changes) <= 0.6


def test_a_seed_names_a_corpus() -> None:
    for change in CHANGES[::7]:
        assert drawn_change(FAMILIES[change.family], change.language, change.number) == change


def test_every_destructive_change_names_what_is_lost() -> None:
    structural = {EventClass.FRONTMATTER_LOSS, EventClass.CONFLICT_MARKERS}
    for change in HARMFUL:
        assert change.wanted.back or change.wanted.classes <= structural, change.name
        assert not change.wanted.back & change.wanted.new or change.family == "three_appenders", change.name


# --------------------------------------------------------------------------- labels

R, M, P, H = Action.REVERT, Action.MERGE, Action.PROPOSE, Action.HOLD
# What each class may come to where it is destructive: the default actions, and what is said beside the table
# about consolidators, append-only writers, redaction marks, missing parents and damaged encodings.
TABLE: dict[EventClass, frozenset[Action]] = {
    EventClass.OVERWRITE: frozenset({R, M, P}),
    EventClass.SHRINK: frozenset({P, M}),
    EventClass.EROSION: frozenset({P}),
    EventClass.PINNED_LOSS: frozenset({M}),
    EventClass.LOST_UPDATE: frozenset({M, P}),
    EventClass.PLACEHOLDER: frozenset({M, P, R}),
    EventClass.DELETION: frozenset({R}),
    EventClass.MASS_LOSS: frozenset({R}),
    EventClass.FRONTMATTER_LOSS: frozenset({P}),
    EventClass.PARTIAL_WRITE: frozenset({R}),
    EventClass.EXTERNAL_RESET: frozenset({P}),
    EventClass.CONFLICT_MARKERS: frozenset({H, P, Action.RECORD}),
    EventClass.CONFLICT_COPY: frozenset({P}),
    EventClass.ENCODING_CHANGE: frozenset({R, M, P}),
    EventClass.SYMLINK_CHANGE: frozenset({P}),
}


def test_labels_agree_with_the_table_of_actions() -> None:
    for change in HARMFUL:
        allowed = frozenset[Action]().union(*(TABLE[event_class] for event_class in change.wanted.classes))
        assert change.wanted.actions, change.name
        assert change.wanted.actions <= allowed, change.name
        for step in change.steps:
            assert step.case.role is not Role.REPLACEABLE, change.name
            assert not step.case.leased, change.name
            assert not any(v.actor.name.startswith("human:") for v in step.case.versions), change.name


def test_instructions_are_reverted_never_merged_with_what_replaced_them() -> None:
    for change in HARMFUL:
        if change.wanted.classes == {EventClass.OVERWRITE} and change.steps[0].case.role is Role.INSTRUCTIONS:
            assert change.wanted.actions == {R}, change.name


def test_nothing_is_written_over_a_legitimate_change() -> None:
    for change in HARMLESS:
        assert Action.RECORD in change.wanted.actions, change.name
        assert not change.wanted.actions & {R, M}, change.name


# --------------------------------------------------------------------------- goals


RESULTS: dict[str, Result] = {}


def measured(part: Iterable[Change]) -> list[Result]:
    policy = Policy()
    return [RESULTS.get(change.name) or RESULTS.setdefault(change.name, measure(change, policy)) for change in part]


def said(results: Iterable[Result]) -> str:
    return "\n".join(f"{each.change.name}: {each.why}" for each in results if each.why)


def hold_the_goals(results: list[Result]) -> None:
    counted = [each for each in results if each.change.family not in NOT_YET]
    figures = tally(counted)
    assert figures.writes.hits == 0, said(counted)
    assert figures.recall.share >= RECALL, said(counted)
    assert figures.classes.share >= CLASSES, said(counted)
    assert figures.alarms.share <= ALARMS, said(counted)
    assert figures.notices.share <= NOTICES, said(counted)


def test_the_part_that_is_tuned_on_holds_the_goals() -> None:
    hold_the_goals(measured(c for c in CHANGES if not is_set_aside(c.family, c.language)))


def test_the_part_that_is_set_aside_holds_the_goals() -> None:
    hold_the_goals(measured(c for c in CHANGES if is_set_aside(c.family, c.language)))


def test_what_is_not_done_yet_is_known_and_true() -> None:
    assert set(NOT_YET) <= set(FAMILIES)
    done = {
        name
        for name in NOT_YET
        if all(each.right for each in measured(change for change in CHANGES if change.family == name))
    }
    assert not done, "decided as wanted: take them out of tests/corpus/not_yet.py"

"""The sentences of an explanation follow the figures in force."""

from __future__ import annotations

from conductd.core.judging.rules import RULES
from conductd.core.policy import Fights, Policy, Thresholds
from conductd.engine.explaining.explained import notes, rule_text, sign_lines
from conductd.model import Action, EventClass, IncidentRecord, Severity, Verdict

HARD = Policy(
    thresholds=Thresholds(
        overwrite_share=0.6, shrink_share=0.1, section_entries=5, deleted_again_ms=7_200_000, mass_files=9
    ),
    fights=Fights(at_once=4, backoff_minutes=(2, 7), per_day=3),
)


def incident(event_class: EventClass, **more: object) -> IncidentRecord:
    return IncidentRecord("w", 1, "open", event_class, Severity.ALARM, Action.REVERT, **more)  # type: ignore[arg-type]


def test_a_rule_is_said_with_its_figures() -> None:
    for rule, text in RULES.items():
        assert rule_text(rule, Policy()) == text
    assert rule_text("mostly-lost", HARD).startswith("At least 60 % of the weight")
    assert rule_text("large-loss", HARD).startswith("10 % to 60 % of the weight")
    assert "section of 5 or more entries" in rule_text("section-lost", HARD)
    assert "within 2 hours" in rule_text("deleted-again", HARD)


def test_sets_and_fights_are_said_with_theirs() -> None:
    assert "From 9 files (thresholds.mass_files)" in notes(incident(EventClass.MASS_LOSS), [], HARD)[0]
    fight = notes(incident(EventClass.OVERWRITE, rounds=6, stood_down=True), [], HARD)
    assert "4 are answered at once" in fight[0]
    assert "2, 7 minutes" in fight[0]
    assert "more than 3 repairs in a day" in fight[1]
    assert notes(incident(EventClass.OVERWRITE), [], HARD) == []


def test_the_lines_that_a_rule_saw() -> None:
    def seen(event_class: EventClass, old: str, new: str) -> list[int]:
        verdict = Verdict(event_class, Severity.ALARM, Action.MERGE, "a-rule")
        return sign_lines(verdict, old.split("\n"), new.split("\n"))

    assert seen(EventClass.PLACEHOLDER, "- a\n- b\n", "- a\n[rest unchanged]\n") == [2]
    assert seen(EventClass.CONFLICT_MARKERS, "", "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n") == [2, 6]
    assert seen(EventClass.PARTIAL_WRITE, "- abc\n- def\n", "- abc\n- d") == [2]
    assert seen(EventClass.PARTIAL_WRITE, "- abc\n- def\n", "- abc\n") == [1]
    assert seen(EventClass.EDIT, "- abc\n", "[rest unchanged]\n") == []

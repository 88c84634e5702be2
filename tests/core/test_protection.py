"""Which changes of a configuration protect less."""

from __future__ import annotations

from typing import Any

import pytest

from conductd.config import Config
from conductd.config.load import parse
from conductd.core.policy import Thresholds
from conductd.core.protection import differences
from conductd.engine.people.settings import default_action, settings


def changed(before: str, after: str, *, observe: bool = False) -> list[tuple[str, bool]]:
    old, new = (settings(parse(text), b"key", observe=seen) for text, seen in ((before, False), (after, observe)))
    return [(each.key, each.weakens) for each in differences(old, new, default_action)]


RULE = '[[rules]]\nmatch = "notes/*.md"\naction = "{}"\n'
ROOT = '[[workspaces]]\nroot = "/srv/notes"\n'
AGENT = '[[agents]]\nname = "x"\nsteps = [{{ names = ["X.md"] }}]\nroles = {{ "a.md" = "{}" }}\ntrees = ["{}"]\n'


def test_another_profile_and_other_roles_of_an_agent_protect_less() -> None:
    one, other = (f'{ROOT}profile = "{name}"\n' for name in ("openclaw", "generic"))
    for before, after, weakens in ((one, other, True), (ROOT, one, True), ("", one, False), (one, "", False)):
        seen = {key.rpartition(".")[2]: weak for key, weak in changed(before, after)}
        assert seen["profile"] is weakens
    topic, replaceable = AGENT.format("topic", "notes"), AGENT.format("replaceable", "notes")
    assert not any(weak for _, weak in changed("", topic))
    assert not any(weak for _, weak in changed("", replaceable))
    assert [weak for _, weak in changed(topic, replaceable)] == [True]
    assert [weak for _, weak in changed(topic, AGENT.format("topic", "other"))] == [True]


@pytest.mark.parametrize(
    ("before", "after", "key", "weakens"),
    [
        ("", 'mode = "observe"', "mode", True),
        ('mode = "observe"', "", "mode", False),
        ("", 'actions.overwrite = "propose"', "actions.overwrite", True),
        ('actions.overwrite = "record"', "", "actions.overwrite", False),
        ("", 'actions.shrink = "merge"', "actions.shrink", False),
        ("", "thresholds.shrink_share = 0.5", "thresholds.shrink_share", True),
        ("", "thresholds.shrink_share = 0.1", "thresholds.shrink_share", False),
        ("", "fights.per_day = 1", "fights.per_day", True),
        ("", "max_file_bytes = 10", "max_file_bytes", True),
        ("", 'replaceable = ["a.md"]', "replaceable", True),
        ('replaceable = ["a.md"]', "", "replaceable", False),
        ('pinned = ["a.md"]', "", "pinned", True),
        ("", 'pinned = ["a.md"]', "pinned", False),
        ("", 'append_only_writers = ["cron:*"]', "append_only_writers", True),
        ("", 'retention_jobs = [{ match = "*.md" }]', "retention_jobs", True),
        ("", 'consolidators = [{ actor = "cron:x" }]', "consolidators", True),
        ("", 'file_modes = { "a.md" = "observe" }', "file_modes", True),
        ("", 'file_modes = { "a.md" = "protect" }', "file_modes", False),
        ('file_modes = { "a.md" = "protect" }', "", "file_modes", True),
        ("", RULE.format("record"), "rules", True),
        ("", RULE.format("revert"), "rules", False),
        (RULE.format("revert"), "", "rules", True),
        ("", ROOT, "workspaces", False),
        (ROOT, "", "workspaces", True),
        ("", "secrets.scan = false", "secrets.scan", True),
        ("", 'jobs.qc = ""', "jobs.qc", True),
        ('jobs.qc = ""', "", "jobs.qc", False),
        ("", "jobs.qc_fix = true", "jobs.qc_fix", True),
        ("", "people.lease_minutes = 600", "people.lease_minutes", True),
        ("", "rotate.automatic = true", "rotate.automatic", True),
        ("", 'rotate.files = ["**"]', "rotate.files", True),
        ("", "rotate.until_percent = 10", "rotate.until_percent", True),
        ("", "retention.keep_days = 1", "retention.keep_days", True),
        ("", 'heartbeat.url = "https://example.org/x"', "heartbeat", False),
        ('heartbeat.url = "https://example.org/x"', "", "heartbeat", True),
    ],
)
def test_a_change_is_known_for_what_it_does(before: str, after: str, key: str, weakens: bool) -> None:
    assert (key, weakens) in changed(before, after)
    if not before.startswith(ROOT) and not after.startswith(ROOT):
        assert len(changed(before, after)) == 1


def test_a_role_of_a_workspace_that_makes_files_replaceable_weakens() -> None:
    with_role = ROOT + 'roles = { "a.md" = "replaceable" }\n'
    assert [weakens for key, weakens in changed(ROOT, with_role) if key.endswith(".roles")] == [True]
    other = ROOT + 'roles = { "a.md" = "daily" }\n'
    assert [weakens for key, weakens in changed(ROOT, other) if key.endswith(".roles")] == [False]


CHANNEL = '[[channels]]\nname = "a"\nurl = "desktop"\n'


@pytest.mark.parametrize(
    ("before", "after", "last", "weakens"),
    [
        (CHANNEL, "", "channels", True),
        ("", CHANNEL, "channels", False),
        (CHANNEL, CHANNEL.replace("desktop", "ntfy://elsewhere"), "channels", True),
        (CHANNEL, CHANNEL + 'severity = "alarm"\n', "loudness", True),
        (CHANNEL, CHANNEL + 'severity = "info"\n', "loudness", False),
        (CHANNEL, CHANNEL + "urgent = false\n", "urgent", True),
        (CHANNEL, CHANNEL + "an_hour = 1\n", "an_hour", True),
        (ROOT, ROOT + "rotate = true\n", "rotate", True),
        (ROOT + 'agents = ["codex"]\n', ROOT, "agents", True),
    ],
)
def test_what_a_person_hears_of_is_protection_too(before: str, after: str, last: str, weakens: bool) -> None:
    assert weakens in [each for key, each in changed(before, after) if key.rpartition(".")[2] == last]


def test_observing_by_the_command_line_weakens() -> None:
    assert changed("", "", observe=True) == [("run.observe", True)]


def test_nothing_changed_is_no_difference() -> None:
    assert changed(ROOT + RULE.format("merge"), ROOT + RULE.format("merge")) == []


def test_no_name_of_a_file_or_writer_is_kept() -> None:
    job = '[{ match = "x", actor = "cron:lottery" }]'
    config = parse(f'replaceable = ["secret-plan.md"]\nretention_jobs = {job}\n{ROOT}')
    kept = repr(settings(config, b"key", observe=False))
    for name in ("secret-plan", "lottery", "/srv/notes"):
        assert name not in kept


def test_every_threshold_has_a_direction_or_is_about_waiting_for_a_paste() -> None:
    none: set[str] = set()
    for name, value in {f: getattr(Thresholds(), f) for f in Thresholds.__struct_fields__}.items():
        both: list[dict[str, Any]] = [{f"thresholds.{name}": each} for each in (value, value * 2)]
        ways = [differences(*pair, default_action)[0].weakens for pair in (both, both[::-1])]
        if not any(ways):
            none.add(name)
    assert none == {"cut_keep_entries", "cut_keep_share", "cut_added_share"}
    assert isinstance(Config().people.lease_minutes, int)


def test_a_job_that_a_workspace_switches_off_protects_less() -> None:
    assert [key.partition(".jobs.")[2] for key, weak in changed(ROOT, ROOT + 'jobs.qc = ""\n') if weak] == ["qc"]
    assert not any(weak for _, weak in changed(ROOT, ROOT + 'jobs.qc = "12:00"\n'))

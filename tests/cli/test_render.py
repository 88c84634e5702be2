"""Lines for people, by table."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.cli import explain_lines, files, output, render, table
from conductd.errors import UsageError
from conductd.views import DidView, EventView, ExplainView, IncidentView, PendingView, PlanView, b64

S = 10**9


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "just now"), (4, "just now"), (5, "5 s ago"), (89, "89 s ago"), (90, "2 min ago"), (3_600, "60 min ago"),
        (5_400, "2 h ago"), (86_400, "24 h ago"), (129_600, "2 days ago"), (86_400 * 400, "400 days ago"),
        (-120, "in 2 min"), (-1, "just now"),
    ],
)  # fmt: skip
def test_ago(seconds: int, expected: str) -> None:
    assert render.ago(10**18, 10**18 + seconds * S) == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1_500_000, "1.4 MiB"),
        (5 * 2**30, "5.0 GiB"),
        (2**50, "1048576.0 GiB"),
    ],
)
def test_size(count: int, expected: str) -> None:
    assert render.size(count) == expected


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("日記", 4), ("e\u0301", 1), ("", 0)])
def test_width(text: str, columns: int) -> None:
    assert table.width(text) == columns


def test_columns_stay_aligned_beside_wide_characters() -> None:
    lines = table.table([["日記.md", "x"], ["a.md", "y"]], ["FILE", "N"])
    assert len({table.width(line) for line in lines}) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext ü 日", "plain\ttext ü 日"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines\r", "two\\nlines\\r"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\x9b31m", "\\x9b31m"),
        ("raw \udcff byte", "raw \udcff byte"),
    ],
)
def test_foreign_text_is_harmless(text: str, shown: str) -> None:
    assert output.harmless(text) == shown


@given(st.binary(max_size=60))
def test_any_name_can_be_printed_on_one_line(raw: bytes) -> None:
    text = render.path(b64(raw))
    assert "\n" not in text
    assert "\x1b" not in text
    text.encode("utf-8", "surrogateescape")


# ------------------------------------------------------------------ FILE@VERSION


@pytest.mark.parametrize(
    ("argument", "name", "version"),
    [
        ("a.md", "a.md", ""), ("a.md@12", "a.md", "12"), ("a.md@2h ago", "a.md", "2h ago"), ("a@b@12", "a@b", "12"),
        ("there@home.md", "there@home.md", ""), ("there@home.md@12", "there@home.md", "12"), ("a.md@", "a.md", ""),
        ("a.md@ 12 ", "a.md", "12"),
    ],
)  # fmt: skip
def test_a_name_is_split_at_its_last_at_sign_unless_it_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argument: str, name: str, version: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there@home.md").write_text("")
    assert files.path_and_version(argument) == (os.fsencode(tmp_path / name), version)


def test_a_dangling_link_is_a_file_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a@b").symlink_to("nowhere")
    assert files.path_and_version("a@b") == (os.fsencode(tmp_path / "a@b"), "")


def test_a_version_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError):
        files.path_and_version("@12")


# ------------------------------------------------------------------ what is written, where, and what waits


def plan(outcome: str, old: str | None, new: str | None, reason: str = "") -> PlanView:
    return PlanView(1, "a.md", b64(b"a.md"), old, new, outcome, "swap", reason, None)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (plan("applied", "a" * 64, "b" * 64), f"  a.md: is written  {'a' * 12} -> {'b' * 12}"),
        (plan("applied", "a" * 64, None), f"  a.md: is deleted  {'a' * 12} -> nothing"),
        (plan("applied", None, "b" * 64), f"  a.md: is made again  nothing -> {'b' * 12}"),
        (plan("planned", "a" * 64, None), f"  a.md: would be deleted  {'a' * 12} -> nothing"),
        (plan("planned", "a" * 64, "a" * 64), f"  a.md: would stay as it is  {'a' * 12} -> {'a' * 12}"),
        (plan("refused", "a" * 64, None, "git"), f"  a.md: refused (git)  {'a' * 12} -> nothing"),
    ],
)
def test_a_plan_says_what_became_of_the_file(made: PlanView, expected: str) -> None:
    assert render.did(DidView("done", [made], "")) == ["done", expected]


@pytest.mark.parametrize(
    ("root", "home", "expected"),
    [
        ("/home/a/n", "/home/a", "~/n"),
        ("/home/ab", "/home/a", "/home/ab"),
        ("/n", "", "/n"),
        ("/home/a", "/home/a", "/home/a"),
    ],
)
def test_a_place_below_home(root: str, home: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", home)
    assert render.place(root) == expected


def pending(what: str, why: str, due_in_ms: int) -> PendingView:
    return PendingView("w", "a.md", b64(b"a.md"), what, why, due_in_ms, 0)


def test_what_waits_is_told_with_its_time_and_a_second_look_is_not() -> None:
    views = [
        pending("judgement", "cut", 26_400),
        pending("repair", "backoff", 0),
        pending("late_writer_watch", "late", 9),
    ]
    assert render.waiting(views) == [
        "a.md waits to be judged: in 26 s, if it is left alone until then",
        "a.md waits to be put back",
    ]


def test_an_open_incident_says_when_its_file_is_put_back() -> None:
    known = dict.fromkeys(
        ("event_class", "severity", "action", "opened", "writer", "done", "command", "accept_command"), ""
    )
    numbers: dict[str, object] = {"id": 1, "opened_ns": 0, "rounds": 3, "lost": 2, "lost_share": 1.0}
    told: dict[str, object] = {"workspace": "w", "root": "/n", "files": ["a.md"], "loop": False, "stood_down": False}
    for state, said in (("open", 1), ("resolved", 0)):
        incident = IncidentView(**{**known, **numbers, **told, "state": state})  # type: ignore[arg-type]
        lines = explain_lines.lines(ExplainView(incident, [], []), 0, [pending("repair", "backoff", 45_000)])
        assert lines.count("  next     a.md waits to be put back: in 45 s, if it is left alone until then") == said


def event(**given: object) -> EventView:
    known: dict[str, object] = dict.fromkeys(("at", "workspace", "path", "path_b64", "event_class", "action"), "")
    known |= {
        "seq": 1,
        "at_ns": 0,
        "kind": "incident",
        "severity": "alarm",
        "by": "agent:x",
        "incident": 1,
        "text": "t",
    }
    return EventView(**{**known, "data": {}, **given})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "where", "end"),
    [
        ({"data": {"state": "open"}}, "", "t  by agent:x"),
        ({"data": {"state": "resolved"}}, "", "t"),
        ({"kind": "change", "path": "a.md"}, "~/n", "t  in ~/n  by agent:x"),
        ({"kind": "change", "path": ""}, "~/n", "t  by agent:x"),
        ({"kind": "change", "by": "unknown"}, "", "t"),
    ],
)
def test_an_event_names_who_and_where(given: dict[str, object], where: str, end: str) -> None:
    assert render.event(event(**given), where).endswith(f"alarm   {end}")

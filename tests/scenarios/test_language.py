"""Every scenario of the file is well formed, and every stated fact holds, without any daemon."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from scenarios import language
from scenarios.language import Folder, Scenario, Step
from scenarios.texts import id_set, memory, size_in, transform


def _play_files(folder: Folder, steps: list[Step]) -> None:
    for step in steps:
        name, argument = language.operation_of(step)
        if name == "repeat":
            for _ in range(argument["times"]):
                _play_files(folder, argument["steps"])
        elif name == "burst":
            folder.play(name, {**argument, "files": 5})
        elif name == "write" or name in language.FILE_STEPS:
            folder.play(name, argument)


def test_scenario_plays_without_a_daemon(scenario: Scenario, tmp_path: Path) -> None:
    assert scenario["id"].lower().startswith(scenario["kind"])
    assert scenario["title"]
    assert scenario["source"]
    assert scenario["expect"]
    for expectation in scenario["expect"]:
        language.check_of(expectation)
    labels = {step["label"] for step in language.flat_steps(scenario["steps"]) if "label" in step}
    assert {expectation["when"] for expectation in scenario["expect"] if "when" in expectation} <= labels

    folder = Folder(tmp_path / "ws")
    folder.set_up(language.setup_of(scenario))
    _play_files(folder, scenario["steps"])

    stated = [step["fact"] for step in language.flat_steps(scenario["steps"]) if "fact" in step]
    assert folder.facts_checked >= sum(len(fact) - 1 for fact in stated)


@pytest.mark.parametrize(
    ("arguments", "digest"),
    [
        (
            {"sections": 12, "bullets": 12, "seed": 11},
            "e9b8b71971f0f775aa6b1a9214ec98a981e6acdc0bcebf78b1d13409df7323f6",
        ),
        (
            {"sections": 14, "bullets": 2, "seed": 3, "script": "cjk"},
            "285e38a0941147198b94c9bffa273143312f0194c0de15ee8f34541be1bcd22b",
        ),
        (
            {"sections": 2, "bullets": 3, "seed": 4, "script": "emoji", "first_id": 90, "words": 5},
            "abe6401fe8e2207ea1718afc15611f5b67886c90bf90256508eabfacdf76d73a",
        ),
    ],
)
def test_generated_notes_never_change(arguments: dict[str, Any], digest: str) -> None:
    assert hashlib.sha256(memory(**arguments).encode()).hexdigest() == digest


def test_id_sets_are_ranges_and_numbers() -> None:
    assert id_set("1-3,7") == {1, 2, 3, 7}
    assert id_set(900) == {900}
    assert id_set("") == set()


def test_sizes_are_counted_in_four_units() -> None:
    crab = "a\U0001f980\n".encode()
    assert [size_in(crab, unit) for unit in ("bytes", "utf16", "chars", "lines")] == [6, 4, 3, 1]
    assert size_in(b"a\nb", "lines") == 2
    assert size_in(b"", "lines") == 0


def test_transforms_apply_in_order() -> None:
    notes = b"# T\n\n## A\n- [m-0001] one two three four\n\n## B\n- [m-0002] b\n"
    assert transform(notes, [{"keep_ids": "1"}, {"drop_empty_sections": True}]) == notes[: notes.index(b"## B")]
    assert transform(notes, [{"rewrap": 20}]).count(b"\n  ") == 1
    assert transform(b"a\r\nb\n", [{"eol": "crlf"}, {"bom": True}]) == b"\xef\xbb\xbfa\r\nb\r\n"
    assert transform(b"---\nk: v\n---\nrest", [{"strip_frontmatter": True}]) == b"rest"


def test_two_phase_write_is_empty_in_its_gap(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    seen: list[tuple[int, bytes]] = []
    folder.play(
        "write",
        {"path": "a.md", "mode": "two_phase", "gap_ms": 300, "content": "full"},
        lambda gap_ms: seen.append((gap_ms, folder.at("a.md").read_bytes())),
    )
    assert seen == [(300, b"")]
    assert folder.at("a.md").read_bytes() == b"full"

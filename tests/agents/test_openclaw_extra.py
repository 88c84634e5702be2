"""What OpenClaw loads beside the files of the root: a person's own USER.md, and what a hook adds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conductd.agents.openclaw_bootstrap import load
from conductd.core.load.loaded import Cause, Load, LoadedFile, Why
from conductd.core.load.openclaw_versions import NEWEST, Session, Version

OLD: Version = (2026, 7, 1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / ".openclaw" / "workspace"
    made.mkdir(parents=True)
    for name in ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md"):
        (made / name).write_text(name)
    return made


def at(root: Path, version: Version = NEWEST, session: Session = Session.MAIN) -> Load:
    home = root.parents[1]
    return load(str(root), version, session, {"HOME": str(home)}, str(home))


def hook(root: Path, **entry: Any) -> None:
    config = {"hooks": {"internal": {"enabled": True, "entries": {"bootstrap-extra-files": entry}}}}
    (root.parent / "openclaw.json").write_text(json.dumps(config))


def put(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(found: Load) -> list[str]:
    return [each.name for each in found.files if not each.is_marker]


def of(found: Load, name: str) -> LoadedFile:
    return next(each for each in found.files if each.name == name)


def left(found: Load) -> dict[str, Why]:
    return {each.name: each.why for each in found.left_out}


def test_the_file_of_the_only_person_comes_after_user_md(root: Path) -> None:
    put(root / "users" / "ana" / "USER.md", "x" * 5_000)
    found = at(root)
    assert names(found)[2:5] == ["IDENTITY.md", "USER.md", "users/ana/USER.md"]
    person = of(found, "users/ana/USER.md")
    assert (person.own_limit, person.causes, person.injected) == (4_000, (Cause.PER_FILE,), 3_999)
    assert any("that person alone" in note for note in found.notes)
    assert "users/ana/USER.md" not in names(at(root, session=Session.GROUP))
    assert "users/ana/USER.md" not in names(at(root, OLD))


def test_of_several_people_none_is_guessed(root: Path) -> None:
    for name in ("ana", "bo"):
        put(root / "users" / name / "USER.md")
    found = at(root)
    assert [each for each in names(found) if "users" in each] == []
    assert any("one of 2 files users/…/USER.md" in note for note in found.notes)


def test_what_the_hook_adds_comes_last_and_spends_the_budget(root: Path) -> None:
    put(root / "packages/b/AGENTS.md")
    put(root / "packages/a/AGENTS.md", "rule\n" * 4_200)
    put(root / "packages/a/NOTES.md")
    put(root / "node_modules/x/AGENTS.md")
    hook(root, paths=["packages/*/*.md", "packages/b/AGENTS.md", "../AGENTS.md", "missing/SOUL.md"])
    found = at(root)
    assert names(found)[-3:] == ["MEMORY.md", "packages/a/AGENTS.md", "packages/b/AGENTS.md"]
    assert "truncated AGENTS.md: kept" in (of(found, "packages/a/AGENTS.md").text or "")
    assert left(found) == {"packages/a/NOTES.md": Why.OTHER_NAME}


@pytest.mark.parametrize(
    ("entry", "added"),
    [
        ({"patterns": ["x/AGENTS.md"]}, ["x/AGENTS.md"]),
        ({"files": ["x/{TOOLS,SOUL}.md"]}, ["x/SOUL.md", "x/TOOLS.md"]),
        ({"paths": ["**/AGENTS.md"], "files": ["x/SOUL.md"]}, ["x/AGENTS.md", "x/y/AGENTS.md"]),
        ({"paths": ["x/AGENTS.md"], "enabled": False}, []),
        ({"paths": "x/AGENTS.md"}, []),
        ({}, []),
    ],
)
def test_the_hook_is_told_in_three_ways(root: Path, entry: dict[str, Any], added: list[str]) -> None:
    for name in ("x/AGENTS.md", "x/y/AGENTS.md", "x/SOUL.md", "x/TOOLS.md"):
        put(root / name)
    hook(root, **entry)
    assert [each for each in names(at(root)) if each.startswith("x/")] == added


def test_what_the_hook_adds_is_filtered_by_session_as_the_others_are(root: Path) -> None:
    put(root / "x/AGENTS.md")
    put(root / "x/MEMORY.md")
    hook(root, paths=["x/*.md"])
    assert names(at(root, session=Session.SUBAGENT)) == ["AGENTS.md", "x/AGENTS.md"]
    assert left(at(root, session=Session.SUBAGENT))["x/MEMORY.md"] is Why.SESSION
    assert names(at(root, session=Session.GROUP))[-2:] == ["x/AGENTS.md", "x/MEMORY.md"]


def test_a_file_that_this_release_no_longer_loads_is_added_back(root: Path) -> None:
    put(root / "TOOLS.md")
    assert left(at(root)) == {"TOOLS.md": Why.RETIRED}
    hook(root, paths=["TOOLS.md", "AGENTS.md"])
    assert (names(at(root)).count("AGENTS.md"), names(at(root))[-1]) == (1, "TOOLS.md")


def test_what_leads_out_or_has_a_second_link_is_passed_over(root: Path) -> None:
    put(root.parents[1] / "AGENTS.md")
    (root / "x").mkdir()
    (root / "x" / "AGENTS.md").symlink_to(root.parents[1] / "AGENTS.md")
    (root / "copy").hardlink_to(put(root / "y" / "SOUL.md"))
    hook(root, paths=["x/AGENTS.md", "y/SOUL.md"])
    found = at(root)
    assert [each for each in names(found) if "/" in each] == []
    assert set(left(found)) == {"x/AGENTS.md", "y/SOUL.md"}


def test_a_run_with_light_context_gets_nothing(root: Path) -> None:
    put(root / "x/AGENTS.md")
    hook(root, paths=["x/*.md"])
    found = at(root, session=Session.LIGHT)
    assert (found.files, left(found)["MEMORY.md"]) == ((), Why.SESSION)
    assert any("light context" in note for note in found.notes)
    assert "MEMORY.md" in names(at(root, (2026, 1, 30), Session.LIGHT))

"""Finding agents in real temporary homes."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conductd.agents import openclaw
from conductd.agents.discover import find
from conductd.agents.found import Found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home.resolve()


def search(home: Path, **env: str) -> tuple[Found, ...]:
    return find({"HOME": str(home)} | env)


def roots(home: Path, **env: str) -> list[str]:
    return [os.path.relpath(os.fsdecode(each.root), home) for each in search(home, **env)]


def make(home: Path, *names: str) -> None:
    for name in names:
        (home / name).mkdir(parents=True, exist_ok=True)


def configure(home: Path, config: Any, name: str = ".openclaw/openclaw.json") -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(config if isinstance(config, str) else json.dumps(config))


def test_an_empty_home_has_nothing(home: Path) -> None:
    assert search(home) == ()


def test_the_default_workspace_and_its_state_directory(home: Path) -> None:
    make(home, ".openclaw/workspace")
    (found,) = search(home)
    assert found.root == os.fsencode(home / ".openclaw/workspace")
    assert (found.profile, found.state_dir) == ("openclaw", os.fsencode(home / ".openclaw"))
    assert found.why


def test_the_home_argument_is_used_without_a_home_variable(home: Path) -> None:
    make(home, ".openclaw/workspace")
    assert len(find({}, str(home))) == 1


@pytest.mark.parametrize("unset", ["undefined", "null", ""])
def test_openclaws_own_home_wins_unless_it_is_a_scripts_unset_value(home: Path, unset: str) -> None:
    make(home, ".openclaw/workspace", "other/.openclaw/workspace")
    assert roots(home, OPENCLAW_HOME=str(home / "other")) == ["other/.openclaw/workspace"]
    assert roots(home, OPENCLAW_HOME="~/other") == ["other/.openclaw/workspace"]
    assert roots(home, OPENCLAW_HOME=unset) == [".openclaw/workspace"]


@pytest.mark.parametrize("variable", ["OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR"])
def test_a_named_state_directory_is_the_only_one(home: Path, variable: str) -> None:
    make(home, ".openclaw/workspace", "state/workspace")
    assert roots(home, **{variable: str(home / "state")}) == ["state/workspace"]
    assert roots(home, **{variable: "~/state"}) == ["state/workspace"]
    assert roots(home, **{variable: "~/none"}) == []
    assert roots(home, **{variable: "relative"}) == []


def test_a_named_profile_in_the_places_of_every_release(home: Path) -> None:
    make(home, ".openclaw/workspace", ".openclaw/workspace-work", ".openclaw-work/workspace")
    assert roots(home, OPENCLAW_PROFILE="work") == [".openclaw-work/workspace", ".openclaw/workspace-work"]
    assert roots(home, OPENCLAW_PROFILE="default") == [".openclaw/workspace"]
    assert roots(home, OPENCLAW_PROFILE="../../etc") == [".openclaw/workspace"]


def test_other_profiles_are_seen_by_their_configuration(home: Path) -> None:
    make(home, ".openclaw/workspace", ".openclaw-a/workspace", ".openclaw-b/workspace")
    configure(home, {}, ".openclaw-b/openclaw.json")
    assert roots(home) == [".openclaw/workspace", ".openclaw-b/workspace"]


@pytest.mark.parametrize("legacy", [".clawdbot", ".moltbot", ".moldbot"])
def test_legacy_state_only_without_the_present_one(home: Path, legacy: str) -> None:
    make(home, f"{legacy}/workspace", "clawd", "elsewhere")
    configure(home, {"agents": {"list": [{"id": "x", "workspace": "~/elsewhere"}]}}, f"{legacy}/clawdbot.json")
    assert roots(home) == ["elsewhere", f"{legacy}/workspace", "clawd"]
    make(home, ".openclaw")
    assert roots(home) == []


def test_a_named_workspace_comes_first(home: Path) -> None:
    make(home, ".openclaw/workspace", "mine")
    assert roots(home, OPENCLAW_WORKSPACE_DIR="~/mine") == ["mine", ".openclaw/workspace"]
    assert search(home, OPENCLAW_WORKSPACE_DIR="~/mine")[0].state_dir == os.fsencode(home / ".openclaw")


def test_workspaces_of_an_agent_list(home: Path) -> None:
    make(home, "main", "own", ".openclaw/workspace-b", ".openclaw/workspace-d")
    make(home, "main/c/memory", "main/notes")
    agents = [{"id": "a", "workspace": "~/own"}, {"id": "b"}, {"id": "c"}, {"id": "notes"}, {"id": "../x"}, {}, 3]
    configure(home, {"agents": {"defaults": {"workspace": "~/main"}, "list": agents}})
    assert roots(home) == ["main", "own", ".openclaw/workspace-b", "main/c"]
    found = {os.path.basename(each.root): each.why for each in search(home)}
    assert found[b"own"] == "workspace of OpenClaw's agent a"


def test_workspaces_of_agent_entries(home: Path) -> None:
    make(home, "own", ".openclaw/workspace-b")
    configure(home, {"agents": {"entries": {"a": {"workspace": str(home / "own")}, "b": {}, "c": "garbage"}}})
    assert roots(home) == ["own", ".openclaw/workspace-b"]


def test_json5_with_comments_and_trailing_commas(home: Path) -> None:
    make(home, "own")
    configure(home, "// mine\n{agents: {defaults: {workspace: '~/own',},},}\n")
    assert roots(home) == ["own"]


def test_a_named_configuration_file(home: Path) -> None:
    make(home, ".openclaw", "own")
    configure(home, {"agents": {"defaults": {"workspace": "~/own"}}}, "elsewhere.json")
    assert roots(home, OPENCLAW_CONFIG_PATH="~/elsewhere.json") == ["own"]


@pytest.mark.parametrize("variable", ["OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH"])
def test_a_named_configuration_counts_without_a_state_directory(home: Path, variable: str) -> None:
    make(home, "own", "other")
    agents = {"defaults": {"workspace": "~/own"}, "list": [{"id": "a", "workspace": "~/other"}, {"id": "b"}]}
    configure(home, {"agents": agents}, "elsewhere.json")
    assert roots(home, **{variable: str(home / "elsewhere.json")}) == ["own", "other"]
    assert all(each.state_dir is None for each in search(home, **{variable: str(home / "elsewhere.json")}))


def test_a_named_profile_of_an_older_name(home: Path) -> None:
    make(home, ".clawdbot-work/workspace", "clawd-work", "clawd")
    assert roots(home, OPENCLAW_PROFILE="work") == [".clawdbot-work/workspace", "clawd-work"]
    make(home, ".openclaw-work/workspace")
    assert roots(home, OPENCLAW_PROFILE="work") == [".openclaw-work/workspace"]


def test_a_named_state_directory_that_does_not_move_the_workspace(home: Path) -> None:
    make(home, "state", ".openclaw/workspace")
    assert roots(home, OPENCLAW_STATE_DIR="~/state") == [".openclaw/workspace"]
    assert search(home, OPENCLAW_STATE_DIR="~/state")[0].state_dir == os.fsencode(home / "state")
    make(home, "state/workspace")
    assert roots(home, OPENCLAW_STATE_DIR="~/state") == ["state/workspace"]


def test_variables_in_a_configured_path(home: Path) -> None:
    make(home, ".openclaw", "own")
    configure(home, {"agents": {"defaults": {"workspace": "${NOTES}/own"}}})
    assert roots(home, NOTES=str(home)) == ["own"]
    assert roots(home) == []


def test_one_directory_by_many_names_is_found_once(home: Path) -> None:
    make(home, "real", ".openclaw")
    (home / ".openclaw/workspace").symlink_to(home / "real")
    configure(
        home, {"agents": {"list": [{"id": "a", "workspace": "~/real"}, {"id": "b", "workspace": "~/real/../real/"}]}}
    )
    assert roots(home) == ["real"]


@pytest.mark.parametrize("target", ["~", "/", "~/missing", "~/file", "relative", "", 3, None, ["~/x"], "\0", "\ud800"])
def test_what_is_no_directory_of_its_own_is_no_workspace(home: Path, target: object) -> None:
    (home / "file").write_text("x")
    configure(home, {"agents": {"defaults": {"workspace": target}, "list": [{"id": "a", "workspace": target}]}})
    assert roots(home) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        '{"agents": 3}',
        '{"agents": {"list": {}, "entries": [], "defaults": 1}}',
        "\0\xff",
    ],
)
def test_a_garbage_configuration_leaves_the_default_workspace(home: Path, text: str) -> None:
    make(home, ".openclaw/workspace")
    configure(home, text)
    assert roots(home) == [".openclaw/workspace"]


def test_a_configuration_that_is_too_large_or_no_file_is_not_read(home: Path) -> None:
    make(home, "own", ".openclaw/workspace")
    config = json.dumps({"agents": {"defaults": {"workspace": "~/own"}}})
    configure(home, config + " " * openclaw.CONFIG_BYTES)
    assert roots(home) == [".openclaw/workspace"]
    (home / ".openclaw/openclaw.json").unlink()
    os.mkfifo(home / ".openclaw/openclaw.json")
    assert roots(home) == [".openclaw/workspace"]
    (home / ".openclaw/openclaw.json").unlink()
    make(home, ".openclaw/openclaw.json")
    assert roots(home) == [".openclaw/workspace"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=6), st.just("~/own")),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(["agents", "list", "entries", "defaults", "workspace", "id"]), inner),
        ),
        max_leaves=15,
    )
)
def test_no_configuration_raises(tmp_path_factory: pytest.TempPathFactory, config: object) -> None:
    base = tmp_path_factory.getbasetemp() / "garbage"
    make(base, "own")
    configure(base, json.dumps(config))
    assert {each.root for each in search(base)} <= {os.fsencode((base / "own").resolve())}


def test_claude_memory_of_each_project(home: Path) -> None:
    make(home, ".claude/projects/-home-x/memory", ".claude/projects/-home-y", ".claude/projects/-home-z/memory")
    assert roots(home) == [".claude/projects/-home-x/memory", ".claude/projects/-home-z/memory"]
    (first, _) = search(home)
    assert (first.profile, first.state_dir) == ("claude-memory", None)
    assert "-home-x" in first.why


def test_claudes_configuration_directory_may_be_named(home: Path) -> None:
    make(home, ".claude/projects/a/memory", "conf/projects/b/memory")
    assert roots(home, CLAUDE_CONFIG_DIR=str(home / "conf")) == ["conf/projects/b/memory"]
    assert roots(home, CLAUDE_CONFIG_DIR="~/conf") == ["conf/projects/b/memory"]


def test_links_below_claudes_directory_are_not_followed(home: Path) -> None:
    make(home, ".claude/projects/a", "outside/memory")
    (home / ".claude/projects/a/memory").symlink_to(home / "outside/memory")
    (home / ".claude/projects/b").symlink_to(home / "outside")
    (home / ".claude/projects/c").write_text("a file")
    assert roots(home) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every directory")
def test_directories_that_cannot_be_read_are_passed_over(home: Path) -> None:
    make(home, ".claude/projects/a/memory", ".openclaw/workspace")
    (home / ".claude/projects").chmod(0)
    try:
        assert roots(home) == [".openclaw/workspace"]
    finally:
        (home / ".claude/projects").chmod(stat.S_IRWXU)


def test_nothing_is_written(home: Path) -> None:
    make(home, ".openclaw/workspace", ".claude/projects/a/memory")
    configure(home, "{agents: {}}")
    before = sorted((str(path), path.stat().st_mtime_ns) for path in home.rglob("*"))
    search(home)
    assert sorted((str(path), path.stat().st_mtime_ns) for path in home.rglob("*")) == before

"""Loading the configuration: places, faults, paths."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.config import Config, load, refuse_state_dir_in
from conductd.config.load import parse
from conductd.config.paths import default_state_dir
from conductd.core.policy import Policy
from conductd.errors import ConfigError
from conductd.model import Mode, Role


def faults(text: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return caught.value.faults


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_no_file_means_defaults_in_the_places_of_the_platform(tmp_path: Path) -> None:
    config = load(None, {"HOME": str(tmp_path)})
    assert config.state_dir == default_state_dir({"HOME": str(tmp_path)})
    assert config.socket == os.path.join(config.state_dir, "conductd.sock")
    assert msgspec.structs.replace(config, state_dir="", socket="") == Config()
    assert config.policy() == Policy()


@pytest.mark.parametrize(
    ("env", "platform", "expected"),
    [
        ({"HOME": "/h"}, "linux", "/h/.local/state/conductd"),
        ({"HOME": "/h", "XDG_STATE_HOME": "/x"}, "linux", "/x/conductd"),
        ({"HOME": "/h", "XDG_STATE_HOME": "relative"}, "linux", "/h/.local/state/conductd"),
        ({"HOME": "/h"}, "darwin", "/h/Library/Application Support/conductd"),
    ],
)
def test_state_directory_of_each_platform(env: dict[str, str], platform: str, expected: str) -> None:
    assert default_state_dir(env, platform) == expected


def test_the_file_is_found_by_argument_then_environment_then_default_place(tmp_path: Path) -> None:
    (tmp_path / ".config/conductd").mkdir(parents=True)
    write(tmp_path / ".config/conductd/config.toml", "poll_ms = 1001")
    env = {"HOME": str(tmp_path)}
    assert load(None, env).poll_ms == 1001
    env["CONDUCTD_CONFIG"] = write(tmp_path / "b.toml", "poll_ms = 1002")
    assert load(None, env).poll_ms == 1002
    assert load(write(tmp_path / "c.toml", "poll_ms = 1003"), env).poll_ms == 1003


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(str(tmp_path / "none.toml"), {"HOME": str(tmp_path)})
    assert caught.value.hint
    assert caught.value.faults


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "c.toml", 'state_dir = "~/one"\nsocket = "~/one.sock"')
    env = {"HOME": str(tmp_path)}
    assert load(path, env).state_dir == str(tmp_path / "one")
    env |= {"CONDUCTD_STATE_DIR": str(tmp_path / "two"), "CONDUCTD_SOCKET": str(tmp_path / "two.sock")}
    assert load(path, env).state_dir == str(tmp_path / "two")
    assert load(path, env).socket == str(tmp_path / "two.sock")


def test_all_faults_are_listed_at_once_with_their_lines() -> None:
    text = """\
mode = "protct"
stat_dir = 3
[waits]
quiet_mss = 4
save_ms = "soon"
[thresholds]
overwrite_share = 3
[[workspaces]]
root = "/a"
[[workspaces]]
roles = {
  "x" = "curat" }
[fights]
backoff_minutes = [
  1,
  "five",
]
[log]
level = "loud"
"""
    assert faults(text.replace("{\n", "{")) == (
        'line 1: mode: must be one of "protect", "observe", is "protct", did you mean `protect`?',
        "line 2: stat_dir: unknown key, did you mean `state_dir`?",
        "line 4: waits.quiet_mss: unknown key, did you mean `quiet_ms`?",
        "line 5: waits.save_ms: must be a whole number, is a text",
        "line 7: thresholds.overwrite_share: must be between 0 and 1, is 3",
        'line 11: workspaces[1].roles.x: must be one of "curated", "daily", "topic", "instructions", "replaceable",'
        ' is "curat", did you mean `curated`?',
        "line 10: workspaces[1]: the key `root` is missing",
        "line 13: fights.backoff_minutes[1]: must be a whole number, is a text",
        'line 18: log.level: must be one of "debug", "info", "warning", "error", is "loud"',
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("quiet_ms = 3", "quiet_ms: unknown key, it belongs in [waits]"),
        ("waits.poll_ms = 3", "waits.poll_ms: unknown key, it belongs at the top of the file"),
        ("nonsense = 3", "nonsense: unknown key"),
        ("waits = 3", "waits: must be a table, is a whole number"),
        ("waits.quiet_ms = true", "waits.quiet_ms: must be a whole number, is true"),
        ("waits.quiet_ms = -1", "waits.quiet_ms: must be 0 or more, is -1"),
        ("thresholds.shrink_share = nan", "thresholds.shrink_share: must be between 0 and 1, is nan"),
        ("thresholds.shrink_share = 0.9", "thresholds.shrink_share: must be smaller than thresholds.overwrite_share"),
        ("fights.backoff_minutes = []", "fights.backoff_minutes: must name at least one wait"),
        ("max_file_bytes = 0", "max_file_bytes: must be between 1 and 62914560, is 0"),
        ("workspaces = [3]", "workspaces[0]: must be a table, is a whole number"),
        ("workspaces = {root = '/a'}", "workspaces: must be a list, is a table"),
        ("replaceable = 'a'", "replaceable: must be a list, is a text"),
        ("replaceable = ['']", "replaceable[0]: must not be empty"),
        ("file_modes = []", "file_modes: must be a table, is a list"),
        ("state_dir = 2026-01-01", "state_dir: must be a text, is a date or time"),
        (
            "consolidators = [{actor='a', max_net_loss=2}]",
            "consolidators[0].max_net_loss: must be between 0 and 1, is 2",
        ),
        ("actions = 1", "actions: must be a table, is a whole number"),
        ("actions.shrnk = 'merge'", "actions.shrnk: unknown event class `shrnk`, did you mean `shrink`?"),
        ("actions.append = 'revert'", "actions.append: `append` is always recorded, there is no action to choose"),
        ("actions.shrink.dayly = 'merge'", "actions.shrink.dayly: unknown role `dayly`, did you mean `daily`?"),
        (
            "actions.external_reset = 'merge'",
            'actions.external_reset: git is at work then, and nothing is written under its feet: not "merge"',
        ),
        ("rules = 3", "rules: must be a list, is a whole number"),
        (
            "rules = [{class='shrnk', action='merge'}]",
            "rules[0].class: unknown event class `shrnk`, did you mean `shrink`?",
        ),
        (
            "rules = [{class='append', action='merge'}]",
            "rules[0].action: `append` is always recorded, there is no action to choose",
        ),
        (
            "rules = [{class='clock_jump', severity='info'}]",
            "rules[0].severity: `clock_jump` is no judgement of a change, it is always told as it is",
        ),
        ("rules = [{actor='cron:*', action='hold'}]", 'rules[0].action: "hold" is only possible for conflict_markers'),
        ("rules = [{class='shrink'}]", "rules[0]: says nothing: give `action`, `severity` or both"),
        ("rules = [{action='merge'}]", "rules[0]: fits everything: give `match`, `actor`, `class` or `role`"),
        (
            "rules = [{clas='shrink', role='daily', severity='info'}]",
            "rules[0].clas: unknown key, did you mean `class`?",
        ),
        ("actions.shrink = 'hold'", 'actions.shrink: "hold" is only possible for conflict_markers'),
        ("actions.shrink = []", 'actions.shrink: must be one of "record", "propose", "merge", "revert", "hold", is []'),
    ],
)
def test_each_fault_has_its_sentence(text: str, fault: str) -> None:
    assert faults(text) == (f"line 1: {fault}",)


def test_text_that_is_no_toml_is_a_fault() -> None:
    assert faults("a = = 1")[0].startswith("not TOML: ")


def test_bytes_that_are_no_utf8_are_a_fault_with_a_line(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(b"poll_ms = 500\n# \xff\n")
    with pytest.raises(ConfigError) as caught:
        load(str(path), {"HOME": str(tmp_path)})
    assert caught.value.faults == ("line 2: not UTF-8",)


def test_actions_may_be_written_nested_or_quoted() -> None:
    nested = parse('[actions]\nshrink = "merge"\noverwrite.daily = "propose"')
    quoted = parse('[actions]\nshrink = "merge"\n"overwrite.daily" = "propose"')
    assert nested == quoted
    assert nested.policy().actions == {"shrink": "merge", "overwrite.daily": "propose"}


def test_workspace_roots_are_expanded_and_named_once(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "CONDUCTD_STATE_DIR": "/nowhere/state"}
    one = load(write(tmp_path / "c.toml", '[[workspaces]]\nroot = "~/notes/"'), env)
    assert one.workspaces[0].root_bytes == os.fsencode(tmp_path / "notes")
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path / "d.toml", 'workspaces = [{root="~/a"}, {root="~/a/"}, {root="b"}]'), env)
    assert len(caught.value.faults) == 2


def test_a_state_directory_inside_a_workspace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "ws")
    for state in ("ws/state", "ws", "link/deep/state"):
        with pytest.raises(ConfigError):
            refuse_state_dir_in(str(tmp_path / state), [str(tmp_path / "ws")])
    with pytest.raises(ConfigError):
        refuse_state_dir_in(str(tmp_path), [os.fsencode(tmp_path / "ws")])
    refuse_state_dir_in(str(tmp_path / "ws-state"), [str(tmp_path / "ws")])
    with pytest.raises(ConfigError):
        load(
            write(tmp_path / "c.toml", f'state_dir = "~/ws/s"\nworkspaces = [{{root = "{tmp_path}/ws"}}]'),
            {"HOME": str(tmp_path)},
        )


def test_modes_of_workspaces_and_files() -> None:
    config = parse(
        """
found_mode = "observe"
replaceable = ["HEARTBEAT.md"]
[file_modes]
"drafts/**" = "observe"
[[workspaces]]
root = "/a"
mode = "observe"
extra = ["docs/*.md"]
roles = { "docs/**" = "topic" }
file_modes = { "MEMORY.md" = "protect" }
"""
    )
    assert config.mode_of(b"/a", found=False) is Mode.OBSERVE
    assert config.mode_of(b"/b", found=False) is Mode.PROTECT
    assert config.mode_of(b"/b", found=True) is Mode.OBSERVE
    assert config.file_mode(b"/a", b"MEMORY.md", Mode.OBSERVE) is Mode.PROTECT
    assert config.file_mode(b"/b", b"drafts/x.md", Mode.PROTECT) is Mode.OBSERVE
    assert config.file_mode(b"/b", b"x.md", Mode.PROTECT) is Mode.PROTECT
    assert config.is_extra(b"/a", b"docs/x.md")
    assert not config.is_extra(b"/b", b"docs/x.md")
    assert config.role(b"/a", b"docs/x.md") is Role.TOPIC
    assert config.role(b"/b", b"sub/HEARTBEAT.md") is Role.REPLACEABLE
    assert config.role(b"/b", b"x.md") is None


values = st.recursive(
    st.one_of(st.booleans(), st.integers(-5, 10**20), st.floats(), st.sampled_from(["", "a", "protect", "~/x"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["root", "actor", "a.b", "shrink"]), inner)
    ),
    max_leaves=6,
)


@given(st.sampled_from([*Config.__struct_fields__, "nonsense"]), values)
def test_any_value_for_any_key_is_accepted_or_a_fault_never_a_crash(key: str, value: object) -> None:
    def toml(item: object) -> str:
        if isinstance(item, bool):
            return str(item).lower()
        if isinstance(item, dict):
            return "{" + ", ".join(f'"{k}" = {toml(v)}' for k, v in item.items()) + "}"
        if isinstance(item, list):
            return "[" + ", ".join(map(toml, item)) + "]"
        return f'"{item}"' if isinstance(item, str) else repr(item)

    # A fault is an expected outcome; any other exception fails the test.
    with contextlib.suppress(ConfigError):
        parse(f"{key} = {toml(value)}")


@pytest.mark.parametrize("kind", ["pipe", "directory"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "config.toml"
    os.mkfifo(path) if kind == "pipe" else path.mkdir()
    with pytest.raises(ConfigError):
        load(str(path), {"HOME": str(tmp_path)})


def test_what_is_right_is_held_against_the_rest_where_another_key_is_wrong(tmp_path: Path) -> None:
    """A profile that there is not beside a root that is none, and beside a key of another section."""
    path = tmp_path / "config.toml"
    tables = '[[workspaces]]\nroot = {root}\nprofile = "nosuch"\n'
    for text in (
        tables.format(root='"relative"'),
        tables.format(root="3"),
        "nonsense = 1\n" + tables.format(root='"/a"'),
    ):
        path.write_text(text)
        with pytest.raises(ConfigError) as caught:
            load(str(path), {"HOME": str(tmp_path)})
        said = caught.value.faults
        assert len(said) == 2, said
        assert any("workspaces[0].profile: must be one of" in each for each in said)


def test_a_default_for_a_wrong_key_contradicts_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        parse('[thresholds]\nshrink_share = 0.9\noverwrite_share = "much"\n')
    assert len(caught.value.faults) == 1

"""The sample, the documentation and the structs say the same."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import pytest

from conductd.agents.profiles import PROFILES as KNOWN_PROFILES
from conductd.config import PROFILES, Config, Consolidator, RetentionJob, WorkspaceConfig
from conductd.config.agents import AgentConfig, AgentStep
from conductd.config.load import parse
from conductd.config.schema import ChannelConfig
from conductd.core.policy import DEFAULT_ACTIONS, ActionRule
from conductd.errors import ConfigError

ROOT = Path(__file__).parents[2]
SAMPLE = (ROOT / "config.example.toml").read_text()
DOCS = (ROOT / "docs/config.md").read_text()
SECTIONS: dict[str, type[msgspec.Struct]] = {
    name: kind
    for name, kind in get_type_hints(Config).items()
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
}
ITEMS: dict[str, type[msgspec.Struct]] = {
    "workspaces": WorkspaceConfig,
    "retention_jobs": RetentionJob,
    "consolidators": Consolidator,
    "rules": ActionRule,
    "agents": AgentConfig,
    "channels": ChannelConfig,
}


def test_the_sample_loads_and_equals_the_defaults() -> None:
    assert parse(SAMPLE) == Config()


def test_the_sample_names_every_key() -> None:
    raw = tomllib.loads(SAMPLE)
    assert set(raw) == set(Config.__struct_fields__)
    for name, kind in SECTIONS.items():
        assert set(raw[name]) == set(kind.__struct_fields__), name


def test_the_samples_in_comments_load_and_name_every_key() -> None:
    lines = [line.removeprefix("#   ") for line in SAMPLE.splitlines() if line.startswith("#   ")]
    start = lines.index("[[workspaces]]")
    config = parse("\n".join(lines[:start] + lines[start : start + 13]))
    assert set(tomllib.loads("\n".join(lines[start : start + 13]))["workspaces"][0]) == set(
        WorkspaceConfig.__struct_fields__
    )
    assert config.retention_jobs
    assert config.consolidators
    (agent,) = tomllib.loads("\n".join(lines[:start]))["agents"]
    assert set(agent) == set(AgentConfig.__struct_fields__)
    assert set(agent["steps"][0]) == set(AgentStep.__struct_fields__)
    written = {field.encode_name for field in msgspec.structs.fields(ActionRule)}
    assert set(tomllib.loads("\n".join(lines[:start]))["rules"][0]) == written
    parse("[actions]\n" + "\n".join(line for line in lines if "overwrite" in line))


def documented(heading: str) -> dict[str, str]:
    section = DOCS.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return dict(re.findall(r"^\| `([a-z_]+)` \| (.+?) \|", section, re.MULTILINE))


def shown(value: Any) -> str:
    if isinstance(value, tuple):
        value = list(value)
    return f"`{json.dumps(value)}`"


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("General", Config),
        *((f"`[{name}]`", kind) for name, kind in SECTIONS.items()),
        ("`[[workspaces]]`", WorkspaceConfig),
        ("`retention_jobs`", RetentionJob),
        ("`consolidators`", Consolidator),
        ("`[[rules]]`", ActionRule),
        ("`[[agents]]`", AgentConfig),
        ("`[[agents.steps]]`", AgentStep),
        ("`[[channels]]`", ChannelConfig),
    ],
)
def test_the_documentation_lists_every_key_with_its_default(heading: str, kind: type[msgspec.Struct]) -> None:
    table = documented(heading)
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    if kind is Config:
        fields = {name: field for name, field in fields.items() if name not in SECTIONS}
    assert set(table) == set(fields)
    for name, field in fields.items():
        if field.required:
            assert table[name] == "required"
        elif (kind, name) != (WorkspaceConfig, "mode"):
            default = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
            assert table[name] == shown(default), name


def test_the_documentation_names_every_class_that_has_an_action() -> None:
    section = DOCS.split("## `[actions]`", 1)[1].split("\n## ", 1)[0]
    for name in DEFAULT_ACTIONS:
        assert f"`{name}`" in section


def test_profiles_are_those_the_agents_package_knows() -> None:
    assert set(PROFILES) == set(KNOWN_PROFILES)
    assert len(PROFILES) == len(set(PROFILES))


def test_the_documentation_and_the_sample_name_profiles_that_exist() -> None:
    row = next(line for line in DOCS.splitlines() if line.startswith("| `profile` |"))
    assert set(re.findall(r'`"([a-z-]+)"`', row)) <= set(PROFILES)
    line = next(line for line in SAMPLE.splitlines() if line.startswith("#   profile ="))
    assert set(re.findall(r'"([a-z-]+)"', line)) <= set(PROFILES)


def test_a_profile_may_be_a_configured_agents() -> None:
    agent = '[[agents]]\nname = "zed"\nsteps = [{ names = [".rules"] }]\n'
    assert parse(agent + '[[workspaces]]\nroot = "~/x"\nprofile = "zed"\n').workspaces[0].profile == "zed"
    with pytest.raises(ConfigError) as caught:
        parse('[[workspaces]]\nroot = "~/x"\nprofile = "claude-cod"\n')
    (fault,) = caught.value.faults
    assert fault.startswith("line 3: workspaces[0].profile: must be one of")
    assert "did you mean `claude-code`?" in fault


def test_every_list_of_tables_is_among_the_tested() -> None:
    elements = {name: get_args(kind)[0] for name, kind in get_type_hints(Config).items() if get_origin(kind) is tuple}
    assert {name: kind for name, kind in elements.items() if issubclass(kind, msgspec.Struct)} == ITEMS

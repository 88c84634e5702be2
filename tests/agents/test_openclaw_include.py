"""`$include` of OpenClaw's configuration: merged, bounded, inside its directory."""

from __future__ import annotations

import json
import os
from pathlib import Path

from conductd.agents.openclaw import find, read_config


def put(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_what_stands_beside_wins_and_lists_are_joined(tmp_path: Path) -> None:
    put(
        tmp_path / "parts" / "a.json", {"agents": {"defaults": {"bootstrapMaxChars": 1, "x": 1}, "list": [{"id": "a"}]}}
    )
    put(tmp_path / "parts" / "b.json5", "// more\n{agents: {list: [{id: 'b'}]},}")
    own = {"$include": ["parts/a.json", "parts/b.json5"], "agents": {"defaults": {"bootstrapMaxChars": 2}}}
    assert read_config(str(put(tmp_path / "openclaw.json", own))) == {
        "agents": {"defaults": {"bootstrapMaxChars": 2, "x": 1}, "list": [{"id": "a"}, {"id": "b"}]}
    }


def test_an_include_may_stand_anywhere_and_include_again(tmp_path: Path) -> None:
    put(tmp_path / "parts" / "agents.json", {"defaults": {"$include": "defaults.json"}})
    put(tmp_path / "parts" / "defaults.json", {"workspace": "/w"})
    config = put(tmp_path / "openclaw.json", {"agents": {"$include": "./parts/agents.json"}})
    assert read_config(str(config)) == {"agents": {"defaults": {"workspace": "/w"}}}


def test_loops_links_out_and_garbage_are_left_out(tmp_path: Path) -> None:
    state = tmp_path / "state"
    put(tmp_path / "outside.json", {"no": 1})
    names = ["openclaw.json", "../outside.json", "link.json", "nowhere.json", "bad.json", 7, "a\0b"]
    config = put(state / "openclaw.json", {"$include": names, "yes": 1})
    put(state / "bad.json", "{{{")
    (state / "link.json").symlink_to("../outside.json")
    assert read_config(str(config)) == {"yes": 1}
    assert read_config(str(config), [str(tmp_path)]) == {"no": 1, "yes": 1}


def test_a_deep_nest_is_no_configuration(tmp_path: Path) -> None:
    config = put(tmp_path / "openclaw.json", '{"a": ' * 900 + "1" + "}" * 900)
    assert isinstance(read_config(str(config)), dict)


def test_a_workspace_named_in_an_included_file_is_found(tmp_path: Path) -> None:
    workspace = tmp_path / "deep" / "ws"
    workspace.mkdir(parents=True)
    put(tmp_path / ".openclaw" / "agents.json", {"entries": {"a": {"workspace": str(workspace)}}})
    put(tmp_path / ".openclaw" / "openclaw.json", {"agents": {"$include": "agents.json"}})
    assert os.fsencode(workspace) in [each.root for each in find({"HOME": str(tmp_path)}, str(tmp_path))]

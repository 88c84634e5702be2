"""OpenClaw's gate and a running daemon: what a repair means is said before and after, and what is left out is told."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.api import Json
from support.daemon import Daemon

PLUGIN, NAMESPACE = "core:memory-artifact-provenance", "workspace-files"
AT = 1_790_000_000_123
WHOLE = "# Memory\n\n" + "".join(
    f"- fact number {n}: the {n}th thing that has to be remembered\n" for n in range(1, 30)
)
STUB = "# Memory\n\n- a stub of it\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "home/.openclaw/workspace"
    made.mkdir(parents=True)
    (made / "MEMORY.md").write_text(WHOLE)
    (made / "SOUL.md").write_text("Be kind.\n")
    return made


@pytest.fixture
def daemon(tmp_path: Path, root: Path) -> Iterator[Daemon]:
    with Daemon(tmp_path, [root]) as running:
        running.settle()
        yield running


def record(root: Path, text: str, origin: str = "agent", name: str = "MEMORY.md") -> None:
    """What OpenClaw's file tools note after a write."""
    key = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()
    value = {
        "version": 1,
        "workspaceKey": key,
        "relativePath": name,
        "fileHash": hashlib.sha256(text.encode()).hexdigest(),
        "originClass": origin,
        "observedAt": AT,
        "sessionKey": "agent:main:main",
        "reservationId": "r",
    }
    database = root.parent / "state/openclaw.sqlite"
    database.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(database)) as sql:
        sql.execute(
            "CREATE TABLE IF NOT EXISTS plugin_state_entries (plugin_id TEXT NOT NULL, namespace TEXT NOT NULL,"
            " entry_key TEXT NOT NULL, value_json TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER,"
            " PRIMARY KEY (plugin_id, namespace, entry_key))"
        )
        hashed = f"{key}:{hashlib.sha256(name.encode()).hexdigest()}"
        sql.execute(
            "REPLACE INTO plugin_state_entries VALUES (?, ?, ?, ?, 1, NULL)",
            (PLUGIN, NAMESPACE, hashed, json.dumps(value)),
        )
        sql.commit()


def write(daemon: Daemon, path: Path, text: str) -> None:
    path.write_text(text)
    daemon.settle()


def listed(daemon: Daemon) -> list[Json]:
    found = daemon.api.get("/v1/incidents")
    return found["incidents"] if isinstance(found, dict) else found


def incident(daemon: Daemon) -> Json:
    [found] = listed(daemon)
    return found


def gated(daemon: Daemon) -> list[tuple[str, str]]:
    return [(each["path"], each["provenance"]) for each in daemon.status()["provenance"]]


def test_an_overwrite_by_the_agent_itself(daemon: Daemon, root: Path) -> None:
    """The case that this is all about: overwritten, restored from outside, edited by the agent, gone for good."""
    memory = root / "MEMORY.md"
    record(root, STUB)
    write(daemon, memory, STUB)
    assert memory.read_text() == STUB, "nothing is written by itself that would make the file vanish"
    found = incident(daemon)
    assert (found["state"], found["action"], found["provenance"]) == ("open", "propose", "taints")
    assert found["provenance_text"].startswith("were it put back: OpenClaw will leave it out of the prompt")
    [notice] = [each for each in daemon.events(kind="notice") if each["event_class"] == "overwrite"]
    assert "were it put back: OpenClaw will leave it out" in notice["text"]

    assert "were it put back: OpenClaw will" in daemon.cli("incidents").output
    assert "prompt   were it put back: OpenClaw will" in daemon.cli("explain", str(found["id"])).output

    planned = daemon.api.post("/v1/restore", {"incident": found["id"], "dry_run": True})
    assert [plan["provenance"] for plan in planned["plans"]] == ["taints"]
    ran = daemon.cli("restore", "--incident", str(found["id"]))
    assert "OpenClaw will leave it out of the prompt after the agent's next write" in ran.output
    daemon.settle()
    assert gated(daemon) == [("MEMORY.md", "taints")]
    assert "what stands there is not what the agent wrote last" in daemon.cli("status").output
    assert incident(daemon)["provenance"] == "taints"

    edited = memory.read_text() + "- one more\n"
    record(root, edited, "untrusted")
    write(daemon, memory, edited)
    [left] = daemon.status()["provenance"]
    assert (left["provenance"], left["session"], left["since_ns"]) == (
        "untrusted_already",
        "agent:main:main",
        AT * 10**6,
    )
    assert left["text"].startswith("OpenClaw leaves it out of the prompt: recorded as untrusted since ")
    shown = daemon.cli("status").output
    assert "session agent:main:main" in shown
    [event] = [each for each in daemon.events(event_class="not_loaded") if each["kind"] == "event"]
    assert "its provenance is untrusted: recorded as untrusted since" in event["text"]
    assert "agent:main" not in json.dumps(daemon.events(event_class="not_loaded")), "a session may name a person"
    [notice] = [each for each in daemon.events(event_class="not_loaded") if each["kind"] == "notice"]
    assert "MEMORY.md is there and openclaw does not load it" in notice["text"]
    write(daemon, memory, edited + "- and another\n")
    assert len(daemon.events(event_class="not_loaded")) == 2, "told once"

    told = json.loads(daemon.cli("load", "--json", "--agent", "openclaw").output)
    assert [each["name"] for each in told["left_out"]] == ["MEMORY.md"]
    daemon.assert_no_traceback()


def test_damage_from_outside_is_mended_without_harm(daemon: Daemon, root: Path) -> None:
    record(root, WHOLE)
    write(daemon, root / "MEMORY.md", "")
    assert (root / "MEMORY.md").read_text() == WHOLE
    found = incident(daemon)
    assert (found["state"], found["provenance"]) == ("resolved", "neutral")
    assert found["provenance_text"] == "OpenClaw keeps it in the prompt"
    assert gated(daemon) == []


def test_without_a_record_a_repair_is_neutral(daemon: Daemon, root: Path) -> None:
    write(daemon, root / "MEMORY.md", STUB)
    assert WHOLE.splitlines()[4] in (root / "MEMORY.md").read_text()
    assert incident(daemon)["provenance"] == "neutral"
    assert incident(daemon)["provenance_text"] == ""
    assert gated(daemon) == []


def test_what_cannot_be_read_is_never_called_safe(daemon: Daemon, root: Path) -> None:
    database = root.parent / "state/openclaw.sqlite"
    database.parent.mkdir()
    database.write_bytes(b"SQLite format 3\0" + b"\x5a" * 4096)
    write(daemon, root / "MEMORY.md", STUB)
    assert (root / "MEMORY.md").read_text() == STUB
    found = incident(daemon)
    assert (found["action"], found["provenance"]) == ("propose", "unknown")
    assert "is not known" in found["provenance_text"]
    assert gated(daemon) == [("MEMORY.md", "unknown")]
    done = daemon.api.post("/v1/restore", {"incident": found["id"]})
    assert [plan["provenance"] for plan in done["plans"]] == ["unknown"]


def test_undo_and_accept_say_it_too(daemon: Daemon, root: Path) -> None:
    memory = root / "MEMORY.md"
    record(root, WHOLE)
    write(daemon, memory, "")
    undone = daemon.api.post("/v1/undo", {})
    assert [plan["provenance"] for plan in undone["plans"]] == ["taints"]
    again = daemon.api.post("/v1/undo", {})
    assert [plan["provenance"] for plan in again["plans"]] == ["neutral"]
    accepted = daemon.api.post("/v1/accept", {"incident": incident(daemon)["id"], "dry_run": True})
    assert [plan["provenance"] for plan in accepted["plans"]] == ["taints"]
    said = daemon.cli("accept", str(incident(daemon)["id"])).output
    assert "OpenClaw will leave it out of the prompt after the agent's next write" in said
    assert memory.read_text() == ""
    assert gated(daemon) == [("MEMORY.md", "taints")]


def test_a_restore_to_a_time_says_it_of_each_file(daemon: Daemon, root: Path) -> None:
    record(root, STUB)
    daemon.pass_time(10_000)
    write(daemon, root / "MEMORY.md", STUB)
    at = datetime.fromtimestamp(daemon.versions(root / "MEMORY.md")[-1]["at_ns"] / 1e9 + 2, UTC).isoformat()
    planned = json.loads(
        daemon.api.call("POST", "/v1/restore/at", {"at": at, "path": str(root), "dry_run": True}).splitlines()[-1]
    )
    assert {each["path"]: each["provenance"] for each in planned["result"]["files"]}["MEMORY.md"] == "taints"


def test_an_older_release_has_no_gate(tmp_path: Path, root: Path) -> None:
    config = f'[[workspaces]]\nroot = "{root}"\nagents = ["openclaw@2026.7.35"]\n'
    with Daemon(tmp_path, [root], config=config) as daemon:
        daemon.settle()
        write(daemon, root / "MEMORY.md", STUB)
        assert incident(daemon)["provenance"] == "no_gate"


def test_another_agent_has_no_gate(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "MEMORY.md").write_text(WHOLE)
    config = f'[[workspaces]]\nroot = "{root}"\nprofile = "generic"\n'
    with Daemon(tmp_path, [root], config=config) as daemon:
        daemon.settle()
        write(daemon, root / "MEMORY.md", "")
        assert incident(daemon)["provenance"] == "no_gate"
        assert gated(daemon) == []


def test_what_was_left_out_before_the_start_is_told_at_the_start(tmp_path: Path, root: Path) -> None:
    record(root, WHOLE, "untrusted")
    with Daemon(tmp_path, [root]) as daemon:
        daemon.settle()
        assert gated(daemon) == [("MEMORY.md", "untrusted_already")]
        assert [each["kind"] for each in daemon.events(event_class="not_loaded")] == ["event", "notice"]
        daemon.restart()
        daemon.settle()
        assert len(daemon.events(event_class="not_loaded")) == 2


def test_who_opted_for_it_is_told_what_the_repair_does(tmp_path: Path, root: Path) -> None:
    record(root, STUB)
    with Daemon(tmp_path, [root], config='provenance = "repair"\n') as daemon:
        daemon.settle()
        write(daemon, root / "MEMORY.md", STUB)
        assert WHOLE.splitlines()[4] in (root / "MEMORY.md").read_text()
        assert (incident(daemon)["state"], incident(daemon)["provenance"]) == ("resolved", "taints")
        [notice] = [each for each in daemon.events(kind="notice") if each["event_class"] == "overwrite"]
        assert notice["text"].endswith("OpenClaw will leave it out of the prompt after the agent's next write")
        [done] = daemon.events(kind="repair_done")
        assert done["data"]["provenance"] == "taints"


def test_files_lost_together_are_told_of_each(tmp_path: Path, root: Path) -> None:
    (root / "USER.md").write_text(WHOLE.replace("fact", "habit"))
    (root / "TOOLS.md").write_text(WHOLE.replace("fact", "tool"))
    (root / "AGENTS.md").write_text(WHOLE.replace("fact", "rule"))
    record(root, STUB, name="USER.md")
    with Daemon(tmp_path, [root], config='provenance = "repair"\n') as daemon:
        daemon.settle()
        for name in ("USER.md", "TOOLS.md", "AGENTS.md", "MEMORY.md"):
            (root / name).write_text("")
        daemon.settle()
        [found] = [each for each in listed(daemon) if each["event_class"] == "mass_loss"]
        assert found["provenance"] == "taints"
        [notice] = [each for each in daemon.events(kind="notice") if each["event_class"] == "mass_loss"]
        assert "USER.md: OpenClaw will leave it out" in notice["text"]

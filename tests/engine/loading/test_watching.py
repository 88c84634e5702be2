"""A running daemon tells what agents do not see of their files: when, of whom, how often, and how it ends."""

from __future__ import annotations

import os
import threading
import time
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conductd.core.reading.entries import fingerprint
from support.daemon import Daemon

Json = Any
NEAR, CUT, NOT, PIN = "near_limit", "load_truncation", "not_loaded", "pin_hidden"
READER = """
[[agents]]
name = "reader"
steps = [{{ names = ["MEMORY.md", "AGENTS.md", "sub/NOTES.md"] }}]
per_file = {limit}
unit = "bytes"

[[workspaces]]
root = "{root}"
agents = ["reader"]
"""


def notes(*names: str, each: int = 20) -> str:
    return "".join(f"## {name}\n\n" + "".join(f"- {name} note {n}\n" for n in range(each)) + "\n" for name in names)


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    (tmp_path / "ws" / "memory").mkdir(parents=True)
    return (tmp_path / "ws").resolve()


@pytest.fixture
def reading(tmp_path: Path, ws: Path) -> Iterator[Daemon]:
    """Read by one agent that takes 600 bytes of a file."""
    (ws / "MEMORY.md").write_text(notes("One", each=10))
    with Daemon(tmp_path / "d", [ws], config=READER.format(limit=600, root=ws)) as daemon:
        daemon.settle()
        yield daemon
        daemon.assert_no_traceback()


def told(daemon: Daemon, event_class: str) -> list[Json]:
    return daemon.events(event_class=event_class, kind="event")


def lines(daemon: Daemon) -> list[str]:
    return [line for view in daemon.status()["loads"] for line in view["lines"]]


def test_the_write_that_pushes_sections_out_is_named(reading: Daemon, ws: Path) -> None:
    path = ws / "MEMORY.md"
    body = {"actor": "agent:main", "path": str(path)}
    reading.api.post("/v1/evidence", body)
    path.write_text(notes("One", "Two", "Three"))
    reading.settle()
    (event,) = told(reading, CUT)
    facts = event["data"]["facts"]
    assert (event["by"], facts["grew"], facts["limit"], facts["unit"]) == ("agent:main", "MEMORY.md", 600, "bytes")
    assert [section["heading"] for section in facts["sections"]] == ["Three"]
    (notice,) = reading.events(event_class=CUT, kind="notice")
    assert "Three" not in str(notice)
    assert notice["data"]["command"] == f"conductd load {path} --agent reader"
    assert any("Three" in line for line in lines(reading))


def test_a_restart_tells_nothing_twice_and_replay_equals_live(reading: Daemon, ws: Path) -> None:
    (ws / "MEMORY.md").write_text(notes("One", "Two", "Three"))
    reading.settle()
    before = len(reading.events(kind="notice"))
    reading.restart()
    reading.settle()
    reading.kill()
    reading.start()
    reading.settle()
    assert len(reading.events(kind="notice")) == before
    assert lines(reading)


def test_it_ends_when_it_fits_again(reading: Daemon, ws: Path) -> None:
    path = ws / "MEMORY.md"
    path.write_text(notes("One", "Two", "Three"))
    reading.settle()
    reading.restart()
    reading.settle()
    (ws / "memory" / "three.md").write_text(notes("Two", "Three"))
    path.write_text(notes("One", each=10))
    reading.settle()
    assert [event["data"]["reason"] for event in told(reading, CUT)] == ["per-file", "cured"]
    assert lines(reading) == []
    path.write_text(notes("One", "Two", "Three"))
    reading.settle()
    assert [event["data"]["reason"] for event in told(reading, CUT)] == ["per-file", "cured", "per-file"]


def test_a_file_that_nobody_protects_is_seen_all_the_same(reading: Daemon, ws: Path) -> None:
    (ws / "sub").mkdir()
    (ws / "sub" / "NOTES.md").write_text(notes("Sub", each=200))
    reading.settle()
    assert [event["path"] for event in told(reading, CUT)] == ["sub/NOTES.md"]


def test_pinned_entries_out_of_sight_are_an_incident_of_their_own(reading: Daemon, ws: Path) -> None:
    path = ws / "MEMORY.md"
    path.write_text(notes("One", each=10) + "- never touch the ledger\n")
    reading.settle()
    assert reading.cli("pin", f"{path}", "never touch the ledger").exit_code == 0
    path.write_text(notes("One", "Two", "Three", each=15) + "- never touch the ledger\n")
    reading.settle()
    (incident,) = reading.api.get("/v1/incidents")
    assert (incident["event_class"], incident["state"], incident["files"]) == (PIN, "open", ["MEMORY.md"])
    assert incident["command"] == f"conductd load {path} --agent reader"
    assert "ledger" not in str(incident)
    explained = reading.api.get(f"/v1/incidents/{incident['id']}")
    assert [event["kind"] for event in explained["history"]].count("notice") == 1
    assert reading.cli("explain", str(incident["id"])).exit_code == 0
    assert "MEMORY.md" in reading.cli("incidents").output
    path.write_text("- never touch the ledger\n" + notes("One", "Two", "Three", each=15))
    reading.settle()
    (incident,) = reading.api.get("/v1/incidents")
    assert incident["state"] == "resolved"
    assert path.read_text().startswith("- never touch")  # nothing was written because of it


def test_pins_out_of_sight_can_be_accepted(reading: Daemon, ws: Path) -> None:
    path = ws / "MEMORY.md"
    path.write_text(notes("One", "Two", "Three", each=15) + "- never touch the ledger\n")
    reading.settle()
    assert reading.cli("pin", f"{path}", "never touch the ledger").exit_code == 0
    reading.settle()
    (incident,) = reading.api.get("/v1/incidents")
    assert reading.cli("accept", str(incident["id"])).exit_code == 0
    path.write_text(notes("One", "Two", "Three", each=16) + "- never touch the ledger\n")
    reading.settle()
    assert [each["state"] for each in reading.api.get("/v1/incidents")] == ["accepted"]
    assert path.read_text().endswith("ledger\n")


def test_nothing_can_be_brought_back_of_pins_that_are_only_hidden(reading: Daemon, ws: Path) -> None:
    path = ws / "MEMORY.md"
    path.write_text(notes("One", "Two", "Three", each=15) + "- never touch the ledger\n")
    reading.settle()
    reading.cli("pin", f"{path}", "never touch the ledger")
    reading.settle()
    (incident,) = reading.api.get("/v1/incidents")
    ran = reading.cli("restore", "--incident", str(incident["id"]))
    assert ran.exit_code != 0
    assert "conductd load" in ran.output
    assert [each["state"] for each in reading.api.get("/v1/incidents")] == ["open"]


def test_an_unknown_agent_is_said_and_not_taken_for_fine(tmp_path: Path) -> None:
    ws = tmp_path / "ws"
    (ws / "memory").mkdir(parents=True)
    (ws / "memory" / "a.md").write_text("x" * 500_000)
    with Daemon(tmp_path / "d", [ws]) as daemon:
        daemon.settle()
        assert not [event for event in daemon.events() if event["event_class"] in (NEAR, CUT, NOT)]
        assert [view["state"] for view in daemon.status()["loads"]] == ["unknown agent"]
        assert "load: unknown agent" in daemon.cli("status").output
        (view,) = daemon.api.get("/v1/load")
        assert (view["agent"], view["state"]) == ("", "unknown agent")


def test_other_limits_of_the_agent_are_noticed_at_the_next_look(tmp_path: Path, ws: Path) -> None:
    (ws / "SOUL.md").write_text("# Soul\n")
    (ws / "MEMORY.md").write_text(notes("One", "Two", "Three"))
    with Daemon(tmp_path / "d", [ws]) as daemon:
        daemon.settle()
        assert told(daemon, CUT) == []
        settings = daemon.home / ".openclaw" / "openclaw.json"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text("{agents: {defaults: {bootstrapMaxChars: 500}}}")
        daemon.settle()
        (event,) = told(daemon, CUT)
        assert (event["data"]["facts"]["limit"], event["data"]["facts"].get("grew", "")) == (500, "")


def test_a_guess_is_said_to_be_one(tmp_path: Path, ws: Path) -> None:
    (ws / "MEMORY.md").write_text(notes("One", "Two", each=900))
    with Daemon(tmp_path / "d", [ws]) as daemon:
        daemon.settle()
        (notice,) = daemon.events(event_class=CUT, kind="notice")
        assert "taken for OpenClaw by its MEMORY.md" in notice["data"]["detail"]


def test_files_of_the_chain_outside_of_the_workspace_are_read(tmp_path: Path, ws: Path) -> None:
    config = f'[[workspaces]]\nroot = "{ws}"\nagents = ["windsurf"]\n'
    (ws / "AGENTS.md").write_text("# Agents\n")
    daemon = Daemon(tmp_path / "d", [ws], config=config)
    rules = daemon.home / ".codeium" / "windsurf" / "memories" / "global_rules.md"
    rules.parent.mkdir(parents=True)
    rules.write_text(notes("Mine", each=600))
    with daemon:
        daemon.settle()
        (event,) = told(daemon, CUT)
        assert event["path"] == str(rules.resolve())
        assert [Path(file["path"]) for file in daemon.api.get("/v1/files")] == [Path("AGENTS.md")]


def test_a_name_in_another_case_is_told_of_every_agent(tmp_path: Path, ws: Path) -> None:
    (ws / "claude.md").write_text("# Rules\n")
    config = f'[[workspaces]]\nroot = "{ws}"\nagents = ["claude-code", "gemini-cli"]\n'
    with Daemon(tmp_path / "d", [ws], config=config) as daemon:
        daemon.settle()
        (event,) = told(daemon, NOT)
        assert (event["path"], event["data"]["facts"]["note"]) == ("claude.md", "CLAUDE.md")
        (ws / "claude.md").rename(ws / "CLAUDE.md")
        daemon.settle()
        assert [each["data"]["reason"] for each in told(daemon, NOT)][-1] == "cured"


def test_the_view_is_that_of_the_command_line(reading: Daemon, ws: Path) -> None:
    (view,) = reading.api.get("/v1/load")
    assert (view["agent"], view["workspace"], view["unit"], view["state"]) == ("reader", str(ws), "bytes", "ok")
    assert {"files", "left_out", "totals", "fixes", "notes", "findings"} <= set(view)
    assert view["files"][0]["path"] == str(ws / "MEMORY.md")
    assert reading.api.get("/v1/load", workspace=str(ws)) == [view]


def test_names_that_are_no_utf8_do_no_harm(tmp_path: Path) -> None:
    ws = Path(os.fsdecode(os.fsencode(tmp_path) + b"/w\xff"))
    ws.mkdir()
    (ws / "MEMORY.md").write_text(notes("One", "Two", "Three", each=600))
    (ws / os.fsdecode(b"memory.\xff.md")).write_text("x\n")
    (ws / "SOUL.md").write_text("# Soul\n")
    with Daemon(tmp_path / "d", [ws]) as daemon:
        daemon.settle()
        assert [event["path"] for event in told(daemon, CUT)] == ["MEMORY.md"]
        assert daemon.cli("status").exit_code == 0
        daemon.assert_no_traceback()


def test_names_that_are_no_utf8_are_told_apart(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    raw = [b"\xe8.md", b"\xe9.md", b"\\xe8.md"]
    for each in raw:
        (root / os.fsdecode(each)).write_text(notes("One", "Two", each=20))
    config = READER.format(limit=300, root=root).replace('"MEMORY.md", ', '"*.md", ')
    with Daemon(tmp_path / "d", [root], config=config) as daemon:
        daemon.settle()
        first = told(daemon, CUT)
        assert sorted(b64decode(each["path_b64"]) for each in first) == sorted(raw)
        assert len({each["data"]["facts"]["name"] for each in first}) == len(raw)
        (root / "other.md").write_text("# Other\n")
        daemon.sync()
        daemon.settle()
        assert len(told(daemon, CUT)) == len(first)
        for each in raw:
            (root / os.fsdecode(each)).unlink()
        daemon.sync()
        daemon.settle()
        over = [each for each in told(daemon, CUT) if each["data"]["facts"].get("over")]
        assert sorted(b64decode(each["path_b64"]) for each in over) == sorted(raw)
        daemon.assert_no_traceback()


def test_a_secret_in_a_heading_is_not_told(reading: Daemon, ws: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (ws / "MEMORY.md").write_text(notes("One", "Two", each=30) + f"## Token {secret}\n\n- x\n")
    reading.settle()
    (event,) = told(reading, CUT)
    assert secret not in str(event) + str(lines(reading)) + str(reading.api.get("/v1/load"))


@pytest.mark.parametrize(
    "before",
    ["", "Access for the accounting department and for the archive in the cellar of the house, ", "x" * 50 + " "],
)
def test_a_secret_is_masked_before_a_heading_is_cut(reading: Daemon, ws: Path, before: str) -> None:
    secret = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (ws / "MEMORY.md").write_text(notes("One", "Two", each=30) + f"## {before}password: ghp_{secret}\n\n- x\n")
    reading.settle()
    assert told(reading, CUT)
    shown = str(reading.events()) + str(lines(reading)) + str(reading.api.get("/v1/load"))
    assert not [at for at in range(len(secret) - 6) if secret[at : at + 6] in shown]
    journal = b"".join(each.read_bytes() for each in (reading.state_dir / "journal").iterdir())
    assert f"password: ghp_{secret[:8]}…".encode() not in journal


@pytest.mark.parametrize("beside", [(), ("--bytes",)])
def test_what_is_forgotten_is_hidden_from_everybody_at_once(reading: Daemon, ws: Path, beside: tuple[str, ...]) -> None:
    (ws / "MEMORY.md").write_text(notes("One", "Two", each=30) + "## The affair of Mrs Quillfeather\n\n- x\n")
    reading.settle()
    assert "Quillfeather" in str(told(reading, CUT))
    asked = reading.cli("forget", "--matching", "Quillfeather", *beside, "--yes", answer="yes\n")
    assert asked.exit_code == 0, asked.output
    for _ in ("at once", "after another look"):
        shown = str(reading.events()) + str(reading.status()) + str(reading.api.get("/v1/load"))
        assert "Quillfeather" not in shown + reading.cli("log", "--json").output
        reading.settle()
    assert len(told(reading, CUT)) == 1


def test_no_mark_of_what_was_forgotten_can_be_tried_against_guesses(reading: Daemon, ws: Path) -> None:
    path = ws / "MEMORY.md"
    path.write_text(notes("One", "Two", each=30) + "## Cabinet of Mr 4711\n\n- x\n")
    reading.settle()
    (event,) = told(reading, CUT)
    before = set(event["data"]["facts"]["marks"])
    path.write_text(notes("One", each=10))
    reading.settle()
    assert reading.cli("forget", "--matching", "of Mr 4711", "--now", answer="yes\n").exit_code == 0
    reading.settle()
    reading.wait_until(lambda: "4711" not in str(reading.events()), "it is erased")
    pin = fingerprint("Cabinet of Mr 4711", b"").hex()
    assert f"section:{pin}#1" not in before
    after = [each for event in told(reading, CUT) for each in event["data"]["facts"]["marks"]]
    (gone,) = before - set(after)
    assert gone.startswith("section:")
    reading.stop()
    mark = gone.partition(":")[2].partition("#")[0].encode()
    assert not [each for each in reading.state_dir.rglob("*") if each.is_file() and mark in each.read_bytes()]


def test_what_is_forgotten_leaves_the_headings_that_were_told(reading: Daemon, ws: Path) -> None:
    path = ws / "MEMORY.md"
    path.write_text(notes("One", "Two", each=30) + "## The affair of Mrs Quillfeather\n\n- x\n")
    reading.settle()
    assert "Quillfeather" in str(told(reading, CUT))
    path.write_text(notes("One", each=10))
    reading.settle()
    assert reading.cli("forget", "--matching", "Quillfeather", "--now", answer="yes").exit_code == 0
    reading.settle()
    reading.wait_until(lambda: "Quillfeather" not in str(reading.events()), "it is erased")
    journal = b"".join(each.read_bytes() for each in (reading.state_dir / "journal").iterdir())
    assert b"Quillfeather" not in journal


def test_recording_does_not_wait_for_looks(tmp_path: Path, ws: Path) -> None:
    """200 files under frequent writes: what is written is durable as fast as where no agent reads."""
    for number in range(200):
        (ws / "memory" / f"{number:03d}.md").write_text(notes("A", "B", each=5))
    (ws / "MEMORY.md").write_text(notes("One", "Two", "Three", each=400))
    (ws / "SOUL.md").write_text("# Soul\n")

    def slowest(config: str, place: str) -> float:
        with Daemon(tmp_path / place, [ws], config=config, fake_clock=False) as daemon:
            daemon.wait_until(lambda: daemon.status()["files"] >= 200, "all are seen")
            taken = []
            for number in range(40):
                path = ws / "memory" / f"{number:03d}.md"
                versions = daemon.api.get("/v1/counters")["versions_total"]
                started = time.monotonic()
                path.write_text(path.read_text() + f"- more {place}\n")
                (ws / "MEMORY.md").write_text((ws / "MEMORY.md").read_text() + "- one more\n")
                daemon.wait_until(
                    lambda before=versions: daemon.api.get("/v1/counters")["versions_total"] >= before + 2, "recorded"
                )
                taken.append(time.monotonic() - started)
            daemon.assert_no_traceback()
            return sorted(taken)[len(taken) * 3 // 4]

    unread = slowest(
        READER.format(limit=600, root=ws).replace('"MEMORY.md", "AGENTS.md", "sub/NOTES.md"', '"NOTHING"'),
        "a",
    )
    assert slowest("", "b") < max(3 * unread, 0.1)


def test_a_burst_is_looked_at_few_times(reading: Daemon, ws: Path) -> None:
    path = ws / "MEMORY.md"
    stop = threading.Event()
    writer = threading.Thread(
        target=lambda: [path.write_text(notes("One", each=n % 40 + 1)) for n in range(300)] and stop.set()
    )
    writer.start()
    writer.join()
    path.write_text(notes("One", each=10))
    reading.settle()
    assert len(reading.events(event_class=CUT)) <= 2


SHARED = """
[[agents]]
name = "reader"
steps = [{{ names = ["AGENTS.md"] }}, {{ names = ["SHARED.md"], where = "home" }}]
per_file = 600
unit = "bytes"
"""


def test_a_file_that_several_workspaces_load_is_told_of_once(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("one", "two", "three")]
    for root in roots:
        root.mkdir()
        (root / "AGENTS.md").write_text(f"- the rules of {root.name}\n")
    shared = tmp_path / "d" / "home" / "SHARED.md"
    shared.parent.mkdir(parents=True)
    shared.write_text(notes("One", each=10))
    tables = [f'\n[[workspaces]]\nroot = "{root.resolve()}"\nagents = ["reader"]\n' for root in roots]
    with Daemon(tmp_path / "d", roots, config=SHARED.format() + "".join(tables)) as daemon:
        daemon.settle()
        shared.write_text(notes("One", "Two", "Three"))
        daemon.advance(120_000)
        daemon.settle()
        daemon.wait_until(lambda: len(told(daemon, CUT)) == 3, "each of them is on record")
        assert [event["severity"] for event in told(daemon, CUT)].count("notice") == 1
        assert len(daemon.events(event_class=CUT, kind="notice")) == 1
        for root in roots:
            assert any("SHARED" in line for view in daemon.status()["loads"] for line in view["lines"]), root

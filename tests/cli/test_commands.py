"""Every command: what it prints, as text and as JSON, and how it fails."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conductd import __version__
from conductd.cli.main import COMMANDS
from conductd.views import DamageView, DegradedView, RequestView
from support.served import Served
from support.service import FakeService

from .conftest import Run

pytestmark = pytest.mark.usefixtures("served")

COMMON = ("state_dir", "socket", "config", "json")
ODD = b"memory/\xff caf\xe9\x1b[31m.md"


@pytest.fixture(autouse=True)
def history(service: FakeService) -> None:
    """Three versions of MEMORY.md, an overwrite that was put back, and a name that is not UTF-8."""
    hour, now = 3_600 * 10**9, time.time_ns()
    service.write(b"MEMORY.md", b"one\n", at_ns=now - 50 * hour)
    service.write(b"MEMORY.md", b"one\ntwo\n", at_ns=now - 2 * hour)
    service.lose(b"MEMORY.md", b"gone\n")
    service.write(ODD, b"odd \xff\n", at_ns=now, actor="agent:\x1b]0;evil\x07")


def out(ran: Any) -> str:
    assert (ran.returncode, ran.stderr) == (0, b""), ran.stderr.decode()
    text: str = ran.stdout.decode("utf-8", "surrogateescape")
    assert "\x1b" not in text
    return text


def data(ran: Any) -> Any:
    assert (ran.returncode, ran.stderr) == (0, b""), ran.stderr.decode()
    return json.loads(ran.stdout)


def failed(ran: Any, code: int) -> tuple[str, str]:
    """The sentence and the hint of a failure."""
    assert ran.returncode == code, ran.stderr.decode()
    assert b"Traceback" not in ran.stderr
    found = re.fullmatch(r"conductd: (.+)\n\nhint: (.+)\n", ran.stderr.decode())
    assert found, ran.stderr.decode()
    return found[1], found[2]


# ------------------------------------------------------------------ reads


def test_status_is_one_screen(run: Run, service: FakeService, workspace: Path) -> None:
    text = out(run("status"))
    assert text.startswith(f"conductd {__version__}: ok, up 1 h 1 min")
    assert "2 files, 5 versions" in text
    assert "1 open incident: conductd incidents" in text
    assert re.search(rf"{workspace} +protect +ok +2 +5 +1 ", text)
    assert data(run("status", "--json"))["versions"] == 5


def test_status_names_what_is_wrong_and_what_to_do(run: Run, service: FakeService) -> None:
    service.degraded = [DegradedView("watch_limit", "too few watches", "sysctl fs.inotify.max_user_watches=1", 0)]
    text = out(run("status"))
    assert ": degraded" in text
    assert "! too few watches" in text
    assert "hint: sysctl" in text


def test_log_tells_what_when_who_how_much_and_what_was_done(run: Run) -> None:
    head, *rows = out(run("log", "MEMORY.md")).splitlines()
    assert head.split() == ["SEQ", "WHEN", "TIME", "WHAT", "WHO", "LOST", "SIZE", "DIGEST", "DONE"]
    assert [row.split()[0] for row in rows] == ["4", "3", "2", "1"]
    assert re.match(r"3 .* overwrite +agent:main +-48 \(98%\) +5 B +[0-9a-f]{12} +reverted, incident 3$", rows[1])
    assert re.match(r"2 +2 h ago +[-0-9 :]+ +edit ", rows[2])
    assert re.match(r"1 +2 days ago +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", rows[3])


def test_log_of_all_files_names_them(run: Run) -> None:
    text = out(run("log"))
    assert "FILE" in text.splitlines()[0]
    assert "memory/\udcff caf\udce9\\x1b[31m.md" in text
    assert "agent:\\x1b]0;evil\\x07" in text


def test_log_stops_at_a_number_or_a_time(run: Run) -> None:
    assert len(out(run("log", "MEMORY.md", "-n", "2")).splitlines()) == 3
    since = data(run("log", "MEMORY.md", "--since", "3h", "--json"))
    assert [v["seq"] for v in since] == [2]
    assert data(run("log", "--since", "2 minutes ago", "--json"))[0]["seq"] == 5


def test_log_of_nothing_says_so_on_stderr(run: Run) -> None:
    ran = run("log", "--since", "2099-01-01")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"no versions since 2099-01-01\n")


def test_log_with_a_time_that_is_none(run: Run) -> None:
    sentence, hint = failed(run("log", "--since", "sometime"), 2)
    assert "sometime" in sentence
    assert "2h ago" in hint


@pytest.mark.parametrize(("version", "expected"), [("", b"one\ntwo\n"), ("@1", b"one\n"), ("@3", b"gone\n")])
def test_show_prints_the_bytes(run: Run, version: str, expected: bytes) -> None:
    assert run("show", f"MEMORY.md{version}").stdout == expected


def test_show_by_digest_prefix_and_by_a_name_that_is_not_utf8(run: Run, service: FakeService) -> None:
    digest = service.versions_made[0][0].digest
    assert digest
    assert run("show", f"MEMORY.md@{digest[:8]}").stdout == b"one\n"
    assert run(b"show", ODD + b"@5").stdout == b"odd \xff\n"


def test_show_as_json_has_the_version_and_the_bytes(run: Run, service: FakeService) -> None:
    shown = data(run("show", "MEMORY.md@1", "--json"))
    assert shown == {"version": msgspec.to_builtins(service.versions_made[0][0]), "content_b64": "b25lCg=="}


def test_a_name_with_an_at_sign_is_a_file_first(run: Run, service: FakeService, workspace: Path) -> None:
    service.write(b"a@b.md", b"mail\n")
    (workspace / "a@b.md").write_text("x")
    assert run("show", "a@b.md").stdout == b"mail\n"
    assert run("show", "a@b.md@6").stdout == b"mail\n"
    assert run("show", str(workspace / "a@b.md")).stdout == b"mail\n"


def test_a_file_is_looked_for_from_where_one_stands(run: Run, service: FakeService, workspace: Path) -> None:
    (workspace / "memory").mkdir()
    assert run("show", str(workspace / "memory" / ".." / "MEMORY.md")).stdout == b"one\ntwo\n"
    assert run("show", "./MEMORY.md").stdout == b"one\ntwo\n"
    sentence, _ = failed(run("show", "/elsewhere/MEMORY.md"), 3)
    assert "/elsewhere/MEMORY.md" in sentence


def test_a_version_that_is_ambiguous_or_gone(run: Run, service: FakeService) -> None:
    service.write(b"gone.md", None)
    _, hint = failed(run("show", "gone.md"), 12)
    assert hint
    failed(run("show", "MEMORY.md@99"), 3)
    service.write(b"twin.md", b"a", digest="abcd1" + "0" * 59)
    service.write(b"twin.md", b"b", digest="abcd2" + "0" * 59)
    sentence, hint = failed(run("show", "twin.md@abcd"), 4)
    assert "abcd" in sentence
    assert "more digits" in hint


def test_diff_between_versions(run: Run) -> None:
    assert "+two" in out(run("diff", "MEMORY.md@1", "@2"))
    assert "-two" in out(run("diff", "MEMORY.md@2", "1"))
    assert "-gone" in out(run("diff", "MEMORY.md"))
    assert "+two" in data(run("diff", "--json", "MEMORY.md@1", "@2"))["diff"]
    ran = run("diff", "MEMORY.md@1", "@1")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"no difference\n")


def test_incidents_and_their_explanation(run: Run, service: FakeService) -> None:
    ran = run("incidents")
    assert re.search(rb"\n3 .* overwrite +MEMORY.md +agent:main +-48 \(98%\) +open +put back", ran.stdout)
    assert b"conductd explain" in ran.stderr
    assert [i["id"] for i in data(run("incidents", "--all", "--json"))] == [3]
    text = out(run("explain", "3"))
    for part in (
        "incident 3",
        "seen ",
        "rule ",
        "at least 80 %",
        "98% of the weight",
        "conductd undo 3",
        "conductd accept 3",
    ):
        assert part in text
    assert "- line 3: the deploy key" in text
    assert data(run("explain", "3", "--json"))["incident"]["id"] == 3
    failed(run("explain", "99"), 3)
    failed(run("explain", "x"), 3)
    assert "incident 3" in out(run("explain", "MEMORY.md"))
    service.incidents_made.clear()
    ran = run("incidents")
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert ran.stderr.startswith(b"no open incidents (those that are over: conductd incidents --all)")


# ------------------------------------------------------------------ acts


def test_restore_says_what_it_did_and_how_to_undo_it(run: Run, service: FakeService) -> None:
    text = out(run("restore", "MEMORY.md@1"))
    assert "MEMORY.md is as in version 1" in text
    assert "MEMORY.md: is written" in text
    assert "undo with: conductd undo" in text
    assert service.versions_made[-1][0].cause == "restore"


def test_restore_dry_run_writes_nothing(run: Run, service: FakeService) -> None:
    assert "MEMORY.md: would be written" in out(run("restore", "MEMORY.md@1", "--dry-run"))
    assert data(run("restore", "MEMORY.md@1", "--dry-run", "--json"))["plans"][0]["outcome"] == "planned"
    assert len(service.versions_made) == 5


def test_restore_by_incident(run: Run, service: FakeService) -> None:
    assert "brought back 48 entries" in out(run("restore", "--incident", "3", "--yes"))
    assert service.calls[-1][0] == "bring_back"


@pytest.mark.parametrize("arguments", [[], ["MEMORY.md"], ["MEMORY.md@1", "--incident", "3"], ["@1"]])
def test_restore_needs_to_know_what(run: Run, service: FakeService, arguments: list[str]) -> None:
    failed(run("restore", *arguments), 2)
    assert service.calls == []


def test_undo(run: Run, service: FakeService) -> None:
    assert "undid" in out(run("undo"))
    assert data(run("undo", "--json"))["undo_command"] == "conductd undo"
    assert data(run("undo", "3", "--json"))["undo_command"] == "conductd undo 3"
    failed(run("undo", "three"), 2)
    service.versions_made.clear()
    failed(run("undo"), 3)


def test_protect_and_observe_a_directory(run: Run, service: FakeService, workspace: Path) -> None:
    assert out(run("observe", ".")).startswith(f"observing {workspace}")
    assert "conductd protect" in out(run("observe", "."))
    assert service.mode == "observe"
    assert out(run("protect", str(workspace))).startswith(f"protecting {workspace}")
    assert data(run("protect", ".", "--json"))["mode"] == "protect"
    failed(run("protect", "nowhere"), 3)
    (workspace / "file").write_text("")
    failed(run("protect", "file"), 2)


def test_what_is_only_asked_for_ends_with_its_own_code(run: Run, service: FakeService) -> None:
    for what, asked in (("3", b"asked to accept 3\n"), ("MEMORY.md", None)):
        ran = run("accept", what)
        assert (ran.returncode, asked or ran.stdout) == (15, ran.stdout)
    assert [name for name, _ in service.calls] == ["accept", "accept"]


def test_requests_name_what_is_asked_and_by_whom(run: Run, service: FakeService) -> None:
    assert run("requests").stderr == b"nothing waits for you\n"
    asked = RequestView(7, "open", "accept", "accept it", "w1", "", "", ["9 claude"], "", 0, 10**9, [])
    service.requests_made = {7: asked}
    text = out(run("requests"))
    assert "accept it" in text
    assert "claude" in text
    assert data(run("requests", "--json"))[0]["id"] == 7
    sentence, _ = failed(run("confirm", "7"), 8)
    assert "person" in sentence
    assert out(run("refuse", "7")) == "request 7 is refused: it will not be done: accept it\n"
    failed(run("refuse", "7"), 3)


def test_verify_exits_with_its_own_code_on_damage(run: Run, service: FakeService) -> None:
    assert out(run("verify")).startswith("the journal is whole: 5 records")
    assert data(run("verify", "--json"))["ok"] is True
    service.damage = [DamageView("000001.seg", 4096, 2, "the checksum is wrong", "MEMORY.md", [2, 3])]
    ran = run("verify")
    assert ran.returncode == 10
    assert b"000001.seg at 4096, record 2: the checksum is wrong (MEMORY.md)" in ran.stdout
    assert b"cannot be restored: 2, 3" in ran.stdout
    ran = run("verify", "--json")
    assert (ran.returncode, json.loads(ran.stdout)["ok"]) == (10, False)


def test_index_rebuild(run: Run) -> None:
    assert out(run("index", "rebuild")) == "the index is rebuilt: 5 records\n"
    assert data(run("index", "rebuild", "--json")) == {"records": 5}


def test_version(run: Run) -> None:
    assert out(run("version")) == out(run("--version")) == f"{__version__}\n"
    assert data(run("version", "--json")) == {"version": __version__}


# ------------------------------------------------------------------ options and failures


def test_options_count_before_and_after_the_command_and_win_over_the_environment(
    run: Run, served: Served, tmp_path: Path
) -> None:
    socket = os.fsdecode(served.path)
    nowhere = {"CONDUCTD_SOCKET": str(tmp_path / "none"), "CONDUCTD_STATE_DIR": str(tmp_path / "none")}
    failed(run("status", **nowhere), 5)
    assert out(run("--socket", socket, "status", **nowhere))
    assert out(run("status", "--socket", socket, **nowhere))
    assert out(run("--socket", "/none", "status", "--socket", socket, **nowhere))
    assert out(run("status", "--state-dir", str(tmp_path), **nowhere))
    assert out(run("status", CONDUCTD_SOCKET=socket, CONDUCTD_STATE_DIR="/none"))
    assert data(run("--json", "status"))
    assert data(run("index", "--json", "rebuild"))


def test_the_configuration_names_the_socket(run: Run, served: Served, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'socket = "{os.fsdecode(served.path)}"\n')
    assert out(run("status", "--config", str(config), CONDUCTD_STATE_DIR="/none"))
    assert out(run("status", CONDUCTD_CONFIG=str(config), CONDUCTD_STATE_DIR="/none"))


def test_a_broken_configuration_is_told_and_passed_over(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("sokket = 1\n")
    ran = run("status", "--config", str(config))
    assert ran.returncode == 0
    assert ran.stderr.startswith(b"warning: ")


@pytest.mark.parametrize("arguments", [["statu"], ["log", "-n", "0"], ["show"], ["status", "extra"], ["--frob"]])
def test_a_command_that_is_not_understood(run: Run, arguments: list[str]) -> None:
    _, hint = failed(run(*arguments), 2)
    assert "conductd" in hint


def test_a_mistyped_command_is_guessed(run: Run) -> None:
    assert failed(run("incident"), 2)[1] == "did you mean: conductd incidents?"


def test_a_failure_with_json_is_data_too(run: Run) -> None:
    ran = run("explain", "99", "--json")
    failed(ran, 3)
    assert json.loads(ran.stdout)["error"]["code"] == "not_found"


def test_a_daemon_of_another_version_is_told_on_stderr(run: Run, service: FakeService) -> None:
    service.daemon_version = "99.0"
    ran = run("status", "--json")
    assert json.loads(ran.stdout)["versions"] == 5
    assert b"99.0" in ran.stderr


def test_an_unexpected_failure_in_the_daemon_is_a_sentence(run: Run, service: FakeService) -> None:
    service.fail = RuntimeError("inside")
    sentence, hint = failed(run("log"), 70)
    assert "daemon" in sentence
    assert "log" in hint


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help_and_takes_the_common_options(run: Run, command: str) -> None:
    text = out(run(command, "--help"))
    for option in ("--json", "--state-dir", "--socket", "--config"):
        assert option in text


def test_help_lists_every_command(run: Run) -> None:
    text = out(run("--help"))
    assert all(re.search(rf"^  {name} +\S", text, re.MULTILINE) for name in COMMANDS)
    assert text == out(run())


def test_the_page_documents_every_command_and_option() -> None:
    import click

    from conductd.cli.main import cli

    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        leaves = command.commands.values() if isinstance(command, click.Group) else [command]
        for leaf in leaves:
            full = name if leaf is command else f"{name} {leaf.name}"
            rows = [line for line in page.splitlines() if line.startswith(f"| `conductd {full}")]
            assert rows, full
            for parameter in leaf.params:
                if not isinstance(parameter, click.Option) or parameter.name in (
                    "state_dir",
                    "socket",
                    "config",
                    "json",
                ):
                    continue
                options = [*parameter.opts, *parameter.secondary_opts]
                assert any(option in " ".join(rows) for option in options), (full, options)

"""The figures of a running daemon: in form, true, and without a path."""

from __future__ import annotations

import subprocess
from pathlib import Path

from conductd.views.reasons import REASONS
from support.daemon import Daemon
from support.exposition import Metric, parse, value


def figures(daemon: Daemon) -> dict[str, Metric]:
    return parse(daemon.api.get_bytes("/v1/metrics").decode())


def test_figures_say_what_happened(daemon: Daemon, workspace: Path) -> None:
    before = figures(daemon)
    assert value(before, "conductd_health") == 1
    assert value(before, "conductd_workspaces") == 1
    assert {dict(labels)["reason"] for _, labels in before["conductd_degraded"].samples} == set(REASONS)
    assert not any(before["conductd_degraded"].samples.values())
    text = (workspace / "MEMORY.md").read_text()
    (workspace / "MEMORY.md").write_text(text + "- one more note that is worth keeping\n")
    daemon.settle()
    (workspace / "MEMORY.md").write_text("".join(text.splitlines(keepends=True)[:24]))
    daemon.settle()
    after = figures(daemon)
    status = daemon.status()
    assert value(after, "conductd_versions_total") == status["versions"] > value(before, "conductd_versions_total")
    assert value(after, "conductd_append_seconds", "_count") > value(before, "conductd_append_seconds", "_count")
    assert value(after, "conductd_incidents_open", severity="notice") == status["open_incidents"] == 1
    assert value(after, "conductd_journal_grown_bytes") == status["grown_bytes"]
    assert value(after, "conductd_workspace_files", name="ws") == 1
    falling = [
        (name, key)
        for name, metric in before.items()
        if metric.kind in ("counter", "summary")
        for key, count in metric.samples.items()
        if after[name].samples[key] < count
    ]
    assert not falling


def test_no_path_and_no_content_is_in_them(tmp_path: Path) -> None:
    root = tmp_path / 'a "strange"\nname\\'
    root.mkdir()
    (root / "MEMORY.md").write_text("- the password of the vault is xyzzy\n")
    with Daemon(tmp_path / "d", [root]) as daemon:
        page = daemon.api.get_bytes("/v1/metrics").decode()
    assert str(tmp_path) not in page
    assert "xyzzy" not in page
    assert "MEMORY" not in page
    assert value(parse(page), "conductd_workspace_files", name=root.name) == 1


def test_a_reason_is_one_while_it_stands(daemon: Daemon, workspace: Path) -> None:
    workspace.rename(workspace.with_name("away"))
    daemon.wait_until(lambda: value(figures(daemon), "conductd_degraded", reason="missing") == 1, "it is told")
    assert value(figures(daemon), "conductd_health") == 0
    assert value(figures(daemon), "conductd_workspace_up", name="ws") == 0
    workspace.with_name("away").rename(workspace)
    daemon.wait_until(lambda: value(figures(daemon), "conductd_degraded", reason="missing") == 0, "it is over")


def test_any_program_can_scrape_them_over_the_socket(daemon: Daemon) -> None:
    command = ["curl", "--silent", "--fail", "--include", "--unix-socket", str(daemon.socket_path)]
    try:
        ran = subprocess.run([*command, "http://conductd/v1/metrics"], capture_output=True, timeout=60, check=True)
    except FileNotFoundError:
        return  # the test above asked by another client
    head, _, body = ran.stdout.partition(b"\r\n\r\n")
    assert b"content-type: text/plain; version=0.0.4; charset=utf-8" in head.lower()
    assert parse(body.decode())


def test_the_check_of_a_real_daemon_follows_its_state(daemon: Daemon, workspace: Path) -> None:
    def checked(*options: str) -> int:
        return daemon.cli("status", "--check", *options, directory=workspace.parent).exit_code

    assert checked() == 0
    workspace.rename(workspace.with_name("away"))
    daemon.wait_until(lambda: checked() == 24, "it is degraded")
    assert checked("--nagios") == 2
    workspace.with_name("away").rename(workspace)
    daemon.wait_until(lambda: checked() == 0, "it is well again")
    daemon.stop()
    assert checked() == 5


def test_channels_are_in_the_figures(tmp_path: Path, workspace: Path) -> None:
    config = '[[channels]]\nname = "hook"\nurl = "webhook+http://127.0.0.1:1/"\n'
    with Daemon(tmp_path / "d", [workspace], config=config) as daemon:
        (workspace / "MEMORY.md").write_text("- a stub\n")
        daemon.settle()

        def figure(name: str) -> float:
            return value(figures(daemon), f"conductd_channel_{name}", channel="hook")

        daemon.wait_until(lambda: figure("failing") == 1, "an attempt has failed")
        assert (figure("waiting"), figure("sent_total"), figure("dead")) == (1, 0, 0)

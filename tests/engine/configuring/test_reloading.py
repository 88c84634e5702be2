"""A configuration that is read again while the daemon runs: a real process, a real SIGHUP."""

from __future__ import annotations

import signal
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.daemon import Daemon, NotStarted

TEXT = "# Memory\n\n" + "".join(f"- note {number}: something worth keeping\n" for number in range(40))
BROKEN = '[[workspaces]]\nroot = "relative"\n[waits]\nquiet_mss = 1\n'


def workspace(place: Path, name: str) -> Path:
    made = place / name
    made.mkdir()
    (made / "MEMORY.md").write_text(TEXT)
    return made


def named(*roots: Path, more: str = "") -> str:
    return more + "".join(f'[[workspaces]]\nroot = "{root}"\n' for root in roots)


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """One whose workspaces come from its configuration."""
    one = workspace(tmp_path, "one")
    made = Daemon(tmp_path, [], config=named(one))
    with made:
        made.workspaces.append(one)
        yield made
        made.assert_no_traceback()


def reload(daemon: Daemon, config: str) -> None:
    """Returns once it is in force, or is told to be broken."""
    size = len(daemon.log())
    daemon.config_path.write_text(config)
    assert daemon.process is not None
    daemon.process.send_signal(signal.SIGHUP)
    ends = ("configuration reloaded", "the configuration has a fault")
    daemon.wait_until(lambda: any(each in daemon.log()[size:] for each in ends), "the configuration is read")
    daemon.sync()


def roots(daemon: Daemon) -> set[str]:
    return {Path(each["root"]).name for each in daemon.status()["workspaces"]}


def reasons(daemon: Daemon) -> dict[str, str]:
    return {each["reason"]: each["message"] for each in daemon.status()["degraded"]}


def test_a_workspace_that_is_added_is_protected_at_once(daemon: Daemon, tmp_path: Path) -> None:
    two = workspace(tmp_path, "two")
    reload(daemon, named(tmp_path / "one", two))
    assert roots(daemon) == {"one", "two"}
    assert daemon.status()["files"] == 2
    (two / "MEMORY.md").write_text("# gone\n")
    daemon.settle()
    assert (two / "MEMORY.md").read_text() == TEXT


def test_one_that_is_taken_out_is_let_go_of(daemon: Daemon, tmp_path: Path) -> None:
    two = workspace(tmp_path, "two")
    reload(daemon, named(two))
    assert roots(daemon) == {"two"}
    (tmp_path / "one" / "MEMORY.md").write_text("# gone\n")
    daemon.settle()
    assert (tmp_path / "one" / "MEMORY.md").read_text() == "# gone\n"
    assert reasons(daemon) == {}


def test_a_mode_that_protects_less_holds_and_is_told(daemon: Daemon, tmp_path: Path) -> None:
    reload(daemon, named(tmp_path / "one") + 'mode = "observe"\n')
    assert [each["mode"] for each in daemon.status()["workspaces"]] == ["observe"]
    (tmp_path / "one" / "MEMORY.md").write_text("# gone\n")
    daemon.settle()
    assert (tmp_path / "one" / "MEMORY.md").read_text() == "# gone\n"
    assert [each for each in daemon.events() if "protects less" in str(each)]


def test_what_files_are_for_and_further_files_change(daemon: Daemon, tmp_path: Path) -> None:
    other = tmp_path / "one" / "notes.txt"
    other.write_text(TEXT)
    assert daemon.sync()
    assert daemon.status()["files"] == 1
    reload(daemon, named(tmp_path / "one") + 'extra = ["*.txt"]\nroles = { "MEMORY.md" = "replaceable" }\n')
    assert daemon.status()["files"] == 2
    assert {each["path"]: each["role"] for each in daemon.api.get("/v1/files")}["MEMORY.md"] == "replaceable"


def test_the_judges_figures_change(daemon: Daemon, tmp_path: Path) -> None:
    reload(daemon, '[actions]\noverwrite = "propose"\n' + named(tmp_path / "one"))
    (tmp_path / "one" / "MEMORY.md").write_text("# gone\n")
    daemon.settle()
    assert (tmp_path / "one" / "MEMORY.md").read_text() == "# gone\n"
    assert daemon.events(event_class="overwrite")


def test_a_broken_one_changes_nothing_and_is_told(daemon: Daemon, tmp_path: Path) -> None:
    reload(daemon, BROKEN)
    daemon.wait_until(lambda: "config" in reasons(daemon), "it is told")
    assert "quiet_mss" in reasons(daemon)["config"]
    assert "last good one is in force" in reasons(daemon)["config"]
    assert roots(daemon) == {"one"}
    (tmp_path / "one" / "MEMORY.md").write_text("# gone\n")
    daemon.settle()
    assert (tmp_path / "one" / "MEMORY.md").read_text() == TEXT
    reload(daemon, named(tmp_path / "one"))
    assert reasons(daemon) == {}


def test_what_cannot_be_run_with_changes_nothing(daemon: Daemon, tmp_path: Path) -> None:
    reload(daemon, named(tmp_path / "nowhere"))
    assert "nowhere" in reasons(daemon)["config"]
    assert roots(daemon) == {"one"}


def test_a_start_with_a_broken_one_goes_on_with_the_last_good_one(daemon: Daemon, tmp_path: Path) -> None:
    kept = daemon.state_dir / "last-good-config.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    daemon.stop()
    daemon.config_path.write_text(BROKEN)
    daemon.start()
    assert roots(daemon) == {"one"}
    assert "quiet_mss" in reasons(daemon)["config"]
    assert daemon.status()["health"] == "degraded"
    (tmp_path / "one" / "MEMORY.md").write_text("# gone\n")
    daemon.settle()
    assert (tmp_path / "one" / "MEMORY.md").read_text() == TEXT
    daemon.restart()
    assert "config" in reasons(daemon), "the last good one stays the last good one"
    reload(daemon, named(tmp_path / "one"))
    assert reasons(daemon) == {}


def test_a_file_that_went_is_a_fault_too(daemon: Daemon) -> None:
    daemon.stop()
    daemon.config_path.unlink()
    daemon.start()
    assert "there is no configuration file" in reasons(daemon)["config"]
    assert roots(daemon) == {"one"}


EVERYTHING = (
    '[[channels]]\nname = "mine"\nurl = "desktop"\n[heartbeat]\nurl = "http://127.0.0.1:9/beat"\nevery_minutes = 1440\n'
)
NOTHING = {
    "gone": (None, "any more"),
    "empty": ("", "has nothing in it any more"),
    "blank": ("\ufeff\n \n", "has nothing in it any more"),
    "comments": ("# to be written\n", "has nothing but comments in it any more"),
}


def emptied(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
    else:
        path.write_text(text)


@pytest.mark.parametrize("how", ["default place", "named"])
@pytest.mark.parametrize("what", NOTHING)
def test_a_file_that_says_nothing_any_more_takes_nothing_away(tmp_path: Path, what: str, how: str) -> None:
    """Read again by a signal, for somebody who waits, and at a start: a save in progress looks like that."""
    one = workspace(tmp_path, "one")
    daemon = Daemon(tmp_path, [], config=named(one) + EVERYTHING)
    if how == "default place":
        path = daemon.home / ".config" / "conductd" / "config.toml"
        path.parent.mkdir(parents=True)
        daemon.config_path.rename(path)
        daemon.config_path = path
        del daemon.environment["CONDUCTD_CONFIG"]
    good = daemon.config_path.read_text()
    text, said = NOTHING[what]
    with daemon:
        daemon.workspaces.append(one)

        def is_whole() -> None:
            status = daemon.status()
            assert [Path(each["root"]).name for each in status["workspaces"]] == ["one"]
            assert [each["name"] for each in status["channels"]] == ["mine"]
            assert status["heartbeat"]["every_minutes"] == 1440
            assert said in reasons(daemon)["config"]
            assert 'mode = "protect"' in next(e["hint"] for e in status["degraded"] if e["reason"] == "config")
            assert daemon.cli("status", "--check").exit_code == 24  # a warning

        emptied(daemon.config_path, text)
        assert daemon.process is not None
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_until(lambda: "config" in reasons(daemon), "it is told")
        is_whole()
        done = daemon.cli("reload")
        assert done.exit_code == 78
        assert said in done.output
        is_whole()
        daemon.workspaces.clear()
        for _ in range(2):  # the second start finds the last good one as well
            daemon.restart()
            daemon.workspaces[:] = [one]
            is_whole()
            daemon.workspaces.clear()
        daemon.workspaces.append(one)
        assert not daemon.api.post("/v1/reload")["applied"]
        is_whole()
        daemon.config_path.write_text(good)
        assert daemon.api.post("/v1/reload")["applied"]
        assert "config" not in reasons(daemon)


def test_who_means_the_defaults_leaves_a_line_in_the_file(daemon: Daemon, tmp_path: Path) -> None:
    daemon.config_path.write_text("")
    assert not daemon.api.post("/v1/reload")["applied"]
    assert daemon.cli("protect", str(workspace(tmp_path, "two"))).exit_code == 0
    daemon.config_path.write_text('mode = "protect"\n')
    assert daemon.api.post("/v1/reload")["applied"]
    assert roots(daemon) == {"two"}
    assert reasons(daemon) == {}


def test_a_file_that_never_said_anything_may_go(tmp_path: Path) -> None:
    one = workspace(tmp_path, "one")
    with Daemon(tmp_path, [one], config="# nothing yet\n") as daemon:
        daemon.config_path.write_text("")
        assert daemon.api.post("/v1/reload")["applied"]
        daemon.restart()
        assert reasons(daemon) == {}


def test_a_fault_is_said_once(daemon: Daemon) -> None:
    reload(daemon, 'mode = "protect"\n')
    assert reasons(daemon)["config"].count("no workspace") == 1


def test_a_first_start_with_a_broken_one_ends(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, [], config=BROKEN)
    with daemon.ended_at_exit(), pytest.raises(NotStarted) as ended:
        daemon.start()
    assert ended.value.exit_code == 78
    assert "quiet_mss" in ended.value.output


def test_the_last_good_one_of_another_file_stands_in_for_none(daemon: Daemon, tmp_path: Path) -> None:
    daemon.stop()
    other = tmp_path / "other.toml"
    other.write_text(BROKEN)
    daemon.environment["CONDUCTD_CONFIG"] = str(other)
    with pytest.raises(NotStarted) as ended:
        daemon.start()
    assert ended.value.exit_code == 78


def test_what_only_a_start_takes_is_said(daemon: Daemon, tmp_path: Path) -> None:
    daemon.stop()
    del daemon.environment["CONDUCTD_STATE_DIR"], daemon.environment["CONDUCTD_SOCKET"]
    here = f'state_dir = "{daemon.state_dir}"\n'
    daemon.config_path.write_text(named(tmp_path / "one", more=here))
    daemon.start()
    reload(daemon, named(tmp_path / "one", more=f'state_dir = "{tmp_path}/elsewhere"\nsocket = "{tmp_path}/s"\n'))
    assert "state_dir, socket" in reasons(daemon)["config_restart"]
    assert not (tmp_path / "elsewhere").exists()
    reload(daemon, named(tmp_path / "one", more=here))
    assert reasons(daemon) == {}


def test_channels_and_the_log_change(daemon: Daemon, tmp_path: Path) -> None:
    channel = '[[channels]]\nname = "mine"\nurl = "desktop"\n'
    reload(daemon, named(tmp_path / "one") + channel)
    assert [each["name"] for each in daemon.status()["channels"]] == ["mine"]
    reload(daemon, named(tmp_path / "one") + '[log]\nlevel = "error"\n')
    left = daemon.status()["channels"]
    assert all("configured no more" in each["error"] for each in left), "only what waits for it is shown"
    size = len(daemon.log())
    (tmp_path / "one" / "MEMORY.md").write_text("# gone\n")
    daemon.settle()
    assert (tmp_path / "one" / "MEMORY.md").read_text() == TEXT
    assert '"level": "info"' not in daemon.log()[size:]


def test_who_asks_on_the_socket_is_told_what_came_of_it(daemon: Daemon, tmp_path: Path) -> None:
    daemon.config_path.write_text(named(tmp_path / "one") + "[waits]\nquiet_ms = 300\n")
    told = daemon.api.post("/v1/reload")
    assert (told["applied"], told["changed"], told["at_restart"]) == (True, ["waits.quiet_ms"], [])
    daemon.config_path.write_text(BROKEN)
    told = daemon.api.post("/v1/reload")
    assert not told["applied"]
    assert any("quiet_mss" in fault for fault in told["faults"])
    assert "config" in reasons(daemon)
    done = daemon.cli("reload")
    assert done.exit_code == 78
    assert "quiet_mss" in done.output
    daemon.config_path.write_text(named(tmp_path / "one"))
    done = daemon.cli("reload")
    assert (done.exit_code, done.output.strip()) == (0, "in force now: waits.quiet_ms")


def test_many_who_ask_at_once_are_all_told(daemon: Daemon) -> None:
    with ThreadPoolExecutor(12) as pool:
        told = list(pool.map(lambda _: daemon.api.post("/v1/reload")["applied"], range(24)))
    assert told == [True] * 24

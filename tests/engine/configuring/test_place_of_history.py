"""Where the history is stands only in a configuration that goes, or no longer says it: no second one is begun."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.config.last_place import NAME, forget, last_place, remember
from support.daemon import Daemon, NotStarted

TEXT = "# Memory\n\n" + "".join(f"- note {number}: something worth keeping\n" for number in range(40))


@pytest.fixture(params=["default place", "named"])
def daemon(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Daemon]:
    """One that knows from its configuration alone where the history is. Was started, and stopped."""
    one = tmp_path / "one"
    one.mkdir()
    (one / "MEMORY.md").write_text(TEXT)
    daemon = Daemon(tmp_path, [], config=f'state_dir = "{tmp_path}/state"\n[[workspaces]]\nroot = "{one}"\n')
    del daemon.environment["CONDUCTD_STATE_DIR"], daemon.environment["CONDUCTD_SOCKET"]
    if request.param == "default place":
        path = daemon.home / ".config" / "conductd" / "config.toml"
        path.parent.mkdir(parents=True)
        daemon.config_path.rename(path)
        daemon.config_path = path
        del daemon.environment["CONDUCTD_CONFIG"]
    with daemon.ended_at_exit():
        daemon.start()
        daemon.sync()
        daemon.stop()
        yield daemon
        daemon.assert_no_traceback()


def default(daemon: Daemon) -> Path:
    return Path(daemon.home, ".local", "state", "conductd")


def goes_on(daemon: Daemon, tmp_path: Path) -> None:
    """The one history there is, and the commands find it."""
    assert [each["root"] for each in daemon.status()["workspaces"]] == [str(tmp_path / "one")]
    assert len(daemon.versions(tmp_path / "one" / "MEMORY.md")) == 1
    assert not (default(daemon) / "journal").exists()
    assert daemon.cli("status", directory=tmp_path).exit_code in (0, 24)


def test_the_file_goes(daemon: Daemon, tmp_path: Path) -> None:
    daemon.config_path.unlink()
    daemon.start()
    assert "there is no configuration file" in str(daemon.status()["degraded"])
    goes_on(daemon, tmp_path)


def test_the_file_says_it_no_more(daemon: Daemon, tmp_path: Path) -> None:
    """Whatever else it says, and though the last good one is lost as well."""
    daemon.config_path.write_text(f'[[workspaces]]\nroot = "{tmp_path}/one"\n')
    (daemon.state_dir / "last-good-config.json").unlink()
    daemon.start()
    assert daemon.status()["degraded"] == []
    goes_on(daemon, tmp_path)


def test_a_history_that_is_not_there_is_not_begun_anew(daemon: Daemon, tmp_path: Path) -> None:
    daemon.config_path.write_text(f'[[workspaces]]\nroot = "{tmp_path}/one"\n')
    away = daemon.state_dir.rename(tmp_path / "away")
    with pytest.raises(NotStarted) as ended:
        daemon.start()
    assert ended.value.exit_code == 78
    assert f"the history was in {daemon.state_dir}, which is not there" in ended.value.output
    assert not daemon.state_dir.exists()
    assert not (default(daemon) / "journal").exists()
    away.rename(daemon.state_dir)
    daemon.start()
    goes_on(daemon, tmp_path)


def test_who_names_another_place_has_it(daemon: Daemon, tmp_path: Path) -> None:
    """The default one, with the history moved there; it is remembered no more then."""
    shutil.move(daemon.state_dir, default(daemon))
    said = f'[[workspaces]]\nroot = "{tmp_path}/one"\n'
    daemon.config_path.write_text(f'state_dir = "{default(daemon)}"\n{said}')
    daemon.api.socket_path = daemon.socket_path = default(daemon) / "conductd.sock"
    for text in (None, said):
        if text is not None:
            daemon.config_path.write_text(text)
        daemon.start()
        assert daemon.status()["state_dir"] == str(default(daemon))
        assert len(daemon.versions(tmp_path / "one" / "MEMORY.md")) == 1
        daemon.stop()
    assert not daemon.state_dir.exists()


def test_what_is_purged_is_remembered_no_more(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "states")}
    remember("/etc/a.toml", "/one", env)
    remember("/etc/b.toml", "/two", env)
    assert (last_place("/etc/a.toml", env), last_place("/etc/c.toml", env)) == ("/one", "")
    forget("/one", env)
    assert (last_place("/etc/a.toml", env), last_place("/etc/b.toml", env)) == ("", "/two")
    forget("/two", env)
    assert not (tmp_path / "states" / "conductd").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"/etc/a.toml": 7}', "[" * 100_000])
def test_what_is_no_memory_of_it_is_passed_over(tmp_path: Path, text: str) -> None:
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    (tmp_path / "conductd").mkdir()
    (tmp_path / "conductd" / NAME).write_text(text)
    assert last_place("/etc/a.toml", env) == ""
    remember("/etc/a.toml", "/one", env)
    assert last_place("/etc/a.toml", env) == "/one"


def test_another_place_in_the_file_begins_none_while_the_daemon_runs(daemon: Daemon, tmp_path: Path) -> None:
    """The commands say where it is, and hint at no start."""
    daemon.start()
    text = daemon.config_path.read_text().replace(f"{tmp_path}/state", f"{tmp_path}/elsewhere")
    daemon.config_path.write_text(text)
    for command in ("status", "log", "reload"):
        ran = daemon.cli(command, directory=tmp_path)
        assert ran.exit_code == 5, ran.output
        assert f"a daemon runs on {tmp_path}/state as process" in ran.output
        assert f"conductd status --state-dir {tmp_path}/state" in ran.output
        assert "start it with" not in ran.output
    assert daemon.cli("status", "--state-dir", str(daemon.state_dir), directory=tmp_path).exit_code in (0, 24)
    daemon.stop()
    assert "start it with" in daemon.cli("status", directory=tmp_path).output

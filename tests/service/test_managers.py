"""What is written and run for systemd and launchd, as values."""

from __future__ import annotations

import os
import plistlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd import shipped
from conductd.cli.options import Options
from conductd.errors import ServiceManagerError
from conductd.service.control import Control, control
from conductd.service.launchd import Launchd
from conductd.service.managed import CARRIED, OWN_PLACES, Start, carried
from conductd.service.program import is_there, program
from conductd.service.systemd import Systemd

UNIT = shipped.text("systemd/conductd.service")
AGENT = shipped.text("launchd/dev.conductd.daemon.plist")
ENV = {"HOME": "/home/u"}
RELOAD = ("/usr/bin/conductd", "reload")
# Whatever bytes an argument can hold, as Python has them.
WORDS = st.lists(st.binary().map(lambda held: os.fsdecode(held.replace(b"\0", b""))) | st.text("$%h{}\\x41;'\"\n\r a"))
CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="\"'\\")


@given(st.text(CHARACTERS), WORDS)
def test_what_a_unit_starts_can_be_read_in_it(program: str, words: list[str]) -> None:
    """That systemd reads the same is tried with systemd: tests/systemd/test_unit_words.py."""
    manager, command = Systemd(ENV, UNIT, "u"), (f"/{program}", *words)
    text = manager.text(Start(command, RELOAD))
    assert manager.started_by(text) == command
    assert not re.search("[\\x00-\\x09\\x0b-\\x1f\\x7f\\ud800-\\udfff]", text), "it is text"


def test_what_a_unit_starts_that_was_copied_by_hand_can_be_read_in_it() -> None:
    assert Systemd(ENV, UNIT, "u").started_by(UNIT) == ("/home/u/.local/bin/conductd", "run", "--no-demo")


@pytest.mark.parametrize(
    "path", ['/a"b/conductd', "/a'b/conductd", "/a\\b/conductd", "/a\nb/conductd", "/a\x1bb/conductd"]
)
def test_a_program_that_systemd_does_not_start_is_refused(path: str) -> None:
    with pytest.raises(ServiceManagerError, match="systemd starts no program whose path has quotes"):
        Systemd(ENV, UNIT, "u").text(Start((path, "run"), RELOAD))


@pytest.mark.parametrize("value", ["/a\x07", "/a\rb", "/a\x7f", "/\udcff", "/\ufffe"])
def test_a_variable_that_systemd_does_not_pass_on_is_refused(value: str) -> None:
    with pytest.raises(ServiceManagerError, match="CODEX_HOME holds control characters, or bytes that are no UTF-8"):
        Systemd(ENV, UNIT, "u").text(Start(("/usr/bin/conductd", "run"), RELOAD, (("CODEX_HOME", value),)))


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="\ufffe\uffff"), min_size=1),
        min_size=1,
    )
)
def test_a_launch_agent_starts_exactly_what_was_meant(words: list[str]) -> None:
    manager = Launchd(ENV, AGENT, 501)
    agent = plistlib.loads(manager.text(Start(tuple(words), RELOAD, (("CODEX_HOME", "/x"),))).encode())
    assert agent["ProgramArguments"] == words
    assert agent["EnvironmentVariables"]["CODEX_HOME"] == "/x"
    assert agent["StandardErrorPath"] == "/home/u/Library/Logs/conductd.log"
    assert manager.started_by(manager.text(Start(tuple(words), RELOAD))) == tuple(words)


def test_what_is_special_to_systemd_stands_for_itself() -> None:
    start = Start(("/a b/conductd", "100%", "$HOME"), ("/a b/conductd", "reload", "$x"), (("XDG_STATE_HOME", "/s %h"),))
    text = Systemd(ENV, UNIT, "u").text(start)
    assert 'ExecStart="/a b/conductd" 100%% $$HOME' in text
    assert 'ExecReload="/a b/conductd" reload $$x' in text
    assert 'Environment="XDG_STATE_HOME=/s %%h"' in text
    priced = Systemd(ENV, UNIT, "u").text(Start(("/a$b/conductd", "$HOME"), RELOAD))
    assert "ExecStart=:/a$b/conductd $HOME" in priced, "in a program's path nothing is doubled"


def test_only_what_says_where_things_lie_goes_along() -> None:
    env = dict.fromkeys(CARRIED, "/x") | {"OPENCLAW_GATEWAY_TOKEN": "secret", "PATH": "/bin", "CODEX_HOME": ""}
    assert {name for name, _ in carried(env)} == set(CARRIED) - {"CODEX_HOME"}
    assert not [name for name in CARRIED if any(word in name for word in ("TOKEN", "KEY", "PASSWORD", "SECRET"))]


def test_the_daemons_own_places_go_along_and_are_the_same_in_another_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every variable by which a command of conductd finds its things: without one, the service would look elsewhere."""
    monkeypatch.chdir(tmp_path)
    env = {"HOME": "/home/u", "CONDUCTD_STATE_DIR": "state", "CONDUCTD_SOCKET": "~/s", "CONDUCTD_CONFIG": "/c.toml"}
    there = {"CONDUCTD_STATE_DIR": f"{tmp_path}/state", "CONDUCTD_SOCKET": "/home/u/s", "CONDUCTD_CONFIG": "/c.toml"}
    assert dict(carried(env)) == there
    given = Options(state_dir="a", socket="b", config="c").environ()
    assert set(OWN_PLACES) == {name for name, value in given.items() if value != os.environ.get(name)}
    page = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
    assert not [name for name in CARRIED if f"`{name}`" not in page]


@pytest.mark.parametrize(
    ("shown", "state", "code"),
    [
        ("ActiveState=active\nSubState=running\nMainPID=7\nUnitFileState=enabled", "running", 0),
        ("ActiveState=activating\nSubState=start\nMainPID=7", "starting", 0),
        ("ActiveState=activating\nSubState=auto-restart\nResult=watchdog\nExecMainStatus=6", "failed", 6),
        ("ActiveState=failed\nResult=exit-code\nExecMainStatus=78", "failed", 78),
        ("ActiveState=inactive\nMainPID=0", "stopped", 0),
        ("", "stopped", 0),
    ],
)
def test_how_systemd_says_it_stands(shown: str, state: str, code: int) -> None:
    standing = Systemd(ENV, UNIT, "u").standing((shown, "Linger=no"))
    assert (standing.state, standing.code, standing.lingers) == (state, code, False)


@pytest.mark.parametrize(
    ("told", "state"),
    [
        ("", "stopped"),
        ("dev.conductd.daemon = {\n\tstate = running\n\tpid = 42\n}", "running"),
        ("dev.conductd.daemon = {\n\tstate = not running\n\tlast exit code = 78: EX_CONFIG\n}", "failed"),
        ("dev.conductd.daemon = {\n\tstate = not running\n\tlast exit code = (never exited)\n}", "stopped"),
    ],
)
def test_how_launchd_says_it_stands(told: str, state: str) -> None:
    assert Launchd(ENV, AGENT, 501).standing((told,)).state == state


def test_a_link_that_survives_an_upgrade_is_taken(tmp_path: Path) -> None:
    inside = tmp_path / "venvs" / "bin"
    inside.mkdir(parents=True)
    for name in ("python", "conductd"):
        (inside / name).write_text("#!/bin/sh\n")
        (inside / name).chmod(0o755)
    link = tmp_path / "bin" / "conductd"
    link.parent.mkdir()
    link.symlink_to(inside / "conductd")
    assert program({"PATH": str(link.parent)}, str(inside / "python")) == (str(link),)
    assert program({"PATH": "/usr/bin"}, str(inside / "python")) == (str(inside / "conductd"),)
    (inside / "conductd").unlink()
    assert program({"PATH": str(link.parent)}, str(inside / "python")) == (str(inside / "python"), "-m", "conductd")


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("#!/bin/sh\necho\n", True),
        ("#!/nowhere/bin/python\n", False),
        ('#!/bin/sh\n\'\'\'exec\' "/nowhere/a b/python" "$0" "$@"\n', False),
        ("#!/bin/sh\n'''exec' /bin/sh \"$0\" \"$@\"\n", True),
        ("\x7fELF", True),
    ],
)
def test_a_script_without_its_python_is_not_there(tmp_path: Path, text: str, there: bool) -> None:
    script = tmp_path / "conductd"
    script.write_text(text)
    script.chmod(0o755)
    assert is_there((str(script), "run")) is there
    assert not is_there((str(tmp_path / "gone"),))
    assert not is_there(())


def test_without_a_service_manager_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(ServiceManagerError, match="no systemd"):
        control({"HOME": "/home/u", "PATH": str(tmp_path)}, "linux")
    assert control({"HOME": "/home/u", "PATH": ""}, "darwin").manager.name == "launchd"


def test_what_a_person_wrote_is_not_ours() -> None:
    start = Start(("/usr/bin/conductd", "run"), RELOAD)
    for manager, template in ((Systemd(ENV, UNIT, "u"), UNIT), (Launchd(ENV, AGENT, 501), AGENT)):
        assert manager.is_ours(manager.text(start))
        assert not manager.is_ours(template), "copied by hand"
        assert not manager.is_ours("[Service]\nExecStart=/usr/bin/conductd run\n")


def test_a_home_that_cannot_be_written_is_said_and_nothing_is_started(tmp_path: Path) -> None:
    """As one on a read-only disk."""
    (tmp_path / "bin").mkdir()
    launchctl = tmp_path / "bin" / "launchctl"
    away = '[ "$1" != bootout ] || : > away; [ "$1" != print ] || [ ! -e away ]'
    launchctl.write_text(f'#!/bin/sh\ncd {tmp_path}; echo "$1" >> ran; {away}\n')
    launchctl.chmod(0o755)
    (tmp_path / "Library").write_text("a file in its place\n")
    env = {"HOME": str(tmp_path), "PATH": f"{tmp_path}/bin"}
    made = control(env, "darwin")
    shape = made.plan(Start(("/usr/bin/conductd", "run"), RELOAD))
    with pytest.raises(ServiceManagerError, match="cannot be written: Not a directory: nothing was installed"):
        made.install(shape)
    assert (tmp_path / "ran").read_text().split() == ["print"], "only asked"
    (tmp_path / "Library").unlink()
    made.install(shape)
    file = Path(made.manager.file)
    assert (file.read_text(), file.stat().st_mode & 0o777) == (shape.text, 0o644)
    assert (tmp_path / "ran").read_text().split() == ["print", "print", "bootout", "print", "bootstrap"]


# A launchd that knows an agent for some looks after it was told to end it, and loads none that it knows.
LAUNCHCTL = """#!/bin/sh
cd "$(dirname "$0")"; echo "$1" >> ran
case "$1" in
  bootout) echo "Boot-out failed: 36: Operation now in progress" >&2; echo 3 > ending; exit 36;;
  print) test -e loaded || exit 113
         left=$(cat ending) || exit 0
         echo $((left - 1)) > ending; test $left -gt 1 || rm ending loaded;;
  bootstrap) if test -e loaded; then echo "Bootstrap failed: 5: Input/output error" >&2; exit 5; fi; touch loaded;;
esac
"""


@pytest.fixture
def launchd(tmp_path: Path) -> Path:
    """The directory of a launchctl as above."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "launchctl").write_text(LAUNCHCTL)
    (tools / "launchctl").chmod(0o755)
    return tools


def test_an_agent_is_loaded_anew_when_the_one_before_is_gone(tmp_path: Path, launchd: Path) -> None:
    made = control({"HOME": str(tmp_path), "PATH": f"{launchd}:/usr/bin:/bin"}, "darwin")
    shape = made.plan(Start(("/usr/bin/conductd", "run"), RELOAD))
    (launchd / "loaded").touch()
    made.install(shape)
    asked = (launchd / "ran").read_text().split()
    assert asked == ["print", "bootout", *["print"] * 4, "bootstrap"]
    (launchd / "ran").unlink()
    assert made.uninstall()
    assert not (launchd / "loaded").exists()
    assert not Path(made.manager.file).exists()
    assert [each for each in (launchd / "ran").read_text().split() if each != "print"] == ["bootout"]


def test_an_agent_that_does_not_end_is_told_of_and_no_other_is_loaded(tmp_path: Path, launchd: Path) -> None:
    env = {"HOME": str(tmp_path), "PATH": f"{launchd}:/usr/bin:/bin"}
    made = Control(Launchd(env, AGENT, 501), env, patience_s=0)
    (launchd / "launchctl").write_text(LAUNCHCTL.replace("echo 3", "echo 1000000"))
    (launchd / "loaded").touch()
    with pytest.raises(ServiceManagerError, match="the service does not end"):
        made.install(made.plan(Start(("/usr/bin/conductd", "run"), RELOAD)))
    assert "bootstrap" not in (launchd / "ran").read_text()


@pytest.mark.parametrize("value", ["/a\x07", "/a\rb", "/\udcff", "/\ufffe", "/a\0"])
def test_what_no_property_list_can_hold_is_refused(value: str) -> None:
    refused = "holds control characters, or bytes that are no UTF-8"
    with pytest.raises(ServiceManagerError, match=f"the service's command {refused}"):
        Launchd(ENV, AGENT, 501).text(Start(("/usr/bin/conductd", "run", "--config", value), RELOAD))
    with pytest.raises(ServiceManagerError, match=f"CODEX_HOME {refused}"):
        Launchd(ENV, AGENT, 501).text(Start(("/usr/bin/conductd", "run"), RELOAD, (("CODEX_HOME", value),)))
    with pytest.raises(ServiceManagerError, match=f"HOME {refused}"):
        Launchd({"HOME": value}, AGENT, 501).text(Start(("/usr/bin/conductd", "run"), RELOAD))


@pytest.mark.skipif(sys.platform == "darwin", reason="there the manager is launchd")
def test_the_log_of_no_service_is_not_shown_as_an_empty_one(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("systemctl", "journalctl"):
        (tools / name).write_text("#!/bin/sh\necho '-- No entries --'\n")
        (tools / name).chmod(0o755)
    env = {"HOME": str(tmp_path), "PATH": str(tools), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "conductd", "service", "logs"]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "no service is installed" in ran.stderr
    assert "conductd service install" in ran.stderr
    unit = Systemd(env, UNIT, "u").file
    Path(unit).parent.mkdir(parents=True)
    Path(unit).write_text("[Service]\n")
    ran = subprocess.run(
        command, env={**env, "PATH": f"{tools}:/bin:/usr/bin"}, capture_output=True, text=True, timeout=60
    )
    assert (ran.returncode, ran.stdout) == (0, "-- No entries --\n")


@pytest.mark.skipif(sys.platform == "darwin", reason="there the manager is launchd")
@pytest.mark.parametrize(
    ("loginctl", "is_said"),
    [("echo Linger=no", True), ("echo Linger=yes", False), ("exit 1", False), (None, False)],
    ids=["no", "yes", "not known", "no logind"],
)
def test_who_does_not_linger_is_told_how_the_service_ends(tmp_path: Path, loginctl: str | None, is_said: bool) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    running = "ActiveState=active\\nSubState=running\\nMainPID=7\\nUnitFileState=enabled"
    for name, does in (("systemctl", f"printf '{running}\\n'"), ("loginctl", loginctl)):
        if does is not None:
            (tools / name).write_text(f"#!/bin/sh\n{does}\n")
            (tools / name).chmod(0o755)
    env = {"HOME": str(tmp_path), "PATH": str(tools), "PYTHONPATH": os.pathsep.join(sys.path)}
    conductd = [sys.executable, "-m", "conductd", "service"]
    subprocess.run([*conductd, "install", "--no-start"], env=env, check=True, capture_output=True, timeout=60)
    ran = subprocess.run([*conductd, "status"], env=env, capture_output=True, text=True, timeout=60)
    sentence = "it ends when you log out; to let it go on: conductd service install --linger"
    assert (sentence in ran.stdout.splitlines()) is is_said, ran.stdout + ran.stderr
    assert ran.returncode == 0

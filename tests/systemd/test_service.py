"""`conductd service` and the unit under a real systemd."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from systemd.lab import Lab, NoBoot, why_not

pytestmark = [
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "-"),
    pytest.mark.timeout(300),
]

ROOT = Path(__file__).parents[2]
TEXT = "# Memory\n\n" + "".join(f"- note {number}: something worth keeping\n" for number in range(40))


class Service:
    """The service of one test: its lab, its workspace, its state directory."""

    def __init__(self, lab: Lab, place: Path) -> None:
        self.lab, self.state = lab, place / "state"
        self.workspace = place / "ws"
        self.workspace.mkdir()
        self.memory = self.workspace / "MEMORY.md"
        self.memory.write_text(TEXT)
        self.config = place / "config.toml"
        self.config.write_text(f'[[workspaces]]\nroot = "{self.workspace}"\n')

    def conductd(self, *arguments: str, check: bool = True, **given: Any) -> str:
        places = ("--state-dir", str(self.state), "--config", str(self.config))
        ran = self.lab.run(sys.executable, "-m", "conductd", *arguments, *places, check=check, **given)
        return ran.stdout if check else f"{ran.returncode}\n{ran.stdout}{ran.stderr}"

    def status(self) -> dict[str, Any]:
        said = self.conductd("service", "status", "--json", check=False)
        return dict(json.loads(said.partition("\n")[2]))

    def pid(self) -> int:
        return int(self.status()["pid"])

    def drop_in(self, text: str) -> None:
        folder = self.lab.home / ".config/systemd/user/conductd.service.d"
        self.lab.run("mkdir", "-p", str(folder))
        self.lab.run("bash", "-c", 'printf "%s" "$1" > "$2"', "-", text, str(folder / "test.conf"))
        self.lab.run("systemctl", "--user", "daemon-reload")


def until(true: Callable[[], object], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"it never came: {what}"


def is_judged(service: Service) -> bool:
    told = json.loads(service.conductd("status", "--json"))
    return bool(told["files"] == 2 and told["pending"] == 0)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    try:
        with Lab(tmp_path) as lab:
            yield Service(lab, tmp_path)
    except NoBoot as error:
        pytest.skip(f"no systemd comes up here: {error}")


def test_it_is_installed_started_asked_and_removed(service: Service) -> None:
    assert "3\nno service is installed" in service.conductd("service", "status", check=False)
    shown = service.conductd("service", "install", "--dry-run")
    assert "ExecStart=" in shown
    assert service.status()["installed"] is False, "a dry run writes nothing"
    assert service.conductd("service", "install").startswith("wrote ")
    stands = service.status()
    assert (stands["state"], stands["startable"], stands["current"], stands["at_login"]) == ("running",) + (True,) * 3
    assert stands["detail"] == "1 workspace, 1 file", "ready means that the files are read"
    assert json.loads(service.conductd("status", "--json"))["files"] == 1, "and that it answers"
    pid = stands["pid"]
    assert service.conductd("service", "install").startswith("left as it was")
    assert service.conductd("service", "restart").strip() == "the service runs again"
    assert service.pid() not in (0, pid)
    removed = service.conductd("service", "uninstall")
    assert f"what was recorded stays in {service.state}" in removed
    assert service.status()["installed"] is False
    assert (service.state / "journal").is_dir()
    left = service.lab.run("find", str(service.lab.home / ".config/systemd"), "-type", "f").stdout
    assert left == ""
    assert service.conductd("service", "uninstall").startswith("no service was installed")


def test_what_is_killed_comes_back_and_has_lost_nothing(service: Service) -> None:
    service.conductd("service", "install")
    pid = service.pid()
    service.memory.write_text(TEXT + "- written before the kill\n")
    service.conductd("log", str(service.memory), "--json")
    service.lab.run("kill", "-KILL", str(pid))
    service.memory.write_text("# Memory\n\n- a stub that an agent wrote while nobody looked\n")
    until(lambda: service.status()["state"] == "running" and service.pid() != pid, "a new daemon")
    until(lambda: "note 39" in service.memory.read_text(), "the notes are back")


def test_what_hangs_is_started_again(service: Service) -> None:
    service.conductd("service", "install", "--no-start")
    service.drop_in("[Service]\nWatchdogSec=8\nTimeoutStopSec=2\nTimeoutAbortSec=2\n")
    service.conductd("service", "restart")
    pid = service.pid()
    service.lab.run("kill", "-STOP", str(pid))
    until(lambda: service.pid() not in (0, pid), "the watchdog's restart")
    until(lambda: service.status()["state"] == "running", "it runs again")
    versions = json.loads(service.conductd("log", str(service.memory), "--json"))
    assert versions, "the history is whole"


def test_what_cannot_be_cured_by_a_restart_is_not_tried_again(service: Service) -> None:
    service.config.write_text("[[workspaces\n")
    said = service.conductd("service", "install", check=False)
    assert said.startswith("22\n")
    assert "configuration" in said
    assert service.status()["state"] == "failed"


def test_a_reload_takes_a_good_configuration_and_keeps_it_against_a_broken_one(service: Service) -> None:
    service.conductd("service", "install")
    pid, good = service.pid(), service.config.read_text()
    other = service.workspace.with_name("other")
    other.mkdir()
    (other / "MEMORY.md").write_text(TEXT)
    service.config.write_text(good + f'[[workspaces]]\nroot = "{other}"\n')
    service.lab.run("systemctl", "--user", "reload", "conductd")
    until(lambda: service.status()["detail"] == "2 workspaces, 2 files", "the second workspace")
    service.config.write_text("[[workspaces\n")
    assert service.lab.run("systemctl", "--user", "reload", "conductd", check=False).returncode != 0, "it fails"
    until(lambda: "the last good one is in force" in service.status()["detail"], "the fault is told")
    assert service.status()["state"] == "running", "and the reload has ended"
    (other / "MEMORY.md").write_text("# Memory\n\n- a stub that an agent wrote\n")
    until(lambda: "note 39" in (other / "MEMORY.md").read_text(), "the notes are back")
    assert service.pid() == pid, "all that without a restart"
    service.conductd("service", "restart")
    assert "the last good one is in force" in service.status()["detail"], "nor does a start fail by it"
    assert len(json.loads(service.conductd("status", "--json"))["workspaces"]) == 2


def test_it_is_upgraded_in_place(service: Service, tmp_path: Path) -> None:
    """Another installation, at another path, writes the unit anew while the daemon of the first one runs."""
    service.conductd("service", "install")
    pid = service.pid()
    new = tmp_path / "new"
    new.mkdir()
    program = new / "conductd"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m conductd "$@"\n')
    program.chmod(0o755)
    unit = service.lab.home / ".config/systemd/user/conductd.service"
    line = f"ExecStart={program} run --no-demo --state-dir {service.state} --config {service.config}"
    service.lab.run("sed", "-i", f"s|^ExecStart=.*|{line}|", str(unit))
    service.lab.run("systemctl", "--user", "daemon-reload")
    assert service.pid() == pid, "until it is restarted the old one goes on"
    service.conductd("service", "restart")
    assert service.pid() not in (0, pid)
    assert str(program) in service.lab.run("systemctl", "--user", "show", "conductd", "-p", "ExecStart").stdout
    service.memory.write_text("# Memory\n\n- a stub that an agent wrote\n")
    until(lambda: "note 39" in service.memory.read_text(), "what the old one recorded is put back by the new one")


def test_it_starts_for_the_system_without_home_or_session(service: Service) -> None:
    command = (sys.executable, "-m", "conductd", "run", "--no-demo")
    places = ("--state-dir", str(service.state), "--config", str(service.config))
    given = ("--property=Type=notify", "--property=UnsetEnvironment=HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS")
    service.lab.run("systemd-run", "--quiet", "--unit=plain", "--working-directory=/", *given, *command, *places)
    pid = service.lab.run("systemctl", "show", "plain", "-p", "MainPID", "--value").stdout.strip()
    held = service.lab.run("bash", "-c", f"tr '\\0' '\\n' < /proc/{pid}/environ; readlink /proc/{pid}/cwd").stdout
    assert not [line for line in held.splitlines() if line.startswith(("HOME=", "XDG_RUNTIME_DIR=", "DBUS_"))]
    assert held.splitlines()[-1] == "/"
    service.memory.write_text("# Memory\n\n- a stub that an agent wrote\n")
    until(lambda: "note 39" in service.memory.read_text(), "the notes are back")
    service.lab.run("systemctl", "stop", "plain")


def test_a_second_daemon_does_not_spin(service: Service) -> None:
    service.conductd("service", "install")
    unit = service.lab.home / ".config/systemd/user/conductd.service"
    service.lab.run("cp", str(unit), str(unit.with_name("other.service")))
    service.lab.run("systemctl", "--user", "daemon-reload")
    assert service.lab.run("systemctl", "--user", "start", "other", check=False).returncode
    shown = service.lab.run("systemctl", "--user", "show", "other", "-p", "NRestarts", "-p", "ActiveState").stdout
    assert shown.split() == ["NRestarts=0", "ActiveState=failed"]


def test_a_service_of_the_system_beside_ones_own_does_not_spin(service: Service) -> None:
    """Both of the same state directory: the one that came first goes on, the other says that one runs already."""
    service.conductd("service", "install")
    pid, lab = service.pid(), service.lab
    lab.run("bash", "-c", 'cp "$1" /etc/systemd/system/', "-", str(lab.home / ".config/systemd/user/conductd.service"))
    lab.run("systemctl", "daemon-reload")
    assert lab.run("systemctl", "start", "conductd", check=False).returncode
    wanted = ("ActiveState=failed", "ExecMainStatus=7", "NRestarts=0")
    shown = lab.run("systemctl", "show", "conductd", *(f"--property={each.split('=')[0]}" for each in wanted)).stdout
    assert set(shown.split()) == set(wanted)
    assert (service.status()["state"], service.pid()) == ("running", pid)
    service.memory.write_text("# Memory\n\n- a stub that an agent wrote\n")
    until(lambda: "note 39" in service.memory.read_text(), "the first one repairs on")
    service.conductd("service", "uninstall")
    lab.run("systemctl", "start", "conductd")
    said = service.conductd("service", "install", check=False)
    assert said.startswith("22\n")
    assert "another one runs already" in said
    assert service.status()["state"] == "failed"
    service.memory.write_text("# Memory\n\n- a stub that an agent wrote\n")
    until(lambda: "note 39" in service.memory.read_text(), "and so does the system's, with the same history")


def test_two_services_of_their_own_places_do_not_both_write_into_a_workspace(service: Service) -> None:
    service.conductd("service", "install")
    unit, lab = service.lab.home / ".config/systemd/user/conductd.service", service.lab
    state = service.state.with_name("second")
    lab.run("bash", "-c", 'sed "s|$2|$3|g" "$1" > "$(dirname "$1")/other.service"', "-", unit, service.state, state)
    lab.run("systemctl", "--user", "daemon-reload")
    lab.run("systemctl", "--user", "start", "other")
    ran = lab.run(sys.executable, "-m", "conductd", "status", "--json", "--state-dir", str(state))
    assert json.loads(ran.stdout)["workspaces"][0]["state"].startswith(f"locked by process {service.pid()} ")
    service.memory.write_text("# Memory\n\n- a stub that an agent wrote\n")
    until(lambda: "note 39" in service.memory.read_text(), "the first one repairs")
    service.conductd("service", "uninstall")
    lab.run("systemctl", "--user", "restart", "other")  # by itself it would look again within a minute
    until(lambda: is_guarded_by(lab, state), "the second one takes over")
    service.memory.write_text("# Memory\n\n- a stub that an agent wrote\n")
    until(lambda: "note 39" in service.memory.read_text(), "it repairs as well")


def is_guarded_by(lab: Lab, state: Path) -> bool:
    """Whether the daemon of that state directory has its one workspace, and has read it."""
    ran = lab.run(sys.executable, "-m", "conductd", "status", "--json", "--state-dir", str(state))
    told = json.loads(ran.stdout)
    return [each["state"] for each in told["workspaces"]] == ["ok"] and told["files"] == 1 and told["pending"] == 0


def test_who_logs_out_is_told_before_and_loses_nothing_when_back(service: Service) -> None:
    sentence = "it ends when you log out; to let it go on: conductd service install --linger"
    lab, manager = service.lab, f"user@{os.getuid()}"
    lab.run(
        "systemd-run", "--quiet", "--unit=login", "--property=PAMName=login", "--property=User=root", "sleep", "inf"
    )
    if not lab.run("loginctl", "list-sessions", "--no-legend").stdout.strip():
        pytest.skip("no session is opened here: pam_systemd is not installed")
    service.conductd("service", "install")
    assert service.status()["lingers"] is False
    assert sentence in service.conductd("service", "status").splitlines()
    lab.run("systemctl", "stop", "login")
    until(lambda: lab.run("systemctl", "is-active", manager, check=False).returncode, "logind ends the user's manager")
    assert service.conductd("status", check=False).startswith("5\n"), "and the daemon with it"
    service.memory.write_text("# Memory\n\n- a stub that an agent wrote while nobody looked\n")
    lab.run("systemctl", "start", manager)  # as the next login does
    until(lambda: "note 39" in service.memory.read_text(), "the notes are back")
    assert "enable-linger" in service.conductd("service", "install", "--linger")
    assert service.status()["lingers"] is True
    assert sentence not in service.conductd("service", "status").splitlines()


def test_a_moved_program_is_named(service: Service) -> None:
    service.conductd("service", "install")
    unit = service.lab.home / ".config/systemd/user/conductd.service"
    service.lab.run("sed", "-i", "s|^ExecStart=.*|ExecStart=/nowhere/bin/conductd run|", str(unit))
    said = service.conductd("service", "status", check=False)
    assert "what it starts is not there: /nowhere/bin/conductd run" in said
    assert service.conductd("service", "install").startswith("wrote ")
    assert service.status()["startable"]


def test_its_kernel_calls_are_enough_for_a_repair(service: Service) -> None:
    service.conductd("service", "install")
    service.memory.write_text("# Memory\n\n- a stub that an agent wrote\n")
    until(lambda: "note 39" in service.memory.read_text(), "the notes are back")
    big = "# Places\n\n" + "".join(
        f"- place {number}: {number * 7919:x} steps from the harbour\n" for number in range(9_000)
    )
    large = service.workspace / "memory" / "large.md"
    large.parent.mkdir()
    large.write_text(big)
    until(lambda: is_judged(service), "the large file is judged")
    large.write_text("# gone\n")
    until(lambda: large.read_text() == big, "a large file is back, by way of a worker process")
    assert json.loads(service.conductd("status", "--json"))["health"] == "ok"


def test_it_is_closed_off_as_far_as_the_documentation_says(service: Service) -> None:
    service.conductd("service", "install")
    score = service.lab.run("systemd-analyze", "--user", "security", "conductd.service", "--no-pager").stdout
    told = [line for line in score.splitlines() if "Overall exposure level" in line]
    assert told, score
    level = told[0].split(":")[1].split()[0]
    documented = re.search(r"exposure level of ([0-9]+[.][0-9])", (ROOT / "docs/service.md").read_text())
    assert documented is not None
    assert float(level) <= float(documented[1])


def test_it_sees_the_processes_of_its_user_unless_somebody_closes_it_off(service: Service) -> None:
    service.conductd("service", "install")
    own = service.lab.run("bash", "-c", f"readlink /proc/1/ns/user /proc/{service.pid()}/ns/user").stdout.split()
    assert len(set(own)) == 1, "no user namespace of its own"
    limits = service.lab.run("cat", f"/proc/{service.pid()}/limits").stdout
    assert re.search(r"^Max core file size +0 +0 ", limits, re.MULTILINE), limits
    assert (
        service.lab.run("systemctl", "--user", "show", "conductd", "-p", "OOMPolicy").stdout == "OOMPolicy=continue\n"
    )
    assert json.loads(service.conductd("status", "--json"))["health"] == "ok"
    service.drop_in("[Service]\nPrivateUsers=yes\n")
    service.conductd("service", "restart")
    told = json.loads(service.conductd("status", "--json"))["degraded"]
    assert [each["reason"] for each in told] == ["closed_off"]
    assert "user namespace" in service.status()["detail"]


def test_an_ordinary_users_manager_takes_every_line(service: Service) -> None:
    """What needs root must not keep the service of a user from starting."""
    lines = (ROOT / "systemd/conductd.service").read_text().partition("[Service]")[2].partition("[Install]")[0]
    given = [line for line in lines.splitlines() if "=" in line and not line.startswith("#")]
    other = ("Type", "NotifyAccess", "Exec", "Timeout", "Watchdog", "Restart=", "RestartSec", "RestartPrevent")
    properties = [word for line in given if not line.startswith(other) for word in ("-p", line)]
    assert len(properties) > 30, properties
    service.lab.run("systemctl", "start", "user@1.service")
    service.lab.run(
        *("runuser", "-u", "daemon", "--", "env", "XDG_RUNTIME_DIR=/run/user/1", "systemd-run", "--user", "--quiet"),
        *("--pipe", "--wait", *properties, "true"),
    )

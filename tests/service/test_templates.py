"""The service files are what their readers accept, and call a command line that exists."""

from __future__ import annotations

import configparser
import plistlib
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from conductd.cli.main import cli
from conductd.cli.run import INCURABLE

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "systemd" / "conductd.service"
AGENT = ROOT / "launchd" / "dev.conductd.daemon.plist"

# What of a user unit implies PrivateUsers=yes, or is it: systemd.exec(5) of 254 and later ("PrivateUsers= is implicitly
# enabled"), systemd's exec_context_need_unprivileged_private_users(), as of 258.
CLOSING_OFF = {
    *("PrivateUsers", "PrivateTmp", "PrivateDevices", "PrivateNetwork", "PrivateIPC", "PrivateMounts", "PrivatePIDs"),
    *("ProtectSystem", "ProtectHome", "ProtectHostname", "ProtectClock", "ProtectControlGroups"),
    *("ProtectKernelTunables", "ProtectKernelModules", "ProtectKernelLogs"),
    *("ReadWritePaths", "ReadOnlyPaths", "InaccessiblePaths", "ExecPaths", "NoExecPaths", "TemporaryFileSystem"),
    *("BindPaths", "BindReadOnlyPaths", "BindLogSockets", "MountAPIVFS", "MountImages", "MountFlags"),
    *("RootDirectory", "RootImage", "RootDirectoryStartOnly", "ExtensionImages", "ExtensionDirectories"),
    *("NetworkNamespacePath", "IPCNamespacePath", "DelegateNamespaces"),
}


def unit() -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(interpolation=None, strict=False)  # some keys add up
    parsed.optionxform = str  # type: ignore[assignment,method-assign]  # systemd's names are case-sensitive
    parsed.read_string(UNIT.read_text(encoding="utf-8"))
    return parsed


def understood(arguments: list[str]) -> bool:
    """Whether `conductd` takes these arguments; click raises what it does not understand."""
    name, *rest = arguments
    command = cli.get_command(click.Context(cli), name)
    if command is None:
        return False
    command.make_context(name, rest).close()
    return True


def test_the_unit_starts_the_daemon_and_waits_for_its_word() -> None:
    service = unit()["Service"]
    program, *arguments = service["ExecStart"].split()
    assert program == "%h/.local/bin/conductd"
    assert understood(arguments)
    assert (service["Type"], service["NotifyAccess"]) == ("notify", "main")
    assert (service["Restart"], service["UMask"]) == ("on-failure", "0077")


def test_the_unit_does_not_restart_what_a_restart_cannot_cure() -> None:
    assert unit()["Service"]["RestartPreventExitStatus"].split() == [str(kind.exit_code) for kind in INCURABLE]


def test_no_line_of_the_unit_puts_the_daemon_into_a_user_namespace() -> None:
    """There it could not tell an agent from a person."""
    given = {name for name, value in unit().items("Service") if value != "no"}
    assert not given & CLOSING_OFF
    page = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    named = page.partition("### What closes the daemon off")[2].partition("So none of them")[0]
    assert set(re.findall(r"`(\w+)`", named)) < CLOSING_OFF, "the page names such lines only"


def test_a_crash_leaves_no_memory_behind_and_a_worker_that_is_too_large_ends_alone() -> None:
    service = unit()["Service"]
    assert (service["LimitCORE"], service["OOMPolicy"]) == ("0", "continue")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_finds_no_fault_in_the_unit(tmp_path: Path) -> None:
    # The one thing it cannot know is the program in a home directory: any will do.
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text(encoding="utf-8").replace("%h/.local/bin/conductd", "/bin/true"), encoding="utf-8")
    (tmp_path / "run").mkdir(mode=0o700)
    environment = {"XDG_RUNTIME_DIR": str(tmp_path / "run"), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    command = ["systemd-analyze", "--user", "verify", str(copy)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert copy.name not in ran.stderr, ran.stderr
    assert ran.returncode == 0, ran.stderr


def test_the_launch_agent_is_a_property_list_that_starts_the_daemon() -> None:
    agent = plistlib.loads(AGENT.read_bytes())
    assert agent["Label"] == AGENT.stem
    program, *arguments = agent["ProgramArguments"]
    assert program.endswith("/conductd")
    assert understood(arguments)
    assert agent["Umask"] == 0o077
    assert agent["KeepAlive"] == {"SuccessfulExit": False}


def test_the_launch_agent_says_that_nobody_has_run_it() -> None:
    assert "NOT RUN ON macOS YET" in AGENT.read_text(encoding="utf-8")

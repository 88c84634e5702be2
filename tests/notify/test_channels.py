"""Notices reach people: real servers on loopback, a real daemon."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.mailbox import Mailbox
from support.receiver import Receiver
from support.until import until

TEXT = "# Memory\n\n" + "".join(f"- note {number}: {number * 7919:x} is worth keeping\n" for number in range(40))
STUB = "# Memory\n\n- a stub\n"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as made:
        yield made


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "MEMORY.md").write_text(TEXT)
    return root


def hook(receiver: Receiver, **further: str) -> str:
    lines = ["[[channels]]", 'name = "hook"', f'url = "webhook+http://localhost:{receiver.port}/in"']
    return "\n".join([*lines, *(f"{key} = {value}" for key, value in further.items()), ""])


def destroyed(daemon: Daemon, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text(STUB)
    daemon.settle()


def test_a_notice_says_what_which_how_much_and_what_to_do(tmp_path: Path, workspace: Path, receiver: Receiver) -> None:
    config = hook(receiver, secret='"$HOOK_SECRET"')
    with Daemon(tmp_path, [workspace], config=config, environment={"HOOK_SECRET": "s3cret"}) as daemon:
        destroyed(daemon, workspace)
        until(lambda: receiver.got, "a notice")
        headers, body = receiver.got[0]
        told = json.loads(body)
        assert "MEMORY.md" in told["title"]
        assert "40 of 41 entries lost" in told["body"] or "entries lost" in told["body"]
        assert "conductd" in told["body"]
        assert str(workspace) in told["body"]
        assert "note 7" not in body.decode(), "no content unless asked for"
        assert told["notices"][0]["class"] == "overwrite"
        seconds, digest = (part.split("=")[1] for part in headers["X-Conductd-Signature"].split(","))
        signed = hmac.new(b"s3cret", seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
        assert digest == signed
        (channel,) = until(lambda: [c for c in daemon.status()["channels"] if c["sent"]], "the account of it")
        assert (channel["name"], channel["waiting"], channel["dead"]) == ("hook", 0, 0)
        assert "s3cret" not in daemon.log_path.read_text() + json.dumps(daemon.status())
        assert str(receiver.port) not in daemon.log_path.read_text() + json.dumps(daemon.status()["channels"])


def test_content_goes_along_only_where_it_is_asked_for(tmp_path: Path, workspace: Path, receiver: Receiver) -> None:
    with Daemon(tmp_path, [workspace], config=hook(receiver, include_excerpt="true")) as daemon:
        destroyed(daemon, workspace)
        until(lambda: receiver.got, "a notice")
        assert "note 0" in receiver.bodies()[0]["body"]


def test_what_could_not_be_sent_survives_a_restart(tmp_path: Path, workspace: Path, receiver: Receiver) -> None:
    receiver.answer = 500
    with Daemon(tmp_path, [workspace], config=hook(receiver)) as daemon:
        destroyed(daemon, workspace)
        until(lambda: daemon.status()["channels"][0]["error"] == "the server answered 500", "a failed attempt")
        daemon.stop()
        receiver.answer = 200
        daemon.start()
        daemon.pass_time(3_600_000)
        until(lambda: daemon.status()["channels"][0]["sent"] == 1, "it is sent after all", 90)
        count = len(receiver.got)
        daemon.stop()
        daemon.start()
        assert daemon.status()["channels"][0]["waiting"] == 0
        assert len(receiver.got) == count, "nothing is told twice"


def test_a_channel_that_hangs_keeps_nobody_waiting(tmp_path: Path, workspace: Path, receiver: Receiver) -> None:
    receiver.hold = threading.Event()
    with Receiver() as other:
        second = hook(other).replace('"hook"', '"other"')
        with Daemon(tmp_path, [workspace], config=hook(receiver) + second) as daemon:
            destroyed(daemon, workspace)
            until(lambda: receiver.begun, "the attempt that hangs")
            destroyed(daemon, workspace)
            assert (workspace / "MEMORY.md").read_text() != STUB, "the repair does not wait"
            until(lambda: other.got, "the other channel tells it")
            assert daemon.status()["channels"][0]["sent"] == 0
            receiver.hold.set()


def test_a_redirect_is_not_followed(tmp_path: Path, workspace: Path, receiver: Receiver) -> None:
    receiver.answer = 302
    with Daemon(tmp_path, [workspace], config=hook(receiver)) as daemon:
        destroyed(daemon, workspace)
        until(lambda: "302" in daemon.status()["channels"][0]["error"], "a failed attempt")


def test_a_variable_that_is_not_set_stops_nothing(tmp_path: Path, workspace: Path) -> None:
    config = '[[channels]]\nname = "phone"\nurl = "ntfys://$NOBODY_SET_THIS"\n'
    with Daemon(tmp_path, [workspace], config=config) as daemon:
        degraded = daemon.status()["degraded"]
        assert [each["reason"] for each in degraded] == ["channel:phone"]
        assert "NOBODY_SET_THIS" in degraded[0]["message"]
        destroyed(daemon, workspace)
        assert (workspace / "MEMORY.md").read_text() != STUB


def test_what_waits_for_a_channel_that_was_taken_out_is_shown(tmp_path: Path, workspace: Path) -> None:
    gone = '[[channels]]\nname = "hook"\nurl = "webhook+http://127.0.0.1:1/"\n'
    with Daemon(tmp_path, [workspace], config=gone) as daemon:
        destroyed(daemon, workspace)
        until(lambda: daemon.status()["channels"][0]["waiting"], "it waits")
        daemon.config_path.write_text('mode = "protect"\n')
        assert daemon.api.post("/v1/reload")["applied"]
        for arguments in (["notify", "list"], ["notify", "list", "--json"], ["status"]):
            done = daemon.cli(*arguments)
            assert done.exit_code == 0, done.output
            assert "hook" in done.output
        assert "configured no more" in daemon.cli("notify", "list").output
        daemon.config_path.write_text(gone)
        assert daemon.api.post("/v1/reload")["applied"]
        (channel,) = daemon.status()["channels"]
        assert channel["waiting"] >= 1, "it waits on, with what was told of the configuration"


def test_secrets_that_others_may_read_are_not_used(tmp_path: Path, workspace: Path, receiver: Receiver) -> None:
    secrets = tmp_path / "notify.env"
    secrets.write_text(f"PORT={receiver.port}\n")
    secrets.chmod(0o644)
    config = f'[notify]\nenv_file = "{secrets}"\n[[channels]]\nname = "hook"\nurl = "webhook+http://localhost:$PORT/"\n'
    with Daemon(tmp_path, [workspace], config=config) as daemon:
        assert "chmod 600" in daemon.status()["degraded"][0]["message"]
        daemon.stop()
        secrets.chmod(0o600)
        daemon.start()
        assert daemon.status()["health"] == "ok"
        destroyed(daemon, workspace)
        until(lambda: receiver.got, "a notice")


def test_a_test_message_is_sent_without_a_daemon(tmp_path: Path, receiver: Receiver) -> None:
    config = tmp_path / "config.toml"
    config.write_text(hook(receiver) + '[[channels]]\nname = "broken"\nurl = "nosuchservice://x"\n')
    env = {**os.environ, "CONDUCTD_CONFIG": str(config), "HOME": str(tmp_path)}

    def ran(*names: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "conductd", "notify", "test", *names]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    assert ran("hook") == (0, "hook: sent\n")
    assert receiver.bodies()[0]["test"] is True
    assert ran()[0] == 1
    assert ran("nobody")[0] == 3
    receiver.server.shutdown()
    receiver.server.server_close()
    assert ran("hook") == (1, "hook: the server cannot be reached (ConnectionRefusedError)\n")


def test_apprise_carries_a_notice(tmp_path: Path, workspace: Path, receiver: Receiver) -> None:
    config = f'[[channels]]\nname = "chat"\nurl = "json://127.0.0.1:{receiver.port}/in"\n'
    with Daemon(tmp_path, [workspace], config=config) as daemon:
        destroyed(daemon, workspace)
        until(lambda: receiver.got, "a notice")
        told = receiver.bodies()[0]
        assert "MEMORY.md" in told["title"]
        assert told["type"] == "failure"


def test_mail_is_delivered(tmp_path: Path, workspace: Path) -> None:
    with Mailbox() as box:
        config = f'[[channels]]\nname = "mail"\nurl = "{box.url}"\n'
        with Daemon(tmp_path, [workspace], config=config) as daemon:
            destroyed(daemon, workspace)
            until(lambda: box.got, "a mail")
        assert b"MEMORY.md" in box.got[0]

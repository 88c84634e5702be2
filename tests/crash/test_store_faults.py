"""The journal's disk is full, read-only, or fails to sync: said everywhere, nothing promised, nothing forgotten."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest

from crash import survey
from support.api import ApiError
from support.daemon import Daemon

NOTES = "# Memory\n\n" + "".join(f"- rule {number}: never touch account {number * 7}\n" for number in range(40))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text(NOTES)
    return workspace


@pytest.fixture
def daemon(tmp_path: Path, workspace: Path) -> Daemon:
    return Daemon(tmp_path / "d", [workspace])


def _full(daemon: Daemon) -> None:
    daemon.fault("enospc_after_bytes", value=0)
    daemon.fill_store()


FAULTS: dict[str, Callable[[Daemon], None]] = {
    "full": _full,
    "read-only": lambda daemon: daemon.fault("readonly_fs"),
    "sync fails": lambda daemon: daemon.fault("fail_sync"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_store_that_takes_no_writes_is_told_and_recording_goes_on_by_itself(
    fault: str, daemon: Daemon, workspace: Path
) -> None:
    file = workspace / "MEMORY.md"
    with daemon:
        file.write_text(NOTES + "- kept before\n")
        before = survey.acknowledged(daemon, file)
        FAULTS[fault](daemon)

        # Not a small change: on a full disk there may be room for that, and then it is recorded.
        filler = "".join(f"- code {secrets.token_hex(60)}\n" for _ in range(1_000))
        file.write_text(NOTES + "- kept before\n" + filler + "- written meanwhile\n")
        answer = daemon.sync()
        assert "store" in [one["why"] for one in answer["pending"]], "claimed as recorded"
        with pytest.raises(ApiError) as refused:
            # On a full disk there may be room for one more small record, and then it is recorded: not for many.
            for _ in range(100):
                noise = {"digest": secrets.token_hex(32), "session": secrets.token_hex(250)}
                daemon.api.post("/v1/evidence", {"actor": "agent:x", "path": str(file), **noise})
        assert (refused.value.status, refused.value.code) == (503, "store_unavailable")
        assert refused.value.hint
        assert daemon.status()["health"] == "degraded"
        assert len(daemon.versions(file)) == len(before), "a version is shown that is not recorded"

        daemon.clear_faults()
        answer = daemon.sync()
        daemon.settle()
        assert daemon.status()["health"] == "ok"
        after = survey.acknowledged(daemon, file)
        assert daemon.content(file, after[0]["seq"]).decode().endswith("- written meanwhile\n")

        daemon.kill()
        daemon.start()
        survey.assert_durable(daemon, file, after)
        survey.assert_whole_store(daemon)
        daemon.assert_no_traceback()


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_acknowledged_before_is_lost_when_it_dies_on_a_bad_disk(
    fault: str, daemon: Daemon, workspace: Path
) -> None:
    file = workspace / "MEMORY.md"
    with daemon:
        for number in range(5):
            with file.open("a") as stream:
                stream.write(f"- note {number} of today\n")
            before = survey.acknowledged(daemon, file)
        FAULTS[fault](daemon)
        file.write_text("# Memory\n")
        daemon.sync()
        daemon.kill()
        daemon.clear_faults()

        daemon.start()
        survey.assert_durable(daemon, file, before)
        daemon.settle()
        assert file.read_text() == NOTES + "".join(f"- note {number} of today\n" for number in range(5))
        survey.assert_whole_store(daemon)


def test_a_full_disk_is_told_once_and_not_at_every_try(daemon: Daemon, workspace: Path) -> None:
    file = workspace / "MEMORY.md"
    with daemon:
        _full(daemon)
        size = len(daemon.log())
        for number in range(100):
            file.write_text(NOTES + f"- try {number} and some words\n" * (number + 1))
            daemon.sync()
            daemon.advance(1_000)
        grown = len(daemon.log()) - size
        assert grown < 5_000, f"{grown} bytes of log:\n{daemon.log()[-3_000:]}"


def test_no_repair_is_begun_whose_overwritten_bytes_cannot_be_recorded(daemon: Daemon, workspace: Path) -> None:
    file = workspace / "MEMORY.md"
    with daemon:
        daemon.fault("readonly_fs")
        file.write_text("# Memory\n")
        daemon.settle()
        assert file.read_text() == "# Memory\n"
        daemon.clear_faults()
        daemon.settle()
        assert file.read_text() == NOTES
        contents = [daemon.content(file, version["seq"]) for version in daemon.versions(file)]
        assert b"# Memory\n" in contents


def test_a_full_disk_stays_told_when_a_small_record_still_fits(daemon: Daemon, workspace: Path) -> None:
    with daemon:
        _full(daemon)
        assert daemon.status()["health"] == "degraded"
        body = {"actor": "agent:x", "path": str(workspace / "MEMORY.md")}
        for _ in range(3):
            with contextlib.suppress(ApiError):
                daemon.api.post("/v1/evidence", body)
            daemon.sync()
            assert daemon.status()["health"] == "degraded", "the disk is as full as before"

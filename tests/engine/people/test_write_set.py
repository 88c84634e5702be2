"""Several writes as one act, on a daemon in this process: what stands on disk, what is on record, what undo does."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from conductd.app import App, Ports, Request
from conductd.engine.people.write_set import Write
from conductd.engine.service import Daemon
from conductd.errors import Busy, ConductdError, Refused, UsageError
from conductd.faces import Caller
from conductd.journal.storage import DirectoryStorage
from conductd.ports import SystemClock
from conductd.repair.exchange import SystemExchange
from entry.faults import Fault, Faults
from entry.storage import FaultStorage

PERSON = Caller(("1 bash",), terminal=True)


class NoFace:
    path, alive = b"", True

    def start(self) -> None: ...

    def stop(self) -> None: ...


@pytest.fixture
def service(tmp_path: Path, workspace: Path) -> Iterator[Daemon]:
    with ExitStack() as stack:
        environ = {"HOME": str(tmp_path)}
        request = Request((os.fsencode(workspace),), state_dir=str(tmp_path / "state"), demo=False)
        app = App(request, lambda _service, _path: NoFace(), Ports(environ=environ, jobs=()), stack)
        app.start()
        assert isinstance(app.service, Daemon)
        app.service.sync()
        yield app.service


class Striking(SystemExchange):
    """Does something once, right after the first file was written."""

    def __init__(self) -> None:
        super().__init__()
        self.strike: Callable[[], None] | None = None

    def exchange(self, directory: int, one: bytes, other: bytes) -> None:
        super().exchange(directory, one, other)
        self._struck()

    def move(self, directory: int, source: bytes, target: bytes) -> None:
        super().move(directory, source, target)
        self._struck()

    def _struck(self) -> None:
        strike, self.strike = self.strike, None
        if strike is not None:
            strike()


def digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def home(service: Daemon) -> str:
    return service.workspaces()[0].id


def moved(workspace: Path) -> list[Write]:
    """Half of MEMORY.md goes to a file that is not there yet."""
    whole = (workspace / "MEMORY.md").read_bytes()
    cut = whole.index(b"## Section 2")
    return [
        Write(b"memory/archive/old.md", b"# Old\n\n" + whole[cut:]),
        Write(b"MEMORY.md", whole[:cut], hashlib.sha256(whole).digest()),
    ]


def test_a_set_is_written_undone_and_done_again(service: Daemon, workspace: Path) -> None:
    before = tree(workspace)
    done = service.write_sets.write(home(service), moved(workspace), "rotate", PERSON)
    assert [file.outcome for file in done.files] == ["applied", "applied"]
    assert done.undo_command.removeprefix("conductd undo ").isdecimal()
    after = tree(workspace)
    assert set(after) == {"MEMORY.md", "memory/archive/old.md"}
    undone = service.acts.undo(None, PERSON, False)
    assert [plan.outcome for plan in undone.plans] == ["applied", "applied"]
    assert tree(workspace) == before
    service.acts.undo(None, PERSON, False)
    assert tree(workspace) == after
    service.acts.undo(None, PERSON, False)
    assert tree(workspace) == before


def test_nothing_of_a_set_is_a_loss(service: Daemon, workspace: Path) -> None:
    service.write_sets.write(home(service), moved(workspace), "rotate", PERSON)
    service.sync()
    service.acts.undo(None, PERSON, False)
    service.sync()
    assert service.incidents(None) == []
    assert not any(event.severity in ("notice", "alarm") for event in service.log(0, 1000))


def test_a_dry_run_writes_and_records_nothing(service: Daemon, workspace: Path) -> None:
    before, last = tree(workspace), service.log(0, 1000)
    planned = service.write_sets.write(home(service), moved(workspace), "rotate", PERSON, dry_run=True)
    assert [(file.path, file.what, file.outcome) for file in planned.files] == [
        ("memory/archive/old.md", "created", "planned"),
        ("MEMORY.md", "changed", "planned"),
    ]
    assert (tree(workspace), service.log(0, 1000)) == (before, last)


def test_a_file_that_changed_meanwhile_stops_the_whole_set(service: Daemon, workspace: Path) -> None:
    writes = moved(workspace)
    with (workspace / "MEMORY.md").open("a") as file:
        file.write("- written in between\n")
    before = tree(workspace)
    with pytest.raises(Refused, match="changed since it was looked at"):
        service.write_sets.write(home(service), writes, "rotate", PERSON)
    assert tree(workspace) == before


def test_a_file_that_appeared_meanwhile_is_not_written_over(service: Daemon, workspace: Path) -> None:
    writes = moved(workspace)
    (workspace / "memory" / "archive").mkdir()
    (workspace / "memory" / "archive" / "old.md").write_text("somebody else's\n")
    before = tree(workspace)
    with pytest.raises(Refused, match="something stands there by now"):
        service.write_sets.write(home(service), writes, "rotate", PERSON)
    assert tree(workspace) == before


def test_files_that_nobody_protects_are_on_record_before_they_go(service: Daemon, workspace: Path) -> None:
    loose = workspace / "notes.txt"
    loose.write_bytes(b"kept by nobody\r\n")
    before = tree(workspace)
    archive = b".openclaw-repair/root-memory/2026/notes.txt"
    writes = [Write(archive, loose.read_bytes()), Write(b"notes.txt", None, digest(loose))]
    service.write_sets.write(home(service), writes, "merge", PERSON)
    assert tree(workspace) == {"MEMORY.md": before["MEMORY.md"], os.fsdecode(archive): b"kept by nobody\r\n"}
    service.acts.undo(None, PERSON, False)
    assert tree(workspace) == before
    service.acts.undo(None, PERSON, False)
    assert not loose.exists()


def test_paths_that_lead_out_and_sets_that_are_none_are_refused(service: Daemon, workspace: Path) -> None:
    for writes in ([], [Write(b"../out.md", b"x")], [Write(b"a.md", b"x"), Write(b"a.md", b"y")]):
        with pytest.raises(UsageError):
            service.write_sets.write(home(service), writes, "rotate", PERSON)
    (workspace / "link").symlink_to(workspace.parent)
    with pytest.raises(ConductdError, match="link"):
        service.write_sets.write(home(service), [Write(b"link/out.md", b"x")], "rotate", PERSON)


def test_git_at_work_is_waited_for(service: Daemon, workspace: Path) -> None:
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    (workspace / ".git" / "index.lock").touch()
    with pytest.raises(Busy, match="git"):
        service.write_sets.write(home(service), moved(workspace), "rotate", PERSON)


def test_a_symlink_gives_way_to_a_file_and_comes_back(service: Daemon, workspace: Path) -> None:
    elsewhere = workspace.parent / "elsewhere.md"
    elsewhere.write_text("- kept outside\n")
    (workspace / "USER.md").symlink_to(elsewhere)
    service.sync()
    target = os.fsencode(elsewhere)
    write = Write(b"USER.md", elsewhere.read_bytes(), was_link=target)
    service.write_sets.write(home(service), [write], "doctor", PERSON)
    assert not (workspace / "USER.md").is_symlink()
    assert (workspace / "USER.md").read_text() == elsewhere.read_text() == "- kept outside\n"
    assert (workspace / "USER.md").stat().st_mode & 0o777 == elsewhere.stat().st_mode & 0o777
    service.sync()
    service.acts.undo(None, PERSON, False)
    assert os.readlink(workspace / "USER.md") == str(elsewhere)
    service.acts.undo(None, PERSON, False)
    assert not (workspace / "USER.md").is_symlink()
    assert elsewhere.read_text() == "- kept outside\n"
    assert service.incidents(None) == []


def test_a_symlink_that_leads_elsewhere_by_now_is_left(service: Daemon, workspace: Path) -> None:
    (workspace / "USER.md").symlink_to("MEMORY.md")
    with pytest.raises(Refused, match="changed since"):
        service.write_sets.write(home(service), [Write(b"USER.md", b"x", was_link=b"AGENTS.md")], "doctor", PERSON)
    assert os.readlink(workspace / "USER.md") == "MEMORY.md"


def test_a_symlink_goes_with_its_set_and_comes_back(service: Daemon, workspace: Path) -> None:
    (workspace / "USER.md").symlink_to("MEMORY.md")
    writes = [Write(b"memory/new.md", b"- one new thing\n"), Write(b"USER.md", None, was_link=b"MEMORY.md")]
    service.write_sets.write(home(service), writes, "doctor", PERSON)
    assert not (workspace / "USER.md").is_symlink()
    service.acts.undo(None, PERSON, False)
    assert os.readlink(workspace / "USER.md") == "MEMORY.md"
    assert not (workspace / "memory" / "new.md").exists()


def test_a_file_of_several_links_becomes_one_of_its_own(service: Daemon, workspace: Path) -> None:
    other = workspace.parent / "other.md"
    os.link(workspace / "MEMORY.md", other)
    service.sync()
    whole = other.read_bytes()
    write = Write(b"MEMORY.md", whole, digest(other), break_links=True)
    done = service.write_sets.write(home(service), [write], "doctor", PERSON)
    assert [file.outcome for file in done.files] == ["applied"]
    assert (workspace / "MEMORY.md").stat().st_nlink == other.stat().st_nlink == 1
    assert (workspace / "MEMORY.md").read_bytes() == other.read_bytes() == whole
    again = service.write_sets.write(home(service), [write], "doctor", PERSON)
    assert [file.outcome for file in again.files] == ["applied"]  # nothing to break any more; nothing changed
    assert (workspace / "MEMORY.md").read_bytes() == whole


def test_a_name_changes_its_case(service: Daemon, workspace: Path) -> None:
    """The new name comes first, so that what it holds is never nowhere."""
    (workspace / "user.md").write_text("- likes tea\n")
    service.sync()
    writes = [Write(b"USER.md", b"- likes tea\n"), Write(b"user.md", None, digest(workspace / "user.md"))]
    done = service.write_sets.write(home(service), writes, "doctor", PERSON)
    assert [(file.path, file.what) for file in done.files] == [("USER.md", "created"), ("user.md", "removed")]
    assert sorted(os.listdir(workspace)) == ["MEMORY.md", "USER.md", "memory"]
    service.acts.undo(None, PERSON, False)
    assert sorted(os.listdir(workspace)) == ["MEMORY.md", "memory", "user.md"]
    service.sync()
    assert service.incidents(None) == []


def test_a_set_is_not_undone_where_half_of_it_would_be_lost(service: Daemon, workspace: Path) -> None:
    loose = workspace / "loose.txt"
    loose.write_text("- one thing\n- another thing\n")
    writes = [Write(b"memory/new.md", b"- another thing\n"), Write(b"loose.txt", b"- one thing\n", digest(loose))]
    service.write_sets.write(home(service), writes, "rotate", PERSON)
    loose.unlink()
    service.sync()
    with pytest.raises(Refused, match=r"loose\.txt is gone"):
        service.acts.undo(None, PERSON, False)
    assert (workspace / "memory" / "new.md").read_text() == "- another thing\n"


def test_nobody_writes_a_file_that_is_left_alone(service: Daemon, workspace: Path) -> None:
    writes = moved(workspace)
    service.leases.lease(os.fsencode(workspace / "MEMORY.md"), None, 60, "", False, PERSON)
    with pytest.raises(Refused, match="lease"):
        service.write_sets.write(home(service), writes, "rotate", PERSON)
    assert not (workspace / "memory" / "archive").exists()


def test_what_stands_of_a_set_is_said_though_the_store_took_no_end(tmp_path: Path, workspace: Path) -> None:
    """The store goes down after the plans are journaled, and a later write fails."""
    clock = SystemClock()
    faults, exchange = Faults(clock.mono_ns), Striking()
    ports = Ports(
        clock=clock,
        storage=lambda path: FaultStorage(DirectoryStorage(path, exclusive=True), faults),
        exchange=exchange,
        environ={"HOME": str(tmp_path)},
        jobs=(),
    )
    with ExitStack() as stack:
        request = Request((os.fsencode(workspace),), state_dir=str(tmp_path / "state"), demo=False)
        app = App(request, lambda _service, _path: NoFace(), ports, stack)
        app.start()
        assert isinstance(app.service, Daemon)
        app.service.sync()
        writes = moved(workspace)

        def strike() -> None:
            faults.turn_on(Fault("readonly_fs"))
            (workspace / "MEMORY.md").write_text("- somebody else was here first\n")

        exchange.strike = strike
        with pytest.raises(Refused, match=r"only a part of it could be taken back: memory/archive/old\.md"):
            app.service.write_sets.write(home(app.service), writes, "rotate", PERSON)
        assert (workspace / "memory" / "archive" / "old.md").exists()
        faults.clear()


def test_what_is_written_while_an_undo_is_made_is_not_written_over(service: Daemon, workspace: Path) -> None:
    """The text is made of one version; the journal may know a newer one before it is written."""
    service.write_sets.write(home(service), moved(workspace), "rotate", PERSON)
    service.sync()
    undoing = service.acts._.commands._undoing
    steps, set_id = undoing._to_reverse(None)
    with (workspace / "MEMORY.md").open("a") as file:
        file.write("- the key of the harbour is with Zoe\n")
    service.sync()
    stands = tree(workspace)
    undoing._to_reverse = lambda number: (steps, set_id)  # type: ignore[method-assign]
    with pytest.raises(Refused, match="changed since"):
        undoing.undo(None, ("1 bash",), False)
    assert tree(workspace) == stands


def test_a_restore_holds_for_what_stood_there_when_it_was_asked_for(service: Daemon, workspace: Path) -> None:
    commands = service.acts._.commands
    file = service.acts._.state.track(home(service), b"MEMORY.md")
    assert file is not None
    assert file.head is not None
    head = file.head
    (workspace / "MEMORY.md").write_text("- one\n- the key of the harbour is with Zoe\n")
    service.sync()
    with pytest.raises(Refused, match="changed in this moment"):
        commands.restore(file, head, (), False, head=head)
    assert b"Zoe" in (workspace / "MEMORY.md").read_bytes()


def test_a_link_is_not_put_back_over_what_was_written_since(service: Daemon, workspace: Path) -> None:
    elsewhere = workspace.parent / "elsewhere.md"
    elsewhere.write_text("- kept outside\n")
    (workspace / "USER.md").symlink_to(elsewhere)
    service.sync()
    write = Write(b"USER.md", elsewhere.read_bytes(), was_link=os.fsencode(elsewhere))
    service.write_sets.write(home(service), [write], "doctor", PERSON)
    service.sync()
    (workspace / "USER.md").write_text("- kept outside, and a word more\n")
    service.sync()
    with pytest.raises(Refused, match="was written since"):
        service.acts.undo(None, PERSON, False)
    assert (workspace / "USER.md").read_text() == "- kept outside, and a word more\n"


def test_what_is_over_the_limit_of_the_journal_is_not_begun(service: Daemon, workspace: Path) -> None:
    before = tree(workspace)
    most = service.acts._.workspaces.config.max_file_bytes
    with pytest.raises(Refused, match="max_file_bytes"):
        service.write_sets.write(home(service), [Write(b"memory/x.md", b"x" * (most + 1))], "doctor", PERSON)
    assert tree(workspace) == before


def test_a_set_is_undone_under_the_rules_it_is_written_under(service: Daemon, workspace: Path) -> None:
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    service.write_sets.write(home(service), moved(workspace), "rotate", PERSON)
    service.sync()
    stands = (workspace / "MEMORY.md").read_bytes()
    (workspace / ".git" / "MERGE_HEAD").write_text("0" * 40 + "\n")
    for dry_run in (True, False):
        with pytest.raises(Busy, match="git"):
            service.acts.undo(None, PERSON, dry_run)
    assert (workspace / "MEMORY.md").read_bytes() == stands
    (workspace / ".git" / "MERGE_HEAD").unlink()
    service.acts.undo(None, PERSON, False)
    assert (workspace / "MEMORY.md").read_bytes() != stands


def test_a_new_name_keeps_mode_and_attributes_there_and_back(service: Daemon, workspace: Path) -> None:
    old, new = workspace / "user.md", workspace / "USER.md"
    old.write_text("- likes tea\n")
    old.chmod(0o640)
    try:
        os.setxattr(old, "user.note", b"kept")
    except OSError:
        pytest.skip("no attributes on this file system")
    if os.geteuid() == 0:
        os.chown(old, 1000, 1000)
    service.sync()
    writes = [Write(b"USER.md", b"- likes tea\n"), Write(b"user.md", None, digest(old))]
    had = old.stat()
    service.write_sets.write(home(service), writes, "doctor", PERSON)
    service.sync()
    for file in (new, old):
        now = file.stat()
        assert (now.st_mode, now.st_uid, now.st_gid) == (had.st_mode, had.st_uid, had.st_gid)
        assert os.getxattr(file, "user.note") == b"kept"
        service.acts.undo(None, PERSON, False)


class Full(SystemExchange):
    """No room for one name from the moment it is taken away; another cannot be taken away."""

    def __init__(self) -> None:
        super().__init__()
        self.is_full = True

    def move(self, directory: int, source: bytes, target: bytes) -> None:
        if self.is_full and target == b"one.txt":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self.is_full and source == b"two.txt":
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        super().move(directory, source, target)


def test_what_cannot_be_taken_back_is_said_truly_and_tried_again(tmp_path: Path, workspace: Path) -> None:
    exchange = Full()
    with ExitStack() as stack:
        request = Request((os.fsencode(workspace),), state_dir=str(tmp_path / "state"), demo=False)
        ports = Ports(exchange=exchange, environ={"HOME": str(tmp_path)}, jobs=())
        app = App(request, lambda _service, _path: NoFace(), ports, stack)
        app.start()
        service = app.service
        assert isinstance(service, Daemon)
        (workspace / "one.txt").write_text("- the first thing\n")
        (workspace / "two.txt").write_text("- the second thing\n")
        service.sync()
        before = tree(workspace)
        writes = [
            Write(b"new.txt", b"- the first thing\n"),
            Write(b"one.txt", None, digest(workspace / "one.txt")),
            Write(b"two.txt", None, digest(workspace / "two.txt")),
        ]
        with pytest.raises(Refused, match="only a part"):
            service.write_sets.write(home(service), writes, "doctor", PERSON)
        assert not (workspace / "one.txt").exists()
        held = b"".join(tree(workspace).values())
        assert b"the first thing" in held, "what went stands where it was written to"
        status = service.status()
        assert status.health == "degraded"
        (reason,) = [each for each in status.degraded if each.reason == "half_done"]
        assert "one.txt" in reason.message
        exchange.is_full = False
        parts = service.acts._
        parts.judge.call(parts.together.try_again).result(30)
        service.sync()
        assert (workspace / "one.txt").read_bytes() == before["one.txt"]
        assert not [each for each in service.status().degraded if each.reason == "half_done"]

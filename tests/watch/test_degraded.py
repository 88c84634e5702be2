"""The watcher when events are lost, refused or never sent: it says so once, and a rescan finds all."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from watchdog.observers.inotify_c import CallbackId, InotifyFD, Mask, WatchCallback, WatchDescriptor

from conductd.model import Role
from conductd.watch.hints import Degraded, Hint, HintKind, Listener
from conductd.watch.inotify import InotifyBackend, InotifyTree
from conductd.watch.rescan import Rule, scan
from conductd.watch.watcher import Watcher
from conductd.watch.watchset import WatchSet, watch_set

from .conftest import Hints, MakeBox

K = HintKind


class Limits:
    """How many watches the "system" grants; an inotify instance that keeps to it."""

    def __init__(self, watches: int) -> None:
        self.watches = watches
        self.instances = 1

    def backend(self) -> InotifyBackend:
        limits = self

        class Limited(InotifyFD):
            def __init__(self) -> None:
                if limits.instances <= 0:
                    raise OSError(errno.EMFILE, "inotify instance limit reached")
                super().__init__()

            def add_callback(
                self, path: bytes, mask: Mask, callback: WatchCallback, id_: CallbackId
            ) -> WatchDescriptor:
                if len(self._watch_for_wd) >= limits.watches:
                    raise OSError(errno.ENOSPC, "inotify watch limit reached")
                return super().add_callback(path, mask, callback, id_)

        return InotifyBackend(Limited)


def markdown(path: bytes) -> Role | None:
    return Role.TOPIC if path.endswith(b".md") else None


def test_a_real_overflow_is_named_and_everything_is_found(workspace: Path) -> None:
    with open("/proc/sys/fs/inotify/max_queued_events", encoding="ascii") as file:
        limit = int(file.read())
    if limit > 70_000:
        pytest.skip(f"the queue holds {limit} events: too many to overflow here")
    (workspace / "memory").mkdir()
    hints, hold, held = Hints(), threading.Event(), threading.Event()

    def sink(hint: Hint) -> None:
        hints.add(hint)
        if hint.path == b"hold":
            held.set()
            hold.wait(60)

    watcher = Watcher(sink, poll_s=3600)
    watcher.start()
    try:
        watcher.add_root(os.fsencode(workspace), watch_set())
        (workspace / "hold").touch()
        assert held.wait(10)  # the reader's thread stands still from here on
        noise = [os.fspath(workspace / name) for name in ("a", "b")]
        for name in noise * (limit // 2 + 100):  # in turn: equal events in a row become one
            os.close(os.open(name, os.O_WRONLY | os.O_CREAT))
        names = [f"{number}.md" for number in range(50)]
        for name in names:
            (workspace / "memory" / name).write_text("x")
        (workspace / "memory" / "new" / "deep").mkdir(parents=True)  # its own event is lost
        hold.set()
        hints.wait(K.OVERFLOW)
        hints.wait(K.DIRECTORY, b"")  # all watches are set again
        fd = os.open(workspace, os.O_RDONLY)
        found = scan(fd, watch_set(), {}, Rule(0), classify=markdown)
        os.close(fd)
        assert found.files == len(names)
        (workspace / "memory" / "new" / "deep" / "x.md").write_text("x")
        hints.wait(K.CLOSED, b"memory/new/deep/x.md")
        assert watcher.watched() == 4
    finally:
        hold.set()
        watcher.stop()


def test_after_an_overflow_a_directory_moved_unseen_has_its_right_name(make_box: MakeBox, tmp_path: Path) -> None:
    box = make_box()
    box.watcher.add_root(os.fsencode(tmp_path), watch_set())
    (box.root / "memory" / "a" / "b").mkdir(parents=True)
    box.settle()
    tree = box.watcher._roots[box.path].tree
    assert isinstance(tree, InotifyTree)
    tree._closed = True  # deaf for a moment: as if the kernel had dropped these events
    (box.root / "memory" / "a").rename(box.root / "memory" / "z")
    (box.root / "memory" / "new").mkdir()
    (tmp_path / "mark").touch()
    box.hints.wait(K.CLOSED, b"mark")  # events come in order: those above have been dropped
    tree._closed = False
    tree.on_queue_overflow()
    box.hints.wait(K.OVERFLOW)
    box.hints.wait(K.DIRECTORY, b"")
    (box.root / "memory" / "z" / "b" / "x.md").write_text("x")
    (box.root / "memory" / "new" / "y.md").write_text("x")
    box.hints.wait(K.CLOSED, b"memory/z/b/x.md")
    box.hints.wait(K.CLOSED, b"memory/new/y.md")


def test_the_watch_limit_is_reported_once_and_the_rest_polled(make_box: MakeBox, workspace: Path) -> None:
    for number in range(20):
        (workspace / "memory" / f"{number}").mkdir(parents=True)
    box = make_box(make_backend=Limits(6).backend, poll_s=0.02)
    other = workspace.with_name("other")
    (other / "memory").mkdir(parents=True)
    box.watcher.add_root(os.fsencode(other), watch_set())
    (workspace / "memory" / "later").mkdir()
    box.hints.wait(K.POLL)
    assert [what.reason for what in box.hints.degraded] == ["watch_limit"]
    assert "fs.inotify.max_user_watches" in box.hints.degraded[0].hint
    assert box.watcher.state(box.path) == "polling"
    (workspace / "MEMORY.md").write_text("what is watched still sends events")
    box.hints.wait(K.CLOSED, b"MEMORY.md")


def test_a_raised_limit_is_used_and_the_degradation_ends(make_box: MakeBox, workspace: Path) -> None:
    for number in range(20):
        (workspace / "memory" / f"{number}").mkdir(parents=True)
    limits = Limits(6)
    box = make_box(make_backend=limits.backend, poll_s=0.02, retry_s=0.05)
    box.hints.wait(K.POLL)
    limits.watches = 1_000
    box.hints.wait(K.DIRECTORY, b"")
    box.hints.until(lambda: box.watcher.state(box.path) == "events" and box.watcher.degradations() == [])
    (workspace / "memory" / "19" / "x.md").write_text("x")
    box.hints.wait(K.CLOSED, b"memory/19/x.md")


def test_no_inotify_instance_means_polling_and_one_report(make_box: MakeBox, workspace: Path) -> None:
    limits = Limits(1_000)
    limits.instances = 0
    box = make_box(make_backend=limits.backend, poll_s=0.02, retry_s=0.2)
    box.hints.wait(K.POLL)
    assert [what.reason for what in box.hints.degraded] == ["instance_limit"]
    assert "fs.inotify.max_user_instances" in box.hints.degraded[0].hint
    shutil.rmtree(workspace)
    box.hints.wait(K.ROOT_GONE)
    workspace.mkdir()
    box.hints.wait(K.ROOT_BACK)
    limits.instances = 1
    box.hints.until(lambda: box.watcher.state(box.path) == "events")
    assert box.watcher.degradations() == []
    assert len(box.hints.degraded) == 1
    box.settle()


def test_a_mount_that_sends_nothing_is_polled_and_named(make_box: MakeBox) -> None:
    box = make_box(poll_s=0.02, poll="changes on nfs send no events")
    box.hints.wait(K.POLL)
    assert [(what.reason, what.root) for what in box.hints.degraded] == [("no_events", box.path)]
    assert box.watcher.state(box.path) == "polling"
    box.watcher.remove_root(box.path)
    assert box.watcher.degradations() == []


def test_a_root_found_to_be_silent_is_polled_from_then_on(make_box: MakeBox) -> None:
    box = make_box(poll_s=0.02)
    box.watcher.poll_root(box.path, "a change was found that no event announced")
    box.watcher.poll_root(box.path, "again")
    box.hints.wait(K.POLL)
    assert len(box.hints.degraded) == 1


def test_without_need_nothing_is_polled(make_box: MakeBox) -> None:
    box = make_box(poll_s=0.01)
    box.settle()
    for _ in range(5):
        box.settle()
    assert K.POLL not in box.hints.kinds(None)


class Clumsy(InotifyBackend):
    """A backend whose listener trips over one name."""

    def watch(self, root: bytes, plan: WatchSet, listener: Listener) -> InotifyTree:
        class Tripping:
            def hint(self, kind: HintKind, path: bytes | None, cookie: int = 0) -> None:
                if path == b"trip":
                    raise RuntimeError("tripped")
                listener.hint(kind, path, cookie)

            def __getattr__(self, name: str) -> object:
                return getattr(listener, name)

        return super().watch(root, plan, Tripping())  # type: ignore[arg-type]


def test_a_fault_of_our_own_is_reported_and_does_not_end_the_reader(make_box: MakeBox) -> None:
    box = make_box(make_backend=Clumsy)
    (box.root / "trip").touch()
    box.hints.until(lambda: [what.reason for what in box.hints.degraded] == ["watcher_failed"])
    box.hints.wait(K.DIRECTORY, b"")
    mark = box.root / "mark"

    def is_hinted_when_written_again() -> bool:  # each fault sets the watches anew, and misses what is written then
        mark.write_text("x")
        return K.CLOSED in box.hints.kinds(b"mark")

    box.hints.until(is_hinted_when_written_again)


class Mortal(InotifyFD):
    """An instance whose thread ends at a certain event."""

    def handle_event(self, event: object) -> None:
        if getattr(event, "name", b"") == b"die":
            raise SystemExit
        super().handle_event(event)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_dead_reader_thread_is_noticed_polled_for_and_replaced(make_box: MakeBox) -> None:
    box = make_box(make_backend=lambda: InotifyBackend(Mortal), poll_s=0.02, look_s=0.02, retry_s=0.5)
    (box.root / "die").touch()
    box.hints.until(lambda: [what.reason for what in box.hints.degraded] == ["watcher_stopped"])
    box.hints.wait(K.POLL)
    box.hints.until(lambda: box.watcher.state(box.path) == "events" and box.watcher.degradations() == [])
    box.settle()


AS_NOBODY = """
import os, sys, threading
import conductd.watch.inotify  # before: another user may not be able to read the interpreter's files
from conductd.watch.watcher import Watcher
from conductd.watch.watchset import watch_set
hints, seen = [], threading.Condition()
def sink(hint):
    with seen:
        hints.append((str(hint.kind), hint.path)); seen.notify_all()
watcher = Watcher(sink, poll_s=0.02)
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
watcher.start()
root = os.fsencode(sys.argv[1])
watcher.add_root(root, watch_set())
with seen:
    ok = seen.wait_for(lambda: ("poll", None) in hints, 10)
print(ok, watcher.state(root), watcher.degradations())
watcher.stop()
"""


def test_an_unreadable_directory_is_polled_not_forgotten(workspace: Path) -> None:
    (workspace / "memory" / "closed").mkdir(parents=True)
    (workspace / "memory" / "closed").chmod(0o700 if os.geteuid() == 0 else 0)
    for directory in (workspace, *workspace.parents):
        if directory.stat().st_uid == os.geteuid() and str(directory) != "/":
            directory.chmod(directory.stat().st_mode | 0o055)
    run = _python(AS_NOBODY, str(workspace))
    (workspace / "memory" / "closed").chmod(0o700)
    assert run.stdout == "True polling []\n", run.stderr


REAL_LIMIT = """
import os, sys
from conductd.watch.watcher import Watcher
from conductd.watch.watchset import watch_set
with open("/proc/sys/user/max_inotify_watches", "w") as file:
    file.write("5")
told = []
watcher = Watcher(lambda hint: None, degraded=told.append)
watcher.start()
watcher.add_root(os.fsencode(sys.argv[1]), watch_set())
print([what.reason for what in told], watcher.watched(), watcher.state(os.fsencode(sys.argv[1])))
watcher.stop()
"""


def test_the_kernels_own_watch_limit_is_met(workspace: Path) -> None:
    for number in range(20):
        (workspace / "memory" / f"{number}").mkdir(parents=True)
    if shutil.which("unshare") is None:
        pytest.skip("unshare(1) is needed to lower the limit for one process alone")
    if subprocess.run(["unshare", "-Ur", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this environment allows no user namespaces")
    run = _python(REAL_LIMIT, str(workspace), before=("unshare", "-Ur"))
    if "Permission denied" in run.stderr or "Read-only" in run.stderr:
        pytest.skip("this environment does not let the limit be lowered")
    assert run.stdout == "['watch_limit'] 4 polling\n", run.stderr  # and one on the directory above


def test_a_degradation_tells_what_to_do() -> None:
    from conductd.watch import degradation

    for code in (errno.ENOSPC, errno.EMFILE, errno.EPERM):
        what = degradation.by_refusal(OSError(code, "x"), 2.0)
        assert isinstance(what, Degraded)
        assert "2 s" in what.message
        assert what.hint


def _python(code: str, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=60,
        check=False,
    )

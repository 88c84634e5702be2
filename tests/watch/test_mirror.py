"""The promise behind all hints: whoever follows them, and nothing else, knows the disk.

Another process changes a tree at random and at full speed; a mirror reads only where hints send it.
At the end it must hold every file with its content, without any regular rescan.
"""

from __future__ import annotations

import hashlib
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from conductd.model import FileStat, FileState, Role
from conductd.watch.hints import Hint, HintKind
from conductd.watch.reader import observe
from conductd.watch.rescan import Rule, scan
from conductd.watch.watcher import Watcher
from conductd.watch.watchset import watch_set

PLAN = watch_set()

CHANGES = """
import os, random, shutil, sys
random.seed(int(sys.argv[2]))
os.chdir(sys.argv[1])
outside = os.path.abspath("../outside")
os.mkdir(outside)
def directories():
    return [at for at, _, _ in os.walk("memory")]
def files():
    return [os.path.join(at, name) for at, _, names in os.walk("memory") for name in names]
def new(where):
    return os.path.join(where, random.choice("abcdef") + random.choice(["", "1", "2"]))
for step in range(250):
    where = random.choice(directories() or ["."])
    do = random.choice("mkdir mkdirs write write write over remove rmtree move move out in again".split())
    try:
        if do == "mkdir":
            os.mkdir(new(where))
        elif do == "mkdirs":
            deep = os.path.join(new(where), "x", "y")
            os.makedirs(deep)
            open(deep + "/deep.md", "w").write(str(step))
        elif do == "write":
            open(new(where) + ".md", "w").write(str(step))
        elif do == "over":
            open("memory/tmp", "w").write(str(step))
            os.rename("memory/tmp", new(where) + ".md")
        elif do == "remove":
            os.unlink(random.choice(files()))
        elif do == "rmtree" and random.random() < 0.3:
            shutil.rmtree(where)
        elif do == "move":
            os.rename(where, new(random.choice(directories())))
        elif do == "out":
            os.rename(where, os.path.join(outside, str(step)))
        elif do == "in":
            os.rename(os.path.join(outside, random.choice(os.listdir(outside))), new(where))
        elif do == "again":
            os.makedirs("memory", exist_ok=True)
    except (OSError, IndexError):
        pass
os.makedirs("memory", exist_ok=True)
"""


class Mirror:
    """What one knows who reads only where hints point."""

    def __init__(self, root: Path) -> None:
        self.fd = os.open(root, os.O_RDONLY)
        self.files: dict[bytes, bytes] = {}
        self._stats: dict[bytes, FileStat] = {}
        self._hints: queue.SimpleQueue[Hint | None] = queue.SimpleQueue()
        self.put = self._hints.put
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.put(None)
        self._thread.join()
        os.close(self.fd)

    def _follow(self) -> None:
        while (hint := self._hints.get()) is not None:
            if hint.kind is HintKind.DIRECTORY or hint.path is None:
                found = scan(
                    self.fd, PLAN, self._stats, Rule(time.time_ns()), classify=markdown, under=hint.path or b""
                )
                for path in (*(each.path for each in found.to_read), *found.vanished):
                    self._read(path)
            elif markdown(hint.path):
                self._read(hint.path)

    def _read(self, path: bytes) -> None:
        seen = observe(self.fd, path)
        if seen.state is FileState.FILE and seen.digest is not None and seen.stat is not None:
            self.files[path], self._stats[path] = seen.digest, seen.stat
        else:
            self.files.pop(path, None)
            self._stats.pop(path, None)


def markdown(path: bytes) -> Role | None:
    return Role.TOPIC if path.endswith(b".md") else None


def on_disk(root: Path) -> dict[bytes, bytes]:
    return {
        os.fsencode(path.relative_to(root)): hashlib.sha256(path.read_bytes()).digest()
        for path in (*root.glob("*.md"), *(root / "memory").rglob("*.md"))
        if path.is_file()
    }


@pytest.mark.parametrize("seed", range(8))
def test_whoever_follows_the_hints_knows_the_disk(seed: int, workspace: Path) -> None:
    (workspace / "memory").mkdir()
    mirror = Mirror(workspace)
    done = threading.Event()

    def sink(hint: Hint) -> None:
        mirror.put(hint)
        if hint.path == b"done":
            done.set()

    watcher = Watcher(sink, poll_s=3600, look_s=3600)
    watcher.start()
    try:
        watcher.add_root(os.fsencode(workspace), PLAN)
        subprocess.run([sys.executable, "-c", CHANGES, str(workspace), str(seed)], check=True)
        (workspace / "done").touch()  # events come in order
        assert done.wait(30)
        mirror.close()
        assert mirror.files == on_disk(workspace)
        watched = sum(1 for _ in os.walk(workspace / "memory")) + 1
        assert watcher.watched() == watched
        assert watcher.degradations() == []
    finally:
        watcher.stop()

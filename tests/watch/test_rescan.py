"""The rescan against real directories."""

from __future__ import annotations

import itertools
import mmap
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.model import FileStat, Role
from conductd.watch.rescan import DAY_NS, Rule, Scan, is_young, look_at_root, scan, turn_comes
from conductd.watch.watchset import WatchSet, watch_set

LATER_NS = 60 * 1_000_000_000
PLAN = watch_set()


def markdown(path: bytes) -> Role | None:
    return Role.TOPIC if path.endswith(b".md") else None


def look(
    root_fd: int,
    known: dict[bytes, FileStat] | None = None,
    *,
    plan: WatchSet = PLAN,
    under: bytes = b"",
    **rule: object,
) -> Scan:
    settled = Rule(now_ns=time.time_ns() + LATER_NS, **rule)  # type: ignore[arg-type]
    return scan(root_fd, plan, known or {}, settled, classify=markdown, under=under)


def known_of(found: Scan) -> dict[bytes, FileStat]:
    return {each.path: each.stat for each in found.to_read}


def paths(found: tuple) -> list[bytes]:  # type: ignore[type-arg]
    return sorted(each.path for each in found)


@pytest.fixture
def filled(workspace: Path) -> Path:
    (workspace / "memory" / "2026" / "03").mkdir(parents=True)
    (workspace / "src").mkdir()
    for name in ("MEMORY.md", "memory/a.md", "memory/2026/03/b.md", "src/not-watched.md", "notes.txt"):
        (workspace / name).write_text(name)
    return workspace


def test_a_first_scan_finds_the_protected_files_of_the_watch_set(filled: Path, root_fd: int) -> None:
    found = look(root_fd)
    assert paths(found.appeared) == [b"MEMORY.md", b"memory/2026/03/b.md", b"memory/a.md"]
    assert (found.directories, found.files, found.complete, found.errors) == (4, 3, True, ())


def test_nothing_changed_is_nothing_found(filled: Path, root_fd: int) -> None:
    known = known_of(look(root_fd))
    assert look(root_fd, known).to_read == ()


def test_changed_appeared_and_vanished_are_told_apart(filled: Path, root_fd: int) -> None:
    known = known_of(look(root_fd))
    (filled / "MEMORY.md").write_text("longer than it was before")
    (filled / "memory" / "new.md").write_text("x")
    (filled / "memory" / "a.md").unlink()
    found = look(root_fd, known)
    assert (paths(found.changed), paths(found.appeared), found.vanished) == (
        [b"MEMORY.md"],
        [b"memory/new.md"],
        (b"memory/a.md",),
    )


def test_same_size_and_same_mtime_do_not_hide_a_rewrite(filled: Path, root_fd: int) -> None:
    path = filled / "MEMORY.md"
    os.utime(path, ns=(1_770_000_000_000_000_000,) * 2)
    known = known_of(look(root_fd))
    with open(path, "r+b") as file:
        file.write(b"memory.MD")
    os.utime(path, ns=(1_770_000_000_000_000_000,) * 2)
    assert paths(look(root_fd, known).changed) == [b"MEMORY.md"]


@pytest.mark.parametrize("change", ["truncate", "rename_over", "chmod", "link"])
def test_every_kind_of_change_moves_the_key(change: str, filled: Path, root_fd: int) -> None:
    path = filled / "MEMORY.md"
    known = known_of(look(root_fd))
    if change == "truncate":
        os.truncate(path, 3)
    elif change == "rename_over":
        (filled / "tmp").write_text("MEMORY.md")
        (filled / "tmp").rename(path)
    elif change == "chmod":
        path.chmod(0o600 if path.stat().st_mode & 0o777 != 0o600 else 0o640)
    else:
        os.link(path, filled / "other")
    assert paths(look(root_fd, known).changed) == [b"MEMORY.md"]


def test_an_mmap_write_after_the_close_is_found_though_no_event_tells_of_it(filled: Path, root_fd: int) -> None:
    known = known_of(look(root_fd))
    with open(filled / "MEMORY.md", "r+b") as file:
        memory = mmap.mmap(file.fileno(), 0)
    memory[:1] = b"X"
    memory.flush()
    memory.close()
    assert paths(look(root_fd, known).changed) == [b"MEMORY.md"]


def test_a_young_ctime_is_verified_by_content(filled: Path, root_fd: int) -> None:
    known = known_of(look(root_fd))
    now = scan(root_fd, PLAN, known, Rule(time.time_ns()), classify=markdown)
    assert len(now.verify) == 3
    assert now.changed == ()


def test_what_was_read_while_young_is_verified_once_more(filled: Path, root_fd: int) -> None:
    known = known_of(look(root_fd))
    assert paths(look(root_fd, known, racy={b"memory/a.md"}).verify) == [b"memory/a.md"]


def test_without_a_trustworthy_ctime_everything_is_verified(filled: Path, root_fd: int) -> None:
    known = known_of(look(root_fd))
    assert len(look(root_fd, known, trust_ctime=False).verify) == 3


def test_a_clock_set_back_makes_every_file_young() -> None:
    seen = FileStat(1, 2, 0o100644, 0, 0, 1, 5, 10**18, 10**18)
    assert is_young(seen, 10**18 - DAY_NS)
    assert not is_young(seen, 10**18 + 2_000_000_000)


@given(st.binary(min_size=1), st.integers(0, 2**62), st.integers(1, 200))
def test_every_file_has_its_turn_exactly_once_a_day(path: bytes, start_ns: int, steps: int) -> None:
    step = DAY_NS // steps
    moments = [start_ns + step * number for number in range(steps)] + [start_ns + DAY_NS]
    turns = [turn_comes(path, since, now) for since, now in itertools.pairwise(moments)]
    assert sum(turns) == 1


def test_turns_are_spread_over_the_day() -> None:
    hour = DAY_NS // 24
    each = [sum(turn_comes(b"memory/%d.md" % n, hour * h, hour * (h + 1)) for n in range(2_400)) for h in range(24)]
    assert sum(each) == 2_400
    assert max(each) < 200


def test_links_are_reported_as_links_and_linked_directories_not_entered(
    filled: Path, root_fd: int, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.md").write_text("x")
    (filled / "memory" / "away").symlink_to(tmp_path / "outside")
    (filled / "memory" / "loop").symlink_to(filled / "memory")
    (filled / "memory" / "link.md").symlink_to(filled / "MEMORY.md")
    found = look(root_fd)
    assert b"memory/link.md" in paths(found.appeared)
    assert not [path for path in paths(found.appeared) if b"away" in path or b"loop" in path]


def test_tool_directories_in_a_tree_are_not_entered(filled: Path, root_fd: int) -> None:
    (filled / "memory" / ".git").mkdir()
    (filled / "memory" / ".git" / "x.md").write_text("x")
    assert not [path for path in paths(look(root_fd).appeared) if b".git" in path]


def test_only_the_asked_directory_is_compared(filled: Path, root_fd: int) -> None:
    known = known_of(look(root_fd))
    (filled / "MEMORY.md").unlink()
    (filled / "memory" / "2026" / "03" / "b.md").unlink()
    found = look(root_fd, known, under=b"memory/2026")
    assert (found.vanished, found.directories) == ((b"memory/2026/03/b.md",), 2)


def test_a_removed_directory_takes_its_files(filled: Path, root_fd: int) -> None:
    known = known_of(look(root_fd))
    (filled / "memory").rename(filled / "away")
    assert look(root_fd, known, under=b"memory").vanished == (b"memory/2026/03/b.md", b"memory/a.md")


def test_names_that_are_not_utf8_are_found_as_they_are(filled: Path, root_fd: int) -> None:
    name = b"memory/\xff\xe9.md"
    with open(os.path.join(os.fsencode(filled), name), "wb"):
        pass
    assert name in paths(look(root_fd).appeared)


def test_an_incomplete_scan_claims_no_absence(filled: Path, root_fd: int) -> None:
    known = known_of(look(root_fd))
    found = scan(root_fd, PLAN, known, Rule(0), classify=markdown, max_directories=1)
    assert not found.complete
    assert found.vanished == ()
    assert set(found.unseen) == {b"memory/a.md", b"memory/2026/03/b.md"}


def test_a_tree_deeper_than_the_bound_is_an_error_not_a_crash(filled: Path, root_fd: int) -> None:
    deep = filled / "memory"
    for _ in range(80):
        deep = deep / "d"
        deep.mkdir()
    (deep / "x.md").write_text("x")
    found = look(root_fd)
    assert [error for _, error in found.errors] == ["ELOOP"]


AS_NOBODY = """
import os, sys, time
from conductd.model import Role
from conductd.watch.rescan import Rule, scan
from conductd.watch.watchset import watch_set
fd = os.open(sys.argv[1], os.O_RDONLY)
classify = lambda path: Role.TOPIC if path.endswith(b".md") else None
known = {each.path: each.stat for each in scan(fd, watch_set(), {}, Rule(time.time_ns()), classify=classify).to_read}
os.chmod(os.path.join(sys.argv[1], "memory/2026"), 0)
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
found = scan(fd, watch_set(), known, Rule(time.time_ns()), classify=classify)
print(found.vanished, found.unseen, found.errors)
"""


def test_files_behind_an_unreadable_directory_are_unseen_not_vanished(filled: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(filled)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    (filled / "memory" / "2026").chmod(0o755)
    expected = "() (b'memory/2026/03/b.md',) ((b'memory/2026', 'EACCES'),)\n"
    assert run.stdout == expected, run.stderr


def test_descriptors_are_given_back_also_when_a_scan_stops_half_way(filled: Path, root_fd: int) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for bound in (1, 2, 3, 100):
        scan(root_fd, PLAN, {}, Rule(0), classify=markdown, max_directories=bound)
    assert len(os.listdir("/proc/self/fd")) == before


def test_two_thousand_directories_are_scanned_quickly(workspace: Path, root_fd: int) -> None:
    for number in range(2_000):
        directory = workspace / "memory" / f"{number // 50}" / f"{number}"
        directory.mkdir(parents=True)
        (directory / "n.md").touch()
    started = time.thread_time()  # of this thread: other tests may keep the machine busy
    found = look(root_fd)
    assert found.files == 2_000
    assert time.thread_time() - started < 1  # measured 0.03 s


class TestRoot:
    def test_the_same_directory_is_the_same(self, workspace: Path) -> None:
        seen = workspace.stat()
        state = look_at_root(os.fsencode(workspace), (seen.st_dev, seen.st_ino))
        assert (state.state, state.identity) == ("same", (seen.st_dev, seen.st_ino))

    def test_another_directory_at_the_path_is_replaced(self, workspace: Path) -> None:
        seen = workspace.stat()
        workspace.rename(workspace.with_name("old"))
        workspace.mkdir()
        assert look_at_root(os.fsencode(workspace), (seen.st_dev, seen.st_ino)).state == "replaced"

    def test_none_or_a_file_is_missing(self, workspace: Path) -> None:
        workspace.rmdir()
        assert look_at_root(os.fsencode(workspace), None).state == "missing"
        workspace.write_text("x")
        assert look_at_root(os.fsencode(workspace), None).state == "missing"
        assert look_at_root(os.fsencode(workspace / "below"), None).state == "missing"

"""One repair at a time: each way to write, and each reason not to."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import resource
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.model import FileStat
from conductd.repair.apply import apply
from conductd.repair.exchange import Exchange, SystemExchange
from conductd.repair.opening import file_stat
from conductd.repair.order import Applied, Busy, Changed, Method, NoSpace, Order, Refused
from conductd.repair.temporary import new_temp_name

OLD = b"# Memory\n\n- the old words\n" * 20
STUB = b"# Memory\n\n- (new entry)\n"

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="leases and renameat2 are Linux's")


def digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def order_for(root: Path, name: str, judged: bytes | None, target: bytes | None, **more: object) -> Order:
    return Order(
        root=os.fsencode(root),
        path=os.fsencode(name),
        judged=None if judged is None else digest(judged),
        target=target,
        temp_name=new_temp_name(),
        **more,  # type: ignore[arg-type]
    )


def names(root: Path) -> set[str]:
    return {path.name for path in root.rglob("*")}


class RefusingExchange(SystemExchange):
    """A file system whose renames fail with a given error."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def exchange(self, directory: int, one: bytes, other: bytes) -> None:
        raise OSError(self.number, os.strerror(self.number))

    def move(self, directory: int, source: bytes, target: bytes) -> None:
        raise OSError(self.number, os.strerror(self.number))


class Meanwhile(SystemExchange):
    """Another program acts at the worst moment: right before our n-th exchange or move."""

    def __init__(self, *acts: object) -> None:
        super().__init__()
        self.acts = list(acts)

    def _act(self) -> None:
        if self.acts:
            act = self.acts.pop(0)
            if act is not None:
                act()  # type: ignore[operator]

    def exchange(self, directory: int, one: bytes, other: bytes) -> None:
        self._act()
        super().exchange(directory, one, other)

    def move(self, directory: int, source: bytes, target: bytes) -> None:
        self._act()
        super().move(directory, source, target)


def save_by_rename(path: Path, data: bytes) -> None:
    temporary = path.with_name(path.name + ".new")
    temporary.write_bytes(data)
    temporary.rename(path)


def test_a_destroyed_file_is_swapped_back(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    file.chmod(0o640)
    before = file.stat().st_ino
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD))
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.SWAP
    assert file.read_bytes() == OLD
    assert outcome.stat == file_stat(file.stat())
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert file.stat().st_ino != before
    assert names(tmp_path) == {"MEMORY.md"}
    assert outcome.late is not None
    assert outcome.late.check() is None
    outcome.late.close()


def test_a_root_descriptor_serves_as_well_as_a_path(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a.md").write_bytes(STUB)
    root = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        outcome = apply(Order(root, b"memory/a.md", digest(STUB), OLD, new_temp_name()))
    finally:
        os.close(root)
    assert isinstance(outcome, Applied)
    assert (tmp_path / "memory" / "a.md").read_bytes() == OLD


def test_a_name_that_is_not_utf_8_is_repaired(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9 \xff.md")
    with open(path, "wb") as file:
        file.write(STUB)
    outcome = apply(Order(os.fsencode(tmp_path), b"caf\xe9 \xff.md", digest(STUB), OLD, new_temp_name()))
    assert isinstance(outcome, Applied)
    with open(path, "rb") as file:
        assert file.read() == OLD


@linux_only
def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    try:
        os.setxattr(file, "user.origin", b"\x00agent\xff")
    except OSError as error:
        pytest.skip(f"no user attributes here: {error}")
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD))
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.SWAP
    assert os.getxattr(file, "user.origin") == b"\x00agent\xff"


# version 2; user rw, a named user r, group r, mask r, other none
ACCESS_LIST = bytes.fromhex("0200000001000600ffffffff020004000100000004000400ffffffff10000400ffffffff20000000ffffffff")


@linux_only
def test_access_control_lists_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    try:
        os.setxattr(file, "system.posix_acl_access", ACCESS_LIST)
    except OSError as error:
        pytest.skip(f"no access control lists here: {error}")
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD))
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.SWAP
    assert os.getxattr(file, "system.posix_acl_access") == ACCESS_LIST


@linux_only
def test_a_directorys_default_access_list_does_not_widen_the_file(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    file.chmod(0o600)
    try:
        os.setxattr(tmp_path, "system.posix_acl_default", ACCESS_LIST)
    except OSError as error:
        pytest.skip(f"no access control lists here: {error}")
    assert isinstance(apply(order_for(tmp_path, "MEMORY.md", STUB, OLD)), Applied)
    assert "system.posix_acl_access" not in os.listxattr(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_bytes_that_were_not_judged_are_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(b"somebody else's words\n")
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD))
    assert isinstance(outcome, Changed)
    assert outcome.data == file.read_bytes() == b"somebody else's words\n"
    assert outcome.digest == digest(b"somebody else's words\n")
    assert outcome.stat == file_stat(file.stat())
    assert names(tmp_path) == {"MEMORY.md"}


def test_same_size_and_times_do_not_hide_a_change(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    times = (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    file.write_bytes(STUB[::-1])
    os.utime(file, ns=times)
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD))
    assert isinstance(outcome, Changed)
    assert file.read_bytes() == STUB[::-1]


def test_a_file_that_has_gone_is_changed_not_recreated(tmp_path: Path) -> None:
    assert apply(order_for(tmp_path, "MEMORY.md", STUB, OLD)) == Changed(None, None, None)
    assert names(tmp_path) == set()


def test_what_is_already_there_is_not_written_again(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(OLD)
    before = file.stat()
    outcome = apply(order_for(tmp_path, "MEMORY.md", OLD, OLD))
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.NOTHING
    assert file.stat() == before


# --------------------------------------------------------------------------- files that come and go


def test_a_deleted_file_is_created_with_its_old_mode(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(OLD)
    file.chmod(0o664)
    template: FileStat = file_stat(file.stat())
    file.unlink()
    outcome = apply(order_for(tmp_path, "MEMORY.md", None, OLD, template=template))
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.CREATE
    assert file.read_bytes() == OLD
    assert stat.S_IMODE(file.stat().st_mode) == 0o664
    assert outcome.stat == file_stat(file.stat())
    assert file.stat().st_nlink == 1
    assert names(tmp_path) == {"MEMORY.md"}


def test_a_created_file_is_private_without_a_template(tmp_path: Path) -> None:
    assert isinstance(apply(order_for(tmp_path, "MEMORY.md", None, OLD)), Applied)
    assert stat.S_IMODE((tmp_path / "MEMORY.md").stat().st_mode) == 0o600


def test_a_file_that_appears_meanwhile_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    meanwhile = Meanwhile(lambda: file.write_bytes(b"new\n"))
    outcome = apply(order_for(tmp_path, "MEMORY.md", None, OLD), exchange=meanwhile)
    assert isinstance(outcome, Changed)
    assert outcome.data == file.read_bytes() == b"new\n"
    assert names(tmp_path) == {"MEMORY.md"}


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS])
def test_creating_works_where_a_rename_cannot_be_told_not_to_replace(tmp_path: Path, number: int) -> None:
    outcome = apply(order_for(tmp_path, "MEMORY.md", None, OLD), exchange=RefusingExchange(number))
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.CREATE
    assert outcome.notes
    assert (tmp_path / "MEMORY.md").read_bytes() == OLD
    assert names(tmp_path) == {"MEMORY.md"}


def test_a_file_is_removed_only_as_judged(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(OLD)
    outcome = apply(order_for(tmp_path, "MEMORY.md", OLD, None))
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.REMOVE
    assert outcome.late is not None
    outcome.late.close()
    assert names(tmp_path) == set()
    file.write_bytes(STUB)
    assert isinstance(apply(order_for(tmp_path, "MEMORY.md", OLD, None)), Changed)
    assert file.read_bytes() == STUB


def test_a_removal_that_took_out_newer_words_puts_them_back(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(OLD)
    outcome = apply(
        order_for(tmp_path, "MEMORY.md", OLD, None), exchange=Meanwhile(lambda: save_by_rename(file, b"newer\n"))
    )
    assert isinstance(outcome, Changed)
    assert outcome.data == file.read_bytes() == b"newer\n"
    assert names(tmp_path) == {"MEMORY.md"}


def test_a_removal_between_two_saves_keeps_both(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(OLD)
    order = order_for(tmp_path, "MEMORY.md", OLD, None)
    acts = Meanwhile(lambda: save_by_rename(file, b"one\n"), lambda: save_by_rename(file, b"two\n"))
    outcome = apply(order, exchange=acts)
    assert isinstance(outcome, Changed)
    assert outcome.data == file.read_bytes() == b"two\n"
    assert outcome.others == (b"one\n",)
    assert outcome.left == order.temp_name
    assert (tmp_path / os.fsdecode(order.temp_name)).read_bytes() == b"one\n"


def test_nothing_to_remove_is_nothing_to_do(tmp_path: Path) -> None:
    assert apply(order_for(tmp_path, "MEMORY.md", None, None)) == Applied(Method.NOTHING, None)


# --------------------------------------------------------------------------- races around the exchange


def test_a_save_right_before_the_exchange_is_put_back(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    outcome = apply(
        order_for(tmp_path, "MEMORY.md", STUB, OLD), exchange=Meanwhile(lambda: save_by_rename(file, b"newer\n"))
    )
    assert isinstance(outcome, Changed)
    assert outcome.data == file.read_bytes() == b"newer\n"
    assert outcome.others == ()
    assert names(tmp_path) == {"MEMORY.md"}
    assert outcome.late is not None
    outcome.late.close()


def test_words_appended_right_before_the_exchange_are_put_back(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    inode = file.stat().st_ino

    def append() -> None:
        with file.open("ab") as opened:
            opened.write(b"- late\n")

    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD), exchange=Meanwhile(append))
    assert isinstance(outcome, Changed)
    assert outcome.data == file.read_bytes() == STUB + b"- late\n"
    assert file.stat().st_ino == inode
    assert names(tmp_path) == {"MEMORY.md"}


def test_two_saves_around_the_exchange_leave_the_newest_and_return_the_other(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    order = order_for(tmp_path, "MEMORY.md", STUB, OLD)
    acts = Meanwhile(lambda: save_by_rename(file, b"one\n"), lambda: save_by_rename(file, b"two\n"))
    outcome = apply(order, exchange=acts)
    assert isinstance(outcome, Changed)
    assert outcome.data == file.read_bytes() == b"two\n"
    assert outcome.others == (b"one\n",)
    assert outcome.left == order.temp_name
    assert (tmp_path / os.fsdecode(order.temp_name)).read_bytes() == b"one\n"


def test_three_saves_around_the_exchange_leave_the_newest_in_place(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    acts = Meanwhile(*(lambda n=n: save_by_rename(file, b"%d\n" % n) for n in range(1, 4)))
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD), exchange=acts)
    assert isinstance(outcome, Changed)
    assert outcome.data == file.read_bytes() == b"3\n"
    # "1" was taken out by us and is returned; "2" was replaced by the save of "3" itself.
    assert set(outcome.others) <= {b"1\n", b"2\n"}
    assert outcome.others


def test_words_written_into_our_file_before_the_undo_are_returned(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)

    def append_to_ours() -> None:
        with file.open("ab") as opened:
            opened.write(b"- written into the repaired file\n")

    order = order_for(tmp_path, "MEMORY.md", STUB, OLD)
    acts = Meanwhile(lambda: save_by_rename(file, b"newer\n"), append_to_ours)
    outcome = apply(order, exchange=acts)
    assert isinstance(outcome, Changed)
    assert outcome.data == file.read_bytes() == b"newer\n"
    assert outcome.others == (OLD + b"- written into the repaired file\n",)
    assert outcome.left == order.temp_name


def test_a_deletion_right_before_the_exchange_stays(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD), exchange=Meanwhile(file.unlink))
    assert outcome == Changed(None, None, None)
    assert names(tmp_path) == set()


@pytest.mark.parametrize("kind", ["symlink", "directory", "fifo"])
@pytest.mark.parametrize("target", [OLD, None])
def test_something_else_moved_over_the_file_is_put_back_unread(tmp_path: Path, kind: str, target: bytes | None) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    outside = tmp_path / "outside"
    outside.write_bytes(b"not ours\n")

    def replace() -> None:
        file.unlink()
        if kind == "symlink":
            file.symlink_to(outside)
        elif kind == "directory":
            file.mkdir()
        else:
            os.mkfifo(file)

    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, target), exchange=Meanwhile(replace))
    assert isinstance(outcome, Changed)
    assert outcome.data is None
    if outcome.late is not None:
        outcome.late.close()
    assert (file.is_symlink(), file.is_dir(), file.is_fifo()).index(True) == ["symlink", "directory", "fifo"].index(
        kind
    )
    assert outside.read_bytes() == b"not ours\n"
    assert names(tmp_path) == {"MEMORY.md", "outside"}


def test_something_else_that_cannot_be_put_back_is_left_under_its_temporary_name(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)

    def to_directory() -> None:
        file.unlink()
        file.mkdir()
        (file / "inside").write_bytes(b"kept")

    order = order_for(tmp_path, "MEMORY.md", STUB, None)
    outcome = apply(order, exchange=Meanwhile(to_directory, lambda: file.write_bytes(b"appeared\n")))
    assert isinstance(outcome, Changed)
    assert outcome.data == b"appeared\n"
    assert outcome.left == order.temp_name
    assert (tmp_path / os.fsdecode(order.temp_name) / "inside").read_bytes() == b"kept"


def test_a_late_writers_words_are_seen(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    held: list[int] = []

    def open_late() -> None:
        held.append(os.open(file, os.O_WRONLY | os.O_APPEND))

    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD), exchange=Meanwhile(open_late))
    assert isinstance(outcome, Applied)
    assert outcome.late is not None
    assert outcome.late.check() is None
    os.write(held[0], b"- too late\n")
    os.close(held[0])
    assert outcome.late.check() == STUB + b"- too late\n"
    assert outcome.late.check() is None
    outcome.late.close()
    assert file.read_bytes() == OLD


# --------------------------------------------------------------------------- busy


@contextlib.contextmanager
def held_by_another_process(file: Path, mode: str) -> Iterator[int]:
    code = f"f=open({str(file)!r},{mode!r}); print('open',flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process.pid
        process.communicate("\n")


@linux_only
@pytest.mark.parametrize("target", [OLD, None])
def test_a_file_open_for_writing_is_busy_and_names_the_process(tmp_path: Path, target: bytes | None) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    with held_by_another_process(file, "r+b") as pid:
        assert apply(order_for(tmp_path, "MEMORY.md", STUB, target)) == Busy(f"open for writing by pid {pid}")
    assert file.read_bytes() == STUB
    assert names(tmp_path) == {"MEMORY.md"}
    assert isinstance(apply(order_for(tmp_path, "MEMORY.md", STUB, target)), Applied)


@linux_only
def test_a_reader_does_not_hold_up_a_swap(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    with held_by_another_process(file, "rb"):
        assert isinstance(apply(order_for(tmp_path, "MEMORY.md", STUB, OLD)), Applied)


@linux_only
def test_a_reader_holds_up_a_write_in_place(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    with held_by_another_process(file, "rb") as pid:
        outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD, force_in_place=True))
        assert outcome == Busy(f"open elsewhere by pid {pid}")
    assert file.read_bytes() == STUB


# --------------------------------------------------------------------------- in place


@linux_only
@pytest.mark.parametrize(("judged", "target"), [(STUB, OLD), (OLD, STUB), (OLD, b"")])
def test_a_hard_linked_file_keeps_its_inode(tmp_path: Path, judged: bytes, target: bytes) -> None:
    file, twin = tmp_path / "MEMORY.md", tmp_path / "twin"
    file.write_bytes(judged)
    os.link(file, twin)
    outcome = apply(order_for(tmp_path, "MEMORY.md", judged, target))
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.IN_PLACE
    assert outcome.notes == ("several hard links",)
    assert outcome.late is None
    assert file.read_bytes() == twin.read_bytes() == target
    assert file.stat().st_ino == twin.stat().st_ino
    assert outcome.stat == file_stat(file.stat())


@linux_only
@pytest.mark.parametrize("number", [errno.EBUSY, errno.EINVAL, errno.ENOSYS, errno.EXDEV])
def test_a_refused_exchange_is_written_in_place(tmp_path: Path, number: int) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    inode = file.stat().st_ino
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD), exchange=RefusingExchange(number))
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.IN_PLACE
    assert outcome.notes == (f"swap refused: exchange: {errno.errorcode[number]}",)
    assert file.stat().st_ino == inode
    assert file.read_bytes() == OLD
    assert names(tmp_path) == {"MEMORY.md"}


@linux_only
def test_a_mounted_file_is_written_in_place(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    inode = file.stat().st_ino
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD), mounted=lambda _directory, _name: True)
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.IN_PLACE
    assert file.stat().st_ino == inode
    removal = apply(order_for(tmp_path, "MEMORY.md", OLD, None), mounted=lambda _directory, _name: True)
    assert removal == Refused("a mount point cannot be removed")


@linux_only
def test_a_write_in_place_compares_first(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    order = order_for(tmp_path, "MEMORY.md", STUB, OLD)

    class ChangedThenRefused(RefusingExchange):
        def exchange(self, directory: int, one: bytes, other: bytes) -> None:
            file.write_bytes(b"newer\n")
            super().exchange(directory, one, other)

    exchange: Exchange = ChangedThenRefused(errno.EBUSY)
    outcome = apply(order, exchange=exchange)
    assert isinstance(outcome, Changed)
    assert outcome.data == file.read_bytes() == b"newer\n"


@linux_only
def test_an_opener_during_a_write_in_place_waits_and_sees_the_whole(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    code = f"import sys; input(); sys.stdout.buffer.write(open({str(file)!r},'rb').read())"
    from conductd.repair import killpoints

    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:

        def let_it_open(name: str) -> None:
            if name != "in_place.half_written":
                return
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
            # The kernel breaks our lease as soon as the other process is inside open(2).
            descriptor = os.open(file, os.O_PATH)
            os.close(descriptor)
            wait_for_lease_break(file)

        killpoints.install(let_it_open)
        try:
            outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD, force_in_place=True))
        finally:
            killpoints.install(None)
        seen, _ = process.communicate()
    assert isinstance(outcome, Applied)
    assert seen == OLD


def wait_for_lease_break(file: Path) -> None:
    """Until /proc/locks shows the lease on this inode as being broken."""
    inode = str(file.stat().st_ino)
    for _ in range(200_000):
        with open("/proc/locks", encoding="ascii") as locks:
            if any("LEASE" in line and "BREAK" in line and inode in line for line in locks):
                return
    raise AssertionError("nobody tried to open the file")


@linux_only
def test_a_write_in_place_that_fails_halfway_puts_the_old_bytes_back(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(OLD) - 10, limits[1]))
    try:
        outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD, force_in_place=True))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert outcome == NoSpace("File too large; configured")
    assert file.read_bytes() == STUB


# --------------------------------------------------------------------------- refused


def test_a_symlink_is_never_followed(tmp_path: Path) -> None:
    real = tmp_path / "real.md"
    real.write_bytes(STUB)
    (tmp_path / "MEMORY.md").symlink_to(real)
    assert apply(order_for(tmp_path, "MEMORY.md", STUB, OLD)) == Refused("a symlink stands at the path")
    assert real.read_bytes() == STUB


def test_a_parent_that_is_a_symlink_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.md").write_bytes(STUB)
    (tmp_path / "memory").symlink_to(elsewhere)
    outcome = apply(order_for(tmp_path, "memory/a.md", STUB, OLD))
    assert outcome == Refused("a parent directory is a symlink")
    assert (elsewhere / "a.md").read_bytes() == STUB


def test_a_missing_parent_is_refused_and_not_made(tmp_path: Path) -> None:
    outcome = apply(order_for(tmp_path, "memory/a.md", None, OLD))
    assert outcome == Refused("a parent directory is missing")
    assert names(tmp_path) == set()


def test_a_missing_root_is_refused(tmp_path: Path) -> None:
    outcome = apply(order_for(tmp_path / "gone", "a.md", None, OLD))
    assert outcome == Refused("the workspace root is missing")


@pytest.mark.parametrize("path", ["", "../a.md", "a/../../b.md", "/etc/hosts", "a//b", "./a.md"])
def test_a_path_out_of_the_workspace_is_refused(tmp_path: Path, path: str) -> None:
    assert apply(order_for(tmp_path, path, None, OLD)) == Refused("the path leaves the workspace")


@pytest.mark.parametrize("what", ["fifo", "directory", "socket"])
def test_a_file_that_became_something_else_is_refused_without_waiting(tmp_path: Path, what: str) -> None:
    place = tmp_path / "MEMORY.md"
    listener = socket.socket(socket.AF_UNIX)
    if what == "fifo":
        os.mkfifo(place)
    elif what == "directory":
        place.mkdir()
    else:
        here = os.getcwd()
        os.chdir(tmp_path)  # the address must be short
        try:
            listener.bind("MEMORY.md")
        finally:
            os.chdir(here)
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD))
    listener.close()
    assert isinstance(outcome, Refused)
    assert "stands at the path" in outcome.reason


def replace_parent_with_link(root: Path) -> None:
    (root / "memory").rename(root / "moved")
    trap = root / "trap"
    trap.mkdir()
    (trap / "a.md").write_bytes(STUB)
    (root / "memory").symlink_to(trap)


def test_a_parent_replaced_by_a_link_between_check_and_write_is_refused(tmp_path: Path) -> None:
    from conductd.repair import killpoints

    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a.md").write_bytes(STUB)

    def hook(name: str) -> None:
        if name == "temp.synced":
            replace_parent_with_link(tmp_path)

    killpoints.install(hook)
    try:
        outcome = apply(order_for(tmp_path, "memory/a.md", STUB, OLD))
    finally:
        killpoints.install(None)
    assert outcome == Refused("a parent directory was replaced")
    assert (tmp_path / "trap" / "a.md").read_bytes() == STUB
    assert (tmp_path / "moved" / "a.md").read_bytes() == STUB
    assert not [name for name in names(tmp_path) if name.startswith(".conductd-")]


def test_a_parent_replaced_at_the_last_moment_leads_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a.md").write_bytes(STUB)
    outcome = apply(
        order_for(tmp_path, "memory/a.md", STUB, OLD), exchange=Meanwhile(lambda: replace_parent_with_link(tmp_path))
    )
    assert (tmp_path / "trap" / "a.md").read_bytes() == STUB
    assert isinstance(outcome, Applied)  # the very file that was judged, wherever its directory went
    assert (tmp_path / "moved" / "a.md").read_bytes() == OLD


def test_a_taken_temporary_name_is_refused_and_kept(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(STUB)
    order = order_for(tmp_path, "MEMORY.md", STUB, OLD)
    (tmp_path / os.fsdecode(order.temp_name)).write_bytes(b"precious")
    assert apply(order) == Refused("the temporary name is taken")
    assert (tmp_path / os.fsdecode(order.temp_name)).read_bytes() == b"precious"


def test_a_file_its_owner_made_read_only_is_restored_and_stays_read_only(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    file.chmod(0o444)
    assert isinstance(apply(order_for(tmp_path, "MEMORY.md", STUB, OLD)), Applied)
    assert file.read_bytes() == OLD
    assert stat.S_IMODE(file.stat().st_mode) == 0o444


# FS_IOC_SETFLAGS and the immutable flag of linux/fs.h
SET_FLAGS, GET_FLAGS, IMMUTABLE = 0x40086602, 0x80086601, 0x10


@contextlib.contextmanager
def immutable(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        flags = int.from_bytes(fcntl.ioctl(descriptor, GET_FLAGS, b"\0" * 8), sys.byteorder)
        fcntl.ioctl(descriptor, SET_FLAGS, (flags | IMMUTABLE).to_bytes(8, sys.byteorder))
    except OSError as error:
        os.close(descriptor)
        pytest.skip(f"needs root and a file system with flags: {error}")
    try:
        yield
    finally:
        fcntl.ioctl(descriptor, SET_FLAGS, flags.to_bytes(8, sys.byteorder))
        os.close(descriptor)


@linux_only
def test_an_immutable_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    with immutable(file):
        outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD))
    assert isinstance(outcome, Refused)
    assert names(tmp_path) == {"MEMORY.md"}
    assert file.read_bytes() == STUB


@linux_only
def test_a_directory_that_takes_no_new_files_makes_the_write_go_in_place(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    file = folder / "a.md"
    file.write_bytes(STUB)
    guard: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    if os.geteuid() == 0:
        guard = immutable(folder)
    else:
        folder.chmod(0o500)
    with guard:
        outcome = apply(order_for(tmp_path, "memory/a.md", STUB, OLD))
    folder.chmod(0o700)
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.IN_PLACE
    assert file.read_bytes() == OLD


@linux_only
def test_a_foreign_owners_file_keeps_its_inode_and_owner(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make another user's file")
    file = tmp_path / "MEMORY.md"
    file.write_bytes(STUB)
    os.chown(file, 12345, 12345)
    inode = file.stat().st_ino
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD))
    assert isinstance(outcome, Applied)
    assert outcome.method is Method.IN_PLACE
    assert (file.stat().st_ino, file.stat().st_uid) == (inode, 12345)


def test_no_space_is_its_own_outcome(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(STUB)
    outcome = apply(order_for(tmp_path, "MEMORY.md", STUB, OLD), exchange=RefusingExchange(errno.ENOSPC))
    assert isinstance(outcome, NoSpace)
    assert names(tmp_path) == {"MEMORY.md"}


# --------------------------------------------------------------------------- descriptors


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@linux_only
def test_no_way_to_end_leaks_a_descriptor(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    (tmp_path / "memory").symlink_to(tmp_path)

    def run(name: str, judged: bytes | None, target: bytes | None, **more: object) -> type:
        exchange = more.pop("exchange", None)
        outcome = apply(order_for(tmp_path, name, judged, target, **more), exchange=exchange)  # type: ignore[arg-type]
        if isinstance(outcome, Applied | Changed) and outcome.late is not None:
            outcome.late.close()
            outcome.late.close()
        return type(outcome)

    ended: set[type] = set()
    before = open_descriptors()
    for _ in range(2):
        file.write_bytes(STUB)
        ended.add(run("MEMORY.md", STUB, OLD, exchange=Meanwhile(lambda: save_by_rename(file, STUB + b"x"))))
        ended.add(run("MEMORY.md", STUB, OLD))
        file.write_bytes(STUB)
        with held_by_another_process(file, "r+b"):
            ended.add(run("MEMORY.md", STUB, OLD))
            ended.add(run("MEMORY.md", STUB, OLD, force_in_place=True))
        ended.add(run("MEMORY.md", STUB, OLD, exchange=RefusingExchange(errno.EBUSY)))
        ended.add(run("MEMORY.md", OLD, STUB, exchange=RefusingExchange(errno.ENOSPC)))
        acts = Meanwhile(lambda: save_by_rename(file, b"one\n"), lambda: save_by_rename(file, b"two\n"))
        ended.add(run("MEMORY.md", OLD, STUB, exchange=acts))
        for left in tmp_path.glob(".conductd-*"):
            left.unlink()
        ended.add(run("MEMORY.md", b"two\n", None))
        ended.add(run("MEMORY.md", None, OLD))
        ended.add(run("memory/MEMORY.md", OLD, STUB))
        ended.add(run("gone/MEMORY.md", OLD, STUB))
        assert open_descriptors() == before
    assert ended == {Applied, Changed, Busy, NoSpace, Refused}


@linux_only
@pytest.mark.parametrize("to_link", [True, False])
def test_what_came_in_place_of_a_link_is_kept_also_when_it_cannot_go_back(tmp_path: Path, to_link: bool) -> None:
    file = tmp_path / "MEMORY.md"
    if to_link:
        file.write_bytes(OLD)
        order = order_for(tmp_path, "MEMORY.md", OLD, None, target_link=b"elsewhere.md")
    else:
        file.symlink_to("elsewhere.md")
        order = order_for(tmp_path, "MEMORY.md", None, OLD, judged_link=b"elsewhere.md")

    def somebody_saves() -> None:
        other = tmp_path / "theirs"
        other.write_bytes(b"- theirs\n")
        other.rename(file)

    def no_more() -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    done = apply(order, exchange=Meanwhile(somebody_saves, no_more))
    assert isinstance(done, Changed)
    assert done.others == (b"- theirs\n",)
    assert done.left is not None
    assert (tmp_path / os.fsdecode(done.left)).read_bytes() == b"- theirs\n"
    if done.late is not None:
        done.late.close()

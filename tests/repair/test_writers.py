"""Who has a file open: the kernel's word, and /proc's where there is none."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from conductd.repair.writers import Free, Held, NoLease, no_writer, openers, write_lease

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="leases are Linux's")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "MEMORY.md"
    made.write_bytes(b"x" * 4096)
    return made


def test_nobody_writes(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    assert no_writer(descriptor) == Free()
    os.close(descriptor)


def test_a_writable_mapping_counts_after_its_descriptor_is_closed(file: Path) -> None:
    descriptor = os.open(file, os.O_RDONLY)
    writer = os.open(file, os.O_RDWR)
    mapping = mmap.mmap(writer, 4096)
    os.close(writer)
    assert isinstance(no_writer(descriptor), Held)
    mapping.close()
    assert no_writer(descriptor) == Free()
    os.close(descriptor)


def test_a_write_lease_needs_the_file_alone(file: Path) -> None:
    descriptor = os.open(file, os.O_RDWR)
    reader = os.open(file, os.O_RDONLY)
    with write_lease(descriptor) as denied:
        assert isinstance(denied, Held)
    os.close(reader)
    with write_lease(descriptor) as denied:
        assert denied is None
    os.close(descriptor)


def test_breaking_our_lease_does_not_end_the_daemon(file: Path) -> None:
    """The kernel's default signal would: SIGIO ends a process that does not expect it."""
    assert signal.getsignal(signal.SIGIO) is signal.SIG_DFL
    descriptor = os.open(file, os.O_RDWR)
    opened = threading.Event()

    def open_for_reading() -> None:
        os.close(os.open(file, os.O_RDONLY))
        opened.set()

    with write_lease(descriptor) as denied:
        assert denied is None
        with pytest.raises(BlockingIOError):
            os.open(file, os.O_RDONLY | os.O_NONBLOCK)  # breaks the lease, and is signalled for
        thread = threading.Thread(target=open_for_reading)
        thread.start()
        assert not opened.is_set()
    assert opened.wait(30)
    thread.join()
    os.close(descriptor)


FALLBACK = """
import os, sys
from conductd.repair.writers import no_writer, write_lease
descriptor = os.open(sys.argv[1], os.O_RDONLY)
if os.geteuid() == 0:
    os.setuid(65534)
print(no_writer(descriptor))
with write_lease(descriptor) as denied:
    print(denied)
"""


def test_without_a_lease_own_processes_are_looked_through(tmp_path: Path) -> None:
    """Another user's file: the kernel gives no lease."""
    file = Path("/etc/hosts")
    if os.geteuid() == 0:
        file = tmp_path / "MEMORY.md"
        file.write_bytes(b"x")
    elif file.stat().st_uid == os.geteuid():
        pytest.skip("no other user's file at hand")
    daemon = Path(__file__).parents[2] / "daemon"
    done = subprocess.run(
        [sys.executable, "-c", FALLBACK, file],
        env={**os.environ, "PYTHONPATH": str(daemon)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    free, denied = done.stdout.splitlines()
    assert free == "Free(evidence='no lease (EACCES): own processes were looked through instead')"
    assert denied == str(NoLease("EACCES"))


def test_proc_tells_writers_from_readers(file: Path) -> None:
    reader = os.open(file, os.O_RDONLY)
    seen = os.fstat(reader)
    assert list(openers(seen, writers_only=True)) == []
    assert list(openers(seen, writers_only=False)) == [os.getpid()]
    assert list(openers(seen, writers_only=False, but=reader)) == []
    writer = os.open(file, os.O_WRONLY)
    assert list(openers(seen, writers_only=True)) == [os.getpid()]
    os.close(writer)
    os.close(reader)

"""Real processes writing and reading while a file is repaired: nothing either wrote is lost."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.repair.apply import apply
from conductd.repair.late import LateWatch
from conductd.repair.order import Applied, Busy, Changed, Order, Refused
from conductd.repair.recover import remove_leftover
from conductd.repair.temporary import new_temp_name
from repair.racing_writer import line_for

BASE = b"# Memory\n\n- what is put back again and again\n"
DEADLINE_S = 60

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the promises under test need leases")


class Writer:
    """The other process; `ask` does not wait, `answered` does."""

    def __init__(self, file: Path, kind: str, seed: int) -> None:
        script = Path(__file__).with_name("racing_writer.py")
        self.kind, self.seed = kind, str(seed)
        self.process = subprocess.Popen(
            [sys.executable, script, file, kind, self.seed], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def ask(self, number: int) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()

    def answered(self, number: int) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{number}\n"

    def line(self, number: int) -> bytes:
        return line_for(self.kind, self.seed, str(number))


@contextlib.contextmanager
def writers(file: Path, *kinds: str) -> Iterator[list[Writer]]:
    made = [Writer(file, kind, seed) for seed, kind in enumerate(kinds)]
    try:
        yield made
    finally:
        for writer in made:
            writer.process.communicate()


class Account:
    """Every byte string the daemon gets to see, the way the engine records it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.seen: list[bytes] = []
        self.watches: list[LateWatch] = []
        self.kinds: dict[str, int] = {}

    def repair(self, target: bytes) -> None:
        try:
            judged = (self.root / "MEMORY.md").read_bytes()
        except FileNotFoundError:
            return
        self.seen.append(judged)
        temp = new_temp_name()
        outcome = apply(Order(os.fsencode(self.root), b"MEMORY.md", hashlib.sha256(judged).digest(), target, temp))
        self.kinds[type(outcome).__name__] = self.kinds.get(type(outcome).__name__, 0) + 1
        assert not isinstance(outcome, Refused), outcome
        if isinstance(outcome, Changed):
            self.seen += [*outcome.others, outcome.data or b""]
            if outcome.left is not None:
                assert remove_leftover(os.fsencode(self.root), b"MEMORY.md", outcome.left)
        if isinstance(outcome, Applied | Changed) and outcome.late is not None:
            self.watches.append(outcome.late)

    def look_late(self) -> None:
        for watch in self.watches:
            if (data := watch.check()) is not None:
                self.seen.append(data)

    def close(self) -> None:
        self.look_late()
        self.seen.append((self.root / "MEMORY.md").read_bytes())
        for watch in self.watches:
            watch.close()


@pytest.mark.parametrize("kind", ["append", "truncate", "rename"])
def test_what_one_writer_saves_during_a_repair_is_never_lost(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(BASE)
    account = Account(tmp_path)
    with writers(file, kind) as (writer,):
        for number in range(120):
            writer.ask(number)
            account.repair(BASE if number % 2 else BASE + b"- more\n")
            writer.answered(number)
            account.look_late()
            account.seen.append(file.read_bytes())
            assert any(writer.line(number) in text for text in account.seen), (number, account.kinds)
    account.close()
    assert {path.name for path in tmp_path.iterdir()} == {"MEMORY.md"}


def test_two_writers_that_append_lose_nothing_to_the_repair(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(BASE)
    account = Account(tmp_path)
    count = 200
    with writers(file, "append", "append") as both:
        asking = [threading.Thread(target=ask_all, args=(writer, count)) for writer in both]
        for thread in asking:
            thread.start()
        while any(thread.is_alive() for thread in asking):
            account.repair(BASE)
        for thread in asking:
            thread.join(DEADLINE_S)
    account.close()
    everything = b"\n".join(account.seen)
    lost = [writer.line(n) for writer in both for n in range(count) if writer.line(n) not in everything]
    assert not lost
    assert account.kinds.get("Applied", 0) > 0
    assert account.kinds.get("Changed", 0) + account.kinds.get("Busy", 0) > 0, "nobody raced"
    assert {path.name for path in tmp_path.iterdir()} == {"MEMORY.md"}


def ask_all(writer: Writer, count: int) -> None:
    for number in range(count):
        writer.ask(number)
        writer.answered(number)


READER = """
import sys
bad = 0
reads = 0
allowed = {open(name, 'rb').read() for name in sys.argv[2:]}
print('ready', flush=True)
import select
while not select.select([sys.stdin], [], [], 0)[0]:
    with open(sys.argv[1], 'rb') as file:
        bad += file.read() not in allowed
    reads += 1
print(bad, reads, flush=True)
"""


def test_a_reader_sees_only_whole_files(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    texts = [b"- one\n" * 3000, b"- two, which is longer\n" * 5000]
    for number, text in enumerate(texts):
        (tmp_path / f"text{number}").write_bytes(text)
    file.write_bytes(texts[0])
    root = os.fsencode(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", READER, file, tmp_path / "text0", tmp_path / "text1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
        for round_ in range(100):
            judged, target = texts[round_ % 2], texts[(round_ + 1) % 2]
            outcome = apply(Order(root, b"MEMORY.md", hashlib.sha256(judged).digest(), target, new_temp_name()))
            assert isinstance(outcome, Applied)
            assert outcome.late is not None
            outcome.late.close()
        answer, _ = reader.communicate("\n")
    bad, reads = map(int, answer.split())
    assert bad == 0
    assert reads > 100


def test_two_repairs_of_one_file_do_not_both_happen(tmp_path: Path) -> None:
    """Two daemons, or a daemon and a person's restore: one of them finds the file changed or busy."""
    file = tmp_path / "MEMORY.md"
    for _ in range(30):
        file.write_bytes(BASE)
        outcomes: list[object] = []
        targets = [b"- target of one\n", b"- target of two\n"]

        def repair(target: bytes, into: list[object]) -> None:
            order = Order(os.fsencode(tmp_path), b"MEMORY.md", hashlib.sha256(BASE).digest(), target, new_temp_name())
            into.append((target, apply(order)))

        threads = [threading.Thread(target=repair, args=(target, outcomes)) for target in targets]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE_S)
        applied = [target for target, outcome in outcomes if isinstance(outcome, Applied)]  # type: ignore[attr-defined]
        others = [outcome for _, outcome in outcomes if not isinstance(outcome, Applied)]  # type: ignore[attr-defined]
        assert len(applied) <= 1
        assert all(isinstance(outcome, Changed | Busy) for outcome in others)
        if applied:
            assert file.read_bytes() == applied[0]
        for _, outcome in outcomes:  # type: ignore[attr-defined]
            if isinstance(outcome, Applied | Changed) and outcome.late is not None:
                outcome.late.close()

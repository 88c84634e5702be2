"""docs/formats/reader.py restores every version of a journal the suite made, without the package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conductd.journal import writer
from conductd.journal.erase import KEEP
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import VersionRecord
from support.journals import WORKSPACE, StepClock, growing, noise, version

READER = Path(__file__).resolve().parents[2] / "docs" / "formats" / "reader.py"


def read(*arguments: os.PathLike[str] | str) -> subprocess.CompletedProcess[bytes]:
    # -I: neither the package beside the test nor anything of the environment is importable by accident.
    return subprocess.run([sys.executable, "-I", str(READER), *map(str, arguments)], capture_output=True, check=False)


def fill(directory: Path) -> dict[tuple[bytes, int], bytes]:
    """A journal with deltas across segments, raw content, odd names, absences; {(path, sequence): bytes}."""
    expected: dict[tuple[bytes, int], bytes] = {}
    with DirectoryStorage(directory, exclusive=True) as storage:
        journal, _ = Journal.open(storage, clock=StepClock(), writer="0.1.0")
        for at, body in enumerate(growing(60)):
            drafts = [version(body), version(noise(300, seed=at), file=2, path=b"memory/100%s/\xff\xfe.md")]
            if at % 20 == 0:
                drafts += [version(b"", file=3, path=b"empty.md"), version(None, file=4, path=b"gone.md")]
            for draft, stored in zip(drafts, journal.append(drafts), strict=True):
                if draft.body is not None and isinstance(draft.record, VersionRecord):
                    expected[draft.record.path, stored.seq] = draft.body
        journal.close()
    return expected


def restored(out: Path) -> dict[tuple[bytes, int], bytes]:
    top = os.fsencode(out / "versions" / WORKSPACE)
    found = {}
    for directory, _, files in os.walk(top):
        for name in files:
            with open(os.path.join(directory, name), "rb") as file:
                found[os.path.relpath(directory, top), int(name)] = file.read()
    return found


def test_the_reader_restores_every_version_byte_for_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 16384)
    expected = fill(tmp_path / "journal")
    assert len(list((tmp_path / "journal").glob("*.seg"))) > 2
    done = read(tmp_path / "journal", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert restored(tmp_path / "out") == expected
    newest = {path: body for (path, _), body in sorted(expected.items(), key=lambda item: item[0][1])}
    for path, body in newest.items():
        with open(os.path.join(os.fsencode(tmp_path / "out" / "newest" / WORKSPACE), path), "rb") as file:
            assert file.read() == body


def test_the_reader_lists_what_there_is(tmp_path: Path) -> None:
    fill(tmp_path / "journal")
    done = read(tmp_path / "journal", "--list")
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0, done.stderr
    assert len(lines) == 126
    assert sum(" absent " in line for line in lines) == 3


def test_the_reader_restores_all_but_the_damaged_and_says_which(tmp_path: Path) -> None:
    expected = fill(tmp_path / "journal")
    segment = tmp_path / "journal" / "00000001.seg"
    data = bytearray(segment.read_bytes())
    victim = next(seq for (path, seq) in expected if path != b"MEMORY.md" and seq > 40)
    at = data.index(expected[b"memory/100%s/\xff\xfe.md", victim][:32])
    data[at] ^= 1
    segment.write_bytes(data)
    done = read(tmp_path / "journal", tmp_path / "out")
    assert done.returncode == 1
    assert f"version {victim} ".encode() in done.stderr
    lost = {key for key in expected if key not in restored(tmp_path / "out")}
    assert {seq for _, seq in lost} == {victim}


def test_the_reader_reads_an_erased_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "SMALLEST", 16384)
    expected = fill(tmp_path / "journal")
    with DirectoryStorage(tmp_path / "journal", exclusive=True) as storage:
        journal, _ = Journal.open(storage, clock=StepClock(), writer="0.1.0")
        journal.erase(lambda stored, _body: None if stored.seq % 3 == 0 else KEEP, "gc")
        journal.close()
    done = read(tmp_path / "journal", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert restored(tmp_path / "out") == {key: body for key, body in expected.items() if key[1] % 3}


def test_the_reader_is_short_and_needs_nothing_of_the_package() -> None:
    text = READER.read_text()
    assert len(text.splitlines()) <= 120
    assert "import conductd" not in text
    assert "from conductd" not in text

"""Files that are written so often that they are not quiet for long: nothing that stood is forgotten."""

from __future__ import annotations

from pathlib import Path

from support.daemon import Daemon


def _append(daemon: Daemon, file: Path, lines: list[str]) -> None:
    """Each line is a version of its own, and the file never quiet."""
    for line in lines:
        with file.open("a") as out:
            out.write(line)
        daemon.sync()
        daemon.advance(100)


def _lines(word: str, count: int) -> list[str]:
    return [f"- {word} {n} {n * 7919} tells about {word}{n * 31} and {word}{n * 17}\n" for n in range(count)]


def test_what_was_written_before_a_loss_in_a_burst_comes_back(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    before, after = _lines("earlier", 30), _lines("later", 70)
    _append(daemon, memory, before)
    memory.write_text("# Memory\n\n- a few words are all that is left here\n")
    daemon.sync()
    daemon.advance(100)
    _append(daemon, memory, after)
    daemon.settle()
    text = memory.read_text()
    assert [line for line in ("note 1:", "note 40:", *before, *after) if line not in text] == []


def test_a_loss_that_leaves_the_size_as_it_was_is_found_among_many_versions(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    before = _lines("earlier", 20)
    _append(daemon, memory, before)
    other = "".join(_lines("other", 200))[: memory.stat().st_size - 1] + "\n"
    memory.write_text(other)
    daemon.sync()
    daemon.advance(100)
    _append(daemon, memory, _lines("later", 70))
    daemon.settle()
    text = memory.read_text()
    assert [line for line in ("note 1:", "note 40:", *before) if line not in text] == []

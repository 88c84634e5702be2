"""Tables on narrow terminals."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from conductd.cli import output, table

HEAD = ["SEQ", "TIME", "FILE", "DIGEST"]
ROWS = [["1", "14:03:22", "MEMORY.md", "1f637776ddef"], ["2", "14:03:23", "日記.md", "-"]]


def shown(columns: int | None, monkeypatch: pytest.MonkeyPatch, spare: Sequence[str] = ("TIME", "DIGEST")) -> list[str]:
    monkeypatch.setattr(table, "columns", lambda: columns)
    return table.table(ROWS, HEAD, spare=spare)


@pytest.mark.parametrize(
    ("columns", "left"),
    [
        (None, ["SEQ", "TIME", "FILE", "DIGEST"]),
        (38, ["SEQ", "TIME", "FILE", "DIGEST"]),
        (37, ["SEQ", "FILE", "DIGEST"]),
        (27, ["SEQ", "FILE"]),
        (3, ["SEQ", "FILE"]),
    ],
)
def test_a_narrow_terminal_gets_fewer_columns_and_a_pipe_all(
    columns: int | None, left: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = shown(columns, monkeypatch)
    assert lines[0].split() == left
    assert len(lines) == 3
    if columns is not None and columns > 3:
        assert max(map(table.width, lines)) <= columns


def test_what_is_not_spare_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(1, monkeypatch, spare=()) == shown(None, monkeypatch)


def test_a_terminal_of_no_known_width_gets_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "on_terminal", lambda: True)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((0, 0)))
    assert output.columns() is None
    monkeypatch.setenv("COLUMNS", "60")
    assert output.columns() == 60
    monkeypatch.setattr(output, "on_terminal", lambda: False)
    assert output.columns() is None

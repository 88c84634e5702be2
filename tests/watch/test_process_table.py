"""The processes as `ps` tells of them."""

from __future__ import annotations

import os
import shutil

import pytest

from conductd.watch import ancestry, process_table
from conductd.watch.process_table import Row


def test_a_table_is_read_line_by_line_and_what_is_no_process_is_passed_over() -> None:
    table = (
        b"    1     0 ??       /sbin/launchd\n"
        b"  501     1 ttys001  -zsh\n"
        b"  777   501 ttys001  node /opt/homebrew/bin/openclaw gateway --token s3cret\n"
        b"  778   777 ?        (defunct)\nnonsense\n  9 x ? y\n"
    )
    rows = process_table.parse(table)
    assert rows[777] == Row(777, 501, True, ["node", "/opt/homebrew/bin/openclaw", "gateway", "--token", "s3cret"])
    assert [(each.pid, each.terminal) for each in rows.values()] == [(1, False), (501, True), (777, True), (778, False)]


@pytest.mark.skipif(shutil.which("ps") is None, reason="this system has no ps")
def test_the_table_and_proc_tell_the_same_ancestors(monkeypatch: pytest.MonkeyPatch) -> None:
    by_proc = [(one.pid, one.parent, one.terminal) for one in ancestry.ancestry(os.getpid())]
    monkeypatch.setattr(ancestry, "HAS_PROC", False)
    assert [(one.pid, one.parent, one.terminal) for one in ancestry.ancestry(os.getpid())] == by_proc

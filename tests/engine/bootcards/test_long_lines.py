"""Secrets far into long lines and long files are seen all the same."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from conductd.config import Config
from conductd.engine.bootcards.making import Around, Wish, made

KEY = "sk-live-4f9QzX81mPq27RtLw03KsVb6"


@pytest.mark.parametrize("before", ["", "x " * 5_000, "y" * 9_000 + "\n- [ ] ", "line\n" * 5_000 + "- [ ] "])
def test_a_secret_is_never_quoted(tmp_path: Path, before: str) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-08.md").write_text(f"- [ ] {before}set api_key = {KEY} in the shell\n- [ ] other\n")
    wish = Wish(date(2026, 3, 8), tokens=60_000, lines=400)
    view = made(os.fsencode(tmp_path), wish, Around(Config(), {}, "/h"))
    assert KEY not in view.text
    assert view.secrets >= 1
    assert "other" in view.text


def test_a_key_over_many_lines_is_seen_whole(tmp_path: Path) -> None:
    body = "".join(f"- [ ] {'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODk'}\n" for _ in range(20))
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n"
    (tmp_path / "TASKS.md").write_text(text)
    view = made(os.fsencode(tmp_path), Wish(date(2026, 3, 8)), Around(Config(), {}, "/h"))
    assert "QUJDREVG" not in view.text

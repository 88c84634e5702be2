"""Lines that quote a file with their place are told from lines that keep what was there."""

from __future__ import annotations

import pytest

from conductd.core.comparing.quotations import quotations
from conductd.core.reading.entries import entry_table


@pytest.mark.parametrize(
    ("line", "path", "is_quotation"),
    [
        ('- constraint: "Never deploy on Friday" (MEMORY.md:12)', b"MEMORY.md", True),
        ('- next action: "run the fuzz tests" (memory/parser.md:4,7)', b"memory/parser.md", True),
        ('- new: "caf\ufffd" (memory/caf\ufffd.md:1)', b"memory/caf\xe9.md", True),
        ('- new: "打开 (a.md:1)" (记忆.md:3)', "记忆.md".encode(), True),
        ('- constraint: "Never deploy on Friday" (MEMORY.md:12)', b"memory/other.md", False),
        ("- Never deploy on Friday (MEMORY.md:12)", b"MEMORY.md", False),
        ('- "Never deploy on Friday" (MEMORY.md)', b"MEMORY.md", False),
        ('- "Never" (MEMORY.md:12) and more', b"MEMORY.md", False),
    ],
)
def test_a_quotation_names_its_place(line: str, path: bytes, is_quotation: bool) -> None:
    assert bool(quotations(entry_table(f"# Log\n\n{line}\n".encode(), b"k"), path)) is is_quotation

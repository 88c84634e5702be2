"""Names that differ only in how they are spelt."""

from __future__ import annotations

import pytest

from conductd.core.load.split_names import split_names


@pytest.mark.parametrize(
    ("names", "groups"),
    [
        (["MEMORY.md", "memory.md"], [("MEMORY.md", "memory.md")]),
        (["MEMORY.md", "Memory.MD", "memory.md"], [("MEMORY.md", "Memory.MD", "memory.md")]),
        (["memory/Ünder.md", "memory/U\u0308nder.md"], [("memory/U\u0308nder.md", "memory/Ünder.md")]),
        (["memory/a.md", "Memory/a.md"], [("Memory/a.md", "memory/a.md")]),
        (["STRASSE.md", "straße.md"], [("STRASSE.md", "straße.md")]),
        (["MEMORY.md", "memory/MEMORY.md"], []),
        (["MEMORY.md", "memory.txt", "MEMORY"], []),
        (["MEMORY.md"], []),
    ],
)
def test_names_that_a_file_system_may_take_for_one(names: list[str], groups: list[tuple[str, ...]]) -> None:
    assert [each.files for each in split_names(names, names)] == groups


def test_only_what_is_protected_counts() -> None:
    assert split_names(["Readme.md", "README.md"], ["MEMORY.md"]) == ()


def test_the_one_that_is_loaded_is_named() -> None:
    (found,) = split_names(["MEMORY.md", "memory.md"], ["memory.md"], ["memory.md"])
    assert (found.name, found.files) == ("memory.md", ("MEMORY.md", "memory.md"))

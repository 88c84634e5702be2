"""Who is named for an act: who called the command line, not the command line."""

from __future__ import annotations

import pytest

from conductd.engine.answering.notices import asker


@pytest.mark.parametrize(
    ("caller", "named"),
    [
        (("20 python conductd", "19 bash", "1 init"), "19 bash"),
        (("20 conductd", "19 claude", "1 init"), "19 claude"),
        (("20 python -m conductd", "19 zsh"), "19 zsh"),
        (("20 curl", "19 bash"), "20 curl"),
        (("20 conductd",), "20 conductd"),
        ((), "an unknown process"),
    ],
)
def test_who_called_the_command_line_is_named(caller: tuple[str, ...], named: str) -> None:
    assert asker(caller) == named

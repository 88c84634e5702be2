"""Every command that is printed works when it is pasted: names in it are quoted whole, and never with `~` in quotes."""

from __future__ import annotations

import re
from pathlib import Path

import conductd
from conductd.views.words import pasted

PACKAGE = Path(conductd.__file__).parent
# A name that is shortened for people, or left without quotes, in a command.
_SHORTENED = re.compile(r"quote\((?:render\.)?(?:place|leased)\(|conductd [a-z]+ \{(?:place|leased|shown)\(")


def test_no_command_quotes_a_name_that_was_shortened() -> None:
    found = {path.name: _SHORTENED.findall(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    assert {name: hits for name, hits in found.items() if hits} == {}


def test_a_name_with_signs_of_a_shell_is_quoted() -> None:
    assert pasted("conductd", "protect", "/home/u/My Notes") == "conductd protect '/home/u/My Notes'"
    assert pasted("conductd", "protect", "/home/u/notes") == "conductd protect /home/u/notes"

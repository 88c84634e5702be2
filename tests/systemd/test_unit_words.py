"""What is written into a unit is what a real systemd reads there: words of commands, programs, variables."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from conductd.service.unit_words import assignment, command
from systemd.lab import Lab, NoBoot, why_not

pytestmark = [
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "-"),
    pytest.mark.timeout(300),
]

SPECIAL = (
    "$HOME",
    "${HOME}",
    "$",
    "$$",
    "%h",
    "%%",
    "%",
    ";",
    "\\",
    "\\;",
    "'",
    '"',
    "\\x41",
    "#",
    "@",
    ":",
    "-",
    "{}",
)
TEXT = (
    " ",
    "\t",
    "\n",
    "\r",
    "a b",
    "ä",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "漢",
    "\U0001f600",
    "\ufffe",
    "\U0010ffff",
    "\udcff",
)
PROGRAM = """#!/bin/sh
{ printf '%s\\0' "$0" "$@"; printf '=variables=\\0'; env -0; } > "$OUT"
"""


def some(pieces: Sequence[str], number: int) -> list[str]:
    """Each alone, between others, and mixtures of them: always the same ones."""
    chance = random.Random(number)
    mixed = ["".join(chance.choices([*pieces, "a", "/"], k=chance.randint(2, 9))) for _ in range(number)]
    return [*pieces, *(f"x{each}y" for each in pieces), *(f"{each}{each}" for each in pieces), *mixed]


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    try:
        with Lab(tmp_path) as lab:
            yield lab
    except NoBoot as error:
        pytest.skip(f"no systemd comes up here: {error}")


class Started:
    """What a program was started with."""

    def __init__(self, lab: Lab, place: Path, program: str, *arguments: str, **variables: str) -> None:
        os.makedirs(os.path.dirname(program), exist_ok=True)
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        os.chmod(program, 0o755)
        out, unit = place / "out", place / "words.service"
        lines = [f"Environment={assignment(name, value)}" for name, value in {**variables, "OUT": str(out)}.items()]
        given = ["[Service]", "Type=oneshot", *lines, f"ExecStart={command([program, *arguments])}"]
        unit.write_bytes("\n".join(given).encode() + b"\n")
        units = lab.home / ".config/systemd/user"
        lab.run("bash", "-c", 'mkdir -p "$2" && cp "$1" "$2"', "-", str(unit), str(units))
        lab.run("systemctl", "--user", "daemon-reload")
        lab.run("systemctl", "--user", "start", unit.name)
        held = os.fsdecode(out.read_bytes()).split("\0")
        end = held.index("=variables=")
        self.command, self.environment = held[:end], dict(each.split("=", 1) for each in held[end + 1 : -1])


def test_arguments_are_taken_as_they_are(lab: Lab, tmp_path: Path) -> None:
    control = [chr(code) for code in (*range(1, 32), 127)]
    undecoded = [os.fsdecode(bytes([code])) for code in range(128, 256)]
    mixed = some([*SPECIAL, *TEXT, *control, *undecoded], 400)
    words = ["", *(os.fsdecode(os.fsencode(each)) for each in mixed)]  # some bytes become text side by side
    program = str(tmp_path / "plain" / "program")
    assert Started(lab, tmp_path, program, *words).command == [program, *words]
    priced = str(tmp_path / "${HOME}" / "program")
    assert Started(lab, tmp_path, priced, *words).command == [priced, *words], "without variables"


def test_variables_are_taken_as_they_are(lab: Lab, tmp_path: Path) -> None:
    values = some([*SPECIAL, *(each for each in TEXT if each not in "\r\ufffe\U0010ffff\udcff")], 200)
    given = {f"V{number}": value for number, value in enumerate(values)}
    held = Started(lab, tmp_path, str(tmp_path / "program"), **given).environment
    assert {name: held.get(name) for name in given} == given


@pytest.mark.parametrize(
    "name",
    ["a b", "a$b", "$HOME", "x${HOME}y", "a$$b", "a%hb", "50%", "ä", "a\udcffb", "a\ufffeb", "a;b", "#a", "@a", "-"],
)
def test_a_program_is_found_at_its_path(lab: Lab, tmp_path: Path, name: str) -> None:
    program = str(tmp_path / name / "program")
    assert Started(lab, tmp_path, program, "$HOME", "%h").command == [program, "$HOME", "%h"]

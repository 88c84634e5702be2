"""docs/doctor.md lists every check with what it looks at and why, in the words of the code, and every fix."""

from __future__ import annotations

import re

from conductd.cli import doctor
from conductd.core.doctor.checks import ALL
from conductd.core.doctor.finding import Result
from conductd.core.doctor.fixes import REPAIRS

from .pages import read


def rows(*, of_fixes: bool = False) -> dict[str, tuple[str, str]]:
    checks, _, fixes = read("docs/doctor.md").partition("\n## Fixes\n")
    found = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+) \|$", fixes if of_fixes else checks, re.MULTILINE)
    return {name: (one, two) for name, one, two in found}


def test_every_check_is_on_the_page_in_the_words_of_the_code() -> None:
    listed = {name: row for name, row in rows().items() if name not in set(Result)}
    assert listed == {each.name: (each.looks_at, each.why) for each in ALL}


def test_every_fix_is_on_the_page() -> None:
    assert set(REPAIRS) == rows(of_fixes=True).keys()


def test_the_exit_codes_are_those_of_the_command() -> None:
    for result in Result:
        assert re.search(rf"^\| `{result}` \|.*\| {doctor.exit_code(result)} \|$", read("docs/doctor.md"), re.MULTILINE)
    for code in (doctor.FAILS, doctor.WARNS, doctor.UNKNOWN):
        assert f"{code}" in read("docs/errors.md")

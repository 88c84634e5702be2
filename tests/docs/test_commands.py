"""Every command that a page names exists: of the command line, of make."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from conductd.cli.main import cli

from .pages import ROOT, all_pages, calls, read

PAGES = all_pages()
PLACEHOLDER = "COMMAND"
# Named by the pages as what is to come.
TO_COME = {"forget"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_call_of_conductd_is_understood(page: Path) -> None:
    for call in calls(read(page), "conductd"):
        name = call[0]
        if name == PLACEHOLDER or name in TO_COME or name.startswith("-") or re.match(r"[^a-z]", name):
            continue
        command = cli.get_command(click.Context(cli), name)
        assert command is not None, call
        if isinstance(command, click.Group) and len(call) > 1:
            command = command.get_command(click.Context(command), call[1])
            assert command is not None, call
        known = {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts}
        used = {re.sub(r"[=\]…].*", "", word.lstrip("[")) for word in call if word.lstrip("[").startswith("-")}
        assert used - {"-h", "--help"} <= known, call


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_make_target_and_variable_exists(page: Path) -> None:
    makefile = read("Makefile")
    for call in calls(read(page), "make"):
        for word in call:
            name, is_variable, _ = word.partition("=")
            assert f"\n{name} ?=" in makefile if is_variable else name in targets(), call


def test_the_readme_names_the_two_commands_and_the_others() -> None:
    named = {call[0] for call in calls(read("README.md"), "make")}
    assert {"run", "test", "check", "bench"} <= named


def test_continuous_integration_runs_what_the_pages_say() -> None:
    assert "exec make check" in read(".ci/run")
    check = re.search(r"^check: (.*)$", read("Makefile"), re.MULTILINE)
    assert check is not None
    assert check.group(1).split() == ["format", "lint", "types", "imports", "test"]


def test_every_python_file_that_a_page_runs_is_there() -> None:
    for page in PAGES:
        for call in calls(read(page), "python"):
            for word in call:
                if word.endswith(".py"):
                    places = (ROOT / word, page.parent / word)
                    assert any(place.exists() for place in places), (page.name, word)

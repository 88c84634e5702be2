"""The sentences of the checks: one, two and none of a thing; what helps is a command that this program takes."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from msgspec.structs import replace

from conductd.cli.main import cli
from conductd.core.night.facts import NightFile
from conductd.core.qc.check import _OF_WORKSPACE
from conductd.core.qc.checks import ALL, examine
from conductd.core.qc.facts import CardFacts, Drill, PinFacts, QcFacts
from conductd.core.qc.results import Finding, Grade
from conductd.model import Role
from core.night.workspaces import NAMES, qc_facts

PLACE = Path(__file__).parents[3] / "daemon" / "conductd" / "core" / "qc"


def written() -> Iterator[str]:
    """Every string in the source of the checks that begins as a command."""
    for source in sorted(PLACE.glob("*.py")):
        for each in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.startswith("conductd "):
                yield each.value


def all_findings() -> list[Finding]:
    """Of every workspace, as it is and with each of its facts missing."""
    found: list[Finding] = []
    for name in NAMES:
        facts = qc_facts(name)
        found += examine(facts)
        for need in ("diagnoses", "verified", "pins", "card", "drill", "missing", "searched"):
            found += examine(replace(facts, **{need: None}))
        for need in ("changes", "incidents"):
            day = replace(facts.night.day, **{need: None})
            found += examine(replace(facts, night=replace(facts.night, day=day)))
    return found


def parses(command: str) -> None:
    """Raises what the command line says of it."""
    words = shlex.split(command)
    assert words[0] == "conductd"
    group: click.Command = cli
    context, rest = None, words[1:]
    while isinstance(group, click.Group):
        context = click.Context(group, parent=context, info_name=group.name)
        _, found, rest = group.resolve_command(context, rest)
        assert found is not None, command
        group = found
        if isinstance(group, click.Group):
            assert rest, f"{command} is no command by itself"
    group.make_context(group.name, rest, parent=context)


@pytest.mark.parametrize("command", sorted({*written()}))
def test_each_command_that_helps_is_one_of_this_program(command: str) -> None:
    option = _OF_WORKSPACE.get(command)
    parses(command)
    if option is not None:
        parses(shlex.join([*shlex.split(command), *option, "/home/anna/my notes"]))


def test_each_finding_that_is_no_pass_says_what_helps() -> None:
    found = all_findings()
    assert {each.check for each in found if each.grade is not Grade.PASS} == {each.name for each in ALL}
    for each in found:
        assert bool(each.fix) is (each.grade is not Grade.PASS), each
        if each.fix.startswith("conductd "):
            parses(each.fix)


def test_a_command_about_a_workspace_names_it() -> None:
    facts = qc_facts("busy")
    occasion = replace(facts.night.occasion, root=b"/home/anna/my notes")
    found = {each.check: each.fix for each in examine(replace(facts, night=replace(facts.night, occasion=occasion)))}
    assert found["one_name"] == "conductd doctor --fix --workspace '/home/anna/my notes'"


NOUNS = "byte change entry file finding incident line note pair place pointer version"


def test_nothing_counted_is_in_the_wrong_number() -> None:
    one = "|".join(NOUNS.split())
    many = "|".join(f"{each}s" for each in NOUNS.split()) + "|entries"
    for each in all_findings():
        for words in (each.words, *each.evidence):
            assert not re.search(rf"(?<![\d,.])1 (?:\w+ )?(?:{many})\b", words), words
            assert not re.search(rf"(?<![\d,.])(?!1\b)\d[\d,]* (?:\w+ )?(?:{one})\b", words), words


@pytest.mark.parametrize(
    ("check", "fields", "words"),
    [
        ("pins", {"pins": PinFacts(0, 0)}, "nothing is pinned"),
        ("pins", {"pins": PinFacts(1, 0)}, "1 pinned entry, none known to be out of sight"),
        ("pins", {"pins": PinFacts(1, 1)}, "the agent does not see all that is pinned in 1 file"),
        ("pins", {"pins": PinFacts(9, 2)}, "the agent does not see all that is pinned in 2 files"),
        ("boot_card", {"card": CardFacts(500, 500, 1, 0)}, "the boot card has no room for 1 line"),
        ("boot_card", {"card": CardFacts(500, 500, 2, 0)}, "the boot card has no room for 2 lines"),
        ("boot_card", {"card": CardFacts(500, 500, 2, 2)}, "the boot card has no room for 2 pinned lines"),
        (
            "boot_card",
            {"card": CardFacts(1_310, 2_500, 0, 0)},
            "the boot card has everything, at most 1,310 of 2,500 tokens",
        ),
        ("drill", {"drill": Drill(1)}, "1 file of yesterday restored for a try, each as recorded"),
        (
            "drill",
            {"drill": Drill(1_200, left_out=3)},
            "1,200 files of yesterday restored, each as recorded; 3 more not tried",
        ),
    ],
)
def test_one_and_many(check: str, fields: dict[str, object], words: str) -> None:
    found = examine(replace(qc_facts("clean"), **fields), (check,))  # type: ignore[arg-type]
    assert [each.words for each in found] == [words]


@pytest.mark.parametrize(
    ("check", "files", "words"),
    [
        ("recorded", {}, "there is no protected file yet"),
        ("recorded", {"a.md": "- x\n"}, "1 file is on record as it is on disk"),
        ("dangling", {}, "no note points to a file"),
        ("dangling", {"a.md": "`b.md`\n", "b.md": "- x\n"}, "1 pointer leads where it says"),
        ("dangling", {"a.md": "`b.md`, `c.md`\n", "b.md": "- x\n", "c.md": "- y\n"}, "2 pointers lead where they say"),
        ("memory_size", {"memory/a.md": "x"}, "1 file in directories of the workspace, 1 byte"),
        ("memory_size", {}, "0 files in directories of the workspace, 0 bytes"),
        ("duplicates", {"a.md": "- one two three four\n" * 3}, "1 entry stands more than once"),
        (
            "stale_dates",
            {"a.md": "- [ ] by 2026-01-01\n- [ ] by 2026-01-02\n"},
            "2 open lines have a date that has passed",
        ),
        (
            "orphans",
            {"a.md": "会議.md\n", "memory/会議.md": "- x\n", "memory/b.md": "- y\n"},
            "no note points to 1 topic file",
        ),
    ],
)
def test_one_and_many_of_what_stands_in_files(check: str, files: dict[str, str], words: str) -> None:
    assert said(qc_facts("clean"), check, files).words == words


def said(facts: QcFacts, check: str, files: dict[str, str]) -> Finding:
    stand = tuple(
        NightFile(path.encode(), Role.TOPIC if path.startswith("memory/") else Role.CURATED, text.encode(), 1)
        for path, text in sorted(files.items())
    )
    (found,) = examine(replace(facts, night=replace(facts.night, files=stand)), (check,))
    return found

"""The command reference, the man page, the help and the completion are the command line's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

import reference
from conductd.cli.completion import script_of
from conductd.cli.help import topics
from conductd.cli.main import COMMANDS

CONDUCTD = [sys.executable, "-m", "conductd"]


def test_the_reference_is_current() -> None:
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), "make reference"


def test_the_man_page_is_current() -> None:
    assert reference.MAN.read_text(encoding="utf-8") == reference.man(), "make reference"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_the_man_page_has_no_fault() -> None:
    ran = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z", str(reference.MAN)], capture_output=True, text=True, timeout=60
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_help_knows_every_page_and_command() -> None:
    pages = {path.stem for path in (reference.ROOT / "docs").glob("*.md")} - {"README"}
    assert set(topics()) == pages
    assert all(page in helped()[1] for page in pages)
    assert helped("restore")[1].startswith("Usage: conductd restore")
    assert helped("index", "rebuild")[1].startswith("Usage: conductd index rebuild")
    assert helped("errors")[1].startswith("# Errors")
    code, _, said = helped("resto")
    assert (code, "did you mean: conductd help restore" in said) == (3, True)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("formats/journal", "docs/formats/journal.md"),
        ("docs/agents.md", "docs/agents.md"),
        ("README", "docs/README.md"),
        ("adr/0002-threads-not-asyncio.md", "docs/adr/0002-threads-not-asyncio.md"),
    ],
)
def test_what_a_page_links_to_is_a_page(name: str, first: str) -> None:
    code, said, _ = helped(name)
    assert (code, said.partition("\n")[0]) == (0, (reference.ROOT / first).read_text().partition("\n")[0])


@pytest.mark.parametrize(
    "name", ["../README", "/etc/passwd", "formats/../../README", "docs/nosuch.md", "formats/reader.py"]
)
def test_nothing_but_a_page_is_one(name: str) -> None:
    assert helped(name)[0] == 3


def helped(*topic: str) -> tuple[int, str, str]:
    ran = subprocess.run([*CONDUCTD, "help", *topic], capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_takes_its_script(shell: str) -> None:
    script = script_of(shell)
    assert "_CONDUCTD_COMPLETE" in script
    if shutil.which(shell) is None:
        return  # read by click's own tests
    ran = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_bash_completes_commands_and_options() -> None:
    def completed(words: str, at: int) -> set[str]:
        env = {**os.environ, "_CONDUCTD_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)}
        ran = subprocess.run(CONDUCTD, env=env, capture_output=True, text=True, timeout=60)
        return {line.partition(",")[2] for line in ran.stdout.splitlines()}

    assert completed("conductd sta", 1) == {name for name in COMMANDS if name.startswith("sta")}
    assert "--dry-run" in completed("conductd service install --", 3)
    assert "rebuild" in completed("conductd index re", 2)


@pytest.mark.parametrize("page", sorted(topics()))
def test_every_page_that_is_listed_can_be_read(page: str) -> None:
    """Also where a command has its name; then the command's help names the way."""
    title = (reference.ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").splitlines()[0]
    code, out, _ = helped("--page", page)
    assert (code, out.splitlines()[0]) == (0, title)
    if page in COMMANDS:
        assert f"conductd help --page {page}" in helped(page)[1]


def test_a_command_without_a_page_has_none() -> None:
    assert helped("--page", "undo")[0] == 3

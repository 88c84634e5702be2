"""What the pages point at is there: links, anchors, files, modules, layers, threads."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from conductd.config import paths

from .pages import ROOT, all_pages, anchors, links, read, spans

PACKAGE = ROOT / "daemon" / "conductd"
ARCHITECTURE = read("ARCHITECTURE.md")
_PATH = re.compile(r"[\w.\-]+(?:/[\w.\-]+)*/?")


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_resolves(page: Path) -> None:
    for link in links(read(page)):
        if link.startswith(("https:", "http:")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_file_and_package_named_exists(page: str) -> None:
    named = [span for span in spans(read(page)) if _PATH.fullmatch(span)]
    named = [span for span in named if "/" in span or span.endswith((".py", ".md", ".toml"))]
    assert named
    # What the product protects is named as well; it is nothing of the project's.
    missing = [each for each in named if not (ROOT / each).exists() and not (PACKAGE / each).exists()]
    assert set(missing) <= {"MEMORY.md"}


def test_the_rooms_are_all_there_are() -> None:
    rooms = ARCHITECTURE.partition("## Rooms")[2].partition("\nImports go")[0]
    named = {name.rstrip("/") for row in re.findall(r"^\| (`.*?`) \|", rooms, re.MULTILINE) for name in spans(row)}
    packages = {str(each.parent.relative_to(PACKAGE)) for each in PACKAGE.rglob("*/__init__.py")}
    modules = {each.name for each in PACKAGE.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert named == packages | modules


def test_the_layers_are_those_that_are_checked() -> None:
    config = tomllib.loads(read("pyproject.toml"))
    contract = next(c for c in config["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    checked = [layer.replace("conductd.", "") for layer in contract["layers"]]
    assert " › ".join(checked) in ARCHITECTURE


def test_every_thread_is_in_the_table() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    started = set(re.findall(r"Thread\([^)]*name=\"([\w-]+)\"", source))
    table = ARCHITECTURE.partition("| thread |")[2].partition("\n\n")[0]
    assert started
    assert started <= set(re.findall(r"`([\w-]+)`", table))


def test_the_index_of_the_pages_names_them_all() -> None:
    index = {(ROOT / "docs" / link).resolve() for link in links(read("docs/README.md"))}
    pages = {page for page in (ROOT / "docs").rglob("*.md") if page.name != "README.md"}
    assert pages <= index


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = sorted(int(page.name[:4]) for page in (ROOT / "docs" / "adr").glob("*.md"))
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_readme_says_where_things_lie() -> None:
    home = {"HOME": "/home/x"}
    text = read("README.md")
    for place in (paths.default_state_dir(home, "linux"), paths.default_config_path(home)):
        assert f"`~{place.removeprefix(home['HOME'])}`" in text
    assert f"`~{paths.default_state_dir(home, 'darwin').removeprefix(home['HOME'])}`" in text

"""The README's picture is what the program shows today: the script plays it again."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from .pages import ROOT

PICTURE = ROOT / "docs" / "picture.svg"
_TEXT = re.compile(r"<text [^>]*>(.*?)</text>")
# What differs from one run to the next: how long ago, when, and the numbers of records and files.
_VARIES = re.compile(r"just now|\d+ s ago|\d+:\d+:\d+|\b\d+\b")


def words(svg: str) -> list[str]:
    return [_VARIES.sub("#", html.unescape(text)) for text in _TEXT.findall(svg)]


def test_the_picture_shows_what_the_program_says(tmp_path: Path) -> None:
    out = tmp_path / "picture.svg"
    script = ROOT / "scripts" / "picture.py"
    ran = subprocess.run([sys.executable, str(script), str(out)], capture_output=True, text=True, timeout=100)
    assert ran.returncode == 0, ran.stderr
    assert words(out.read_text(encoding="utf-8")) == words(PICTURE.read_text(encoding="utf-8")), "draw it anew"


def test_the_picture_is_well_formed_and_needs_nothing_from_outside() -> None:
    root = ElementTree.fromstring(PICTURE.read_text(encoding="utf-8"))
    assert root.tag.endswith("svg")
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "rect", "circle", "g", "text"}

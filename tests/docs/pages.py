"""The project's pages as tests read them: their code, their links, their headings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOP = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"(?<!\\)\[[^\]\n]*\]\(([^)\s]+)\)")


def all_pages() -> list[Path]:
    return [*(ROOT / name for name in TOP), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "benchmarks" / "README.md"]


def read(page: str | Path) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def without_fences(text: str) -> str:
    return _FENCE.sub("", text)


def spans(text: str) -> list[str]:
    """What stands between single backticks."""
    return _SPAN.findall(without_fences(text))


def shell_lines(text: str) -> Iterator[str]:
    """Each line of the shell examples."""
    for match in _FENCE.finditer(text):
        if match.group(2) == "sh":
            yield from filter(None, (line.strip() for line in match.group(3).splitlines()))


def calls(text: str, program: str) -> list[list[str]]:
    """The arguments of every call of a program in examples and in text, as a shell would part them."""
    found = []
    for code in [*shell_lines(text), *spans(text)]:
        for part in re.split(r"\s(?:\||&&|;|>)\s", code):
            match = re.match(rf"(?:\S*/)?{program}\s+(.*)", part)
            if match:
                found.append(shlex.split(match.group(1), comments=True))
    return [call for call in found if call]


def links(text: str) -> list[str]:
    return _LINK.findall(_SPAN.sub("", without_fences(text)))


def anchors(text: str) -> set[str]:
    """As GitHub makes them from headings."""
    headings = re.findall(r"^#+ (.+)$", without_fences(text), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


def first_cells(text: str, heading: str) -> list[str]:
    """What the first column of the table below a heading names in backticks, in order."""
    section = re.split(r"^#+ ", text.partition(f"{heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)

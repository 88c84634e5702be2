"""The one line that stands where a section stood, and says where it went.

A list item that is nothing but a link: it needs no word of any language, and the index of Claude Code's memory
is made of such. Pure.
"""

from __future__ import annotations

import re
from collections import Counter

from conductd.core.load.outline import Section

HEADING_SHOWN = 60  # characters

_COMMENT = re.compile(r"<!--.*?-->|<!--.*\Z", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_PLAIN = str.maketrans({"[": "(", "]": ")", "<": "", ">": "", "\\": "", "`": "", "@": "", "|": "/"})
_POINTER = re.compile(r"[-*+] \[[^\[\]]+\]\((?:<[^<>]+\.md>|[^()<>\s]+\.md)\)[ \t]*\r?\n?\Z", re.IGNORECASE)
_ARCHIVE = re.compile(r"-archive(?:-\d+)?\.md>?\)\s*\Z", re.IGNORECASE)
_ITEM = re.compile(r"([-*+]) ", re.MULTILINE)


def pointer(section: Section, link: str, marker: str) -> str:
    """Without a line end. ``link``: the path from the directory of the file."""
    plain = _LINK.sub(r"\1", _COMMENT.sub("", section.heading)).translate(_PLAIN)
    words = "".join(each if each.isprintable() else " " for each in plain).split()
    named = " ".join(words) or "…"
    if len(named) > HEADING_SHOWN:
        named = named[: HEADING_SHOWN - 1].rstrip() + "…"
    return f"{marker} [{named}]({target(link)})"


def target(link: str) -> str:
    """As Markdown wants it: in angle brackets where it has spaces or round brackets."""
    return f"<{link}>" if re.search(r"[\s()]", link) else link


def is_pointer(line: str) -> bool:
    """Whether it is nothing but a list item with a link to a Markdown file."""
    return _POINTER.match(line) is not None


def is_own_pointer(line: str, link: str) -> bool:
    """Whether it leads to where sections go, or went by a name that they get by themselves."""
    return is_pointer(line) and (f"]({target(link)})" in line or _ARCHIVE.search(line) is not None)


def marker_of(text: str) -> str:
    """The mark that most items of the file's lists begin with."""
    found = Counter(_ITEM.findall(text)).most_common(1)
    return found[0][0] if found else "-"

"""Reads a report back: its figures in each form, and what a page of HTML refers to."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta"}
REFERS = {"src", "href", "xlink:href", "srcset", "action", "data", "poster", "background", "formaction", "ping"}
HARMFUL = {"script", "iframe", "object", "embed", "link", "img", "base", "form", "a", "image", "use", "foreignobject"}


class Page(HTMLParser):
    """``rows``: cells of each row of the figures; ``problems``: what a self-contained page does not have."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self.texts: list[str] = []
        self.problems: list[str] = []
        self._open: list[str] = []
        self._is_figures = False
        self._cell: list[str] | None = None
        self.feed(text)
        self.close()
        self.problems += [f"not closed: {each}" for each in self._open]
        style = text[text.index("<style>") : text.index("</style>")]
        self.problems += re.findall(r"url\(|@import|expression\(", style)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in HARMFUL:
            self.problems.append(tag)
        self.problems += [f"{tag} {key}" for key, _ in attrs if key in REFERS or key.startswith("on")]
        if tag == "table":
            self._is_figures = ("class", "figures") in attrs
        elif tag == "tr" and self._is_figures:
            self.rows.append([])
        elif tag == "td" and self._is_figures:
            self._cell = []
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"out of order: {tag}")
        if tag == "td" and self._cell is not None:
            self.rows[-1].append("".join(self._cell))
            self._cell = None
        elif tag == "table":
            self._is_figures = False

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self._cell is not None:
            self._cell.append(data)

    @property
    def figures(self) -> dict[str, str]:
        return dict(row for row in self.rows if row)  # type: ignore[misc]


def of_markdown(text: str) -> dict[str, str]:
    part = text[text.index("## Figures") :].split("\n\n", 2)[1]
    rows = [line.strip("| ").split(" | ") for line in part.splitlines()[2:]]
    return {row[0]: row[1] for row in rows}


def of_chat(text: str) -> dict[str, str]:
    return {key: value for key, _, value in (each.rpartition(" ") for each in text.splitlines()[-1].split("; "))}

"""The block scanner, held to markdown-it on generated documents."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from conductd.core.reading.blocks import Kind, scan
from conductd.core.reading.line_shapes import cells

PARSER = MarkdownIt("commonmark").enable("table")


def by_markdown_it(text: str) -> list[tuple[Kind, int, int]]:
    found: list[tuple[Kind, int, int]] = []
    tokens = PARSER.parse(text)
    for place, token in enumerate(tokens):
        if token.map is None:
            continue
        first, last = token.map[0], token.map[1] - 1
        content = tokens[place + 1].content if place + 1 < len(tokens) else ""
        if token.type == "heading_open" and content.strip():
            found.append((Kind.HEADING, first, last))
        elif token.type == "paragraph_open" and content.strip():
            in_item = tokens[place - 1].type == "list_item_open"
            found.append((Kind.ITEM if in_item else Kind.PARAGRAPH, first, last))
        elif token.type in ("fence", "code_block") and token.content.strip():
            found.append((Kind.CODE, first, last))
        elif token.type == "html_block":
            found.append((Kind.HTML, first, last))
        elif token.type == "tr_open":
            found.append((Kind.ROW, first, last))
    return found


def by_us(text: str) -> list[tuple[Kind, int, int]]:
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [(block.kind, block.first, block.last) for block in scan(lines)]


def agree(text: str) -> None:
    assert by_us(text) == by_markdown_it(text), text


LINES = st.sampled_from(
    [
        "",
        "",
        "plain words",
        "more words here",
        "- item",
        "- ",
        "* star",
        "+ plus",
        "1. one",
        "2. two",
        "10) ten",
        "- - nested",
        "-     code in an item",
        "# Heading",
        "## Second ##",
        "#no heading",
        "#",
        "---",
        "===",
        "***",
        "- - -",
        "```",
        "```python",
        "~~~",
        "````",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "a | b",
        "--- | ---",
        "> quote",
        ">",
        "> - item in a quote",
        "> ```",
        "<!-- a comment -->",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<b>bold</b> words",
        "記憶の設定",
        "- 手順を確認する",
        "نص عربي",
    ]
)


# Where markdown-it and CommonMark differ we follow CommonMark, and the generator goes round it:
# markdown-it takes a ">" at any indent as one that goes on with the quote, tries a table's delimiter
# row against the wrong indent, and lets a line that is indented by four, but less than the item above
# it, interrupt that item.
MARKER = re.compile(r" *(?:(?:[-+*]|\d+[.)]) +)+")


def indented(indent: int, line: str) -> str:
    if line.startswith(">") or re.fullmatch(r"[|-]+[- |]*\|[- |]*", line):
        indent = min(indent, 3)
    return " " * indent + line


def interrupts_in_markdown_it_alone(lines: list[str]) -> bool:
    column = 0
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if 4 <= indent < column and not line.lstrip()[:1].isalpha():
            return True
        if marker := MARKER.match(line):
            column = max(column, marker.end())
    return False


INDENTED = st.builds(indented, st.sampled_from([0, 0, 0, 1, 2, 2, 3, 4, 4, 6, 8]), LINES)


@settings(max_examples=800, deadline=None)
@given(st.lists(INDENTED, max_size=14))
def test_blocks_agree_with_markdown_it(lines: list[str]) -> None:
    if lines and lines[0].rstrip() == "---":
        lines = ["", *lines]  # front matter is ours alone
    assume(not interrupts_in_markdown_it_alone(lines))
    agree("\n".join(lines) + "\n")


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(alphabet="-*+#>`~|=: 1.)\tab<!\n", max_size=20), max_size=10))
def test_the_scanner_takes_every_text_and_never_loses_a_letter(parts: list[str]) -> None:
    lines = "\n".join(parts).split("\n")
    blocks = scan(lines)
    covered = {number for block in blocks for number in range(block.first, block.last + 1)}
    for number, line in enumerate(lines):
        if "a" in line or "b" in line:
            # Only the opening line of an empty fence may hold letters and be no entry.
            assert number in covered or line.lstrip(" >-*+0123456789.)\t").startswith(("`", "~", "<")), (lines, number)
    assert [block.first for block in blocks] == sorted(block.first for block in blocks)


@pytest.mark.parametrize(
    "text",
    [
        "- one\n  goes on\n\n  second paragraph\n- two\n  - nested\n    lazy\nlazy too\n",
        "para\n| a | b |\n|:--|--:|\n| 1 | 2 |\nrow without pipes\n\nafter\n",
        "Title\n===\n\nText\n---\nmore\n",
        "1. a\n\n   b\n2. c\n",
        "```\n# no heading\n- no item\n",
        "> quote\nlazy\n\nnot\n",
        "- ```\n  code\n  ```\n- after\n",
        "    code\n\n    goes on\ntext\n",
        "- a\n\n\n- b\n\n\n  c\n",
        "*\n\n  not in it\n",
    ],
)
def test_the_usual_shapes_agree_with_markdown_it(text: str) -> None:
    agree(text)


def test_front_matter_is_an_entry_per_key() -> None:
    blocks = scan(["---", "title: Notes", "tags:", "  - a", "  - b", "---", "# Heading"])
    assert [(b.kind, b.first, b.last) for b in blocks] == [
        (Kind.FRONT_MATTER, 1, 1),
        (Kind.FRONT_MATTER, 2, 4),
        (Kind.HEADING, 6, 6),
    ]


def test_a_rule_at_the_start_is_no_front_matter() -> None:
    assert [b.kind for b in scan(["---", "just words", "---", ""])] == [Kind.HEADING]


def test_a_paragraph_sign_parts_notes() -> None:
    assert [(b.first, b.last) for b in scan(["one", "more", "§", "two"])] == [(0, 1), (3, 3)]


def test_cells_do_not_depend_on_outer_pipes_or_padding() -> None:
    assert cells("| a |  b|") == cells("a | b") == ["a", "b"]
    assert cells(r"| a \| b |") == [r"a \| b"]


def test_deep_nesting_is_bounded() -> None:
    assert scan([">" * 10_000 + " deep", "- " * 10_000 + "deep"])

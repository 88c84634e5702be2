"""What a single line of Markdown looks like: the shapes that begin, end or part a block.

Owns the patterns, taken from CommonMark 0.31 and markdown-it's tables; which of them counts where is
decided in `core.reading.blocks`. All match a line without its indentation.
"""

from __future__ import annotations

import re

HEADING = re.compile(r"(#{1,6})(?:[ \t]+|$)(.*)")
HEADING_CLOSE = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
SETEXT = re.compile(r"(=+|-+)[ \t]*$")
BREAK = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*){2,}$")
MARKER = re.compile(r"([-+*]|(\d{1,9})[.)])([ ]+|$)")
FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
DELIMITER_ROW = re.compile(r"\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)*\|?[ ]*$")
_CELL_BREAK = re.compile(r"(?<!\\)\|")
FRONT_MATTER_KEY = re.compile(r"[^\s#:-][^:]*:(?:\s|$)|[\"'][^\"']+[\"']\s*:")
SEPARATOR = "§"  # Hermes parts the notes of a memory file with it

HTML_START: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=\s|>|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (
        re.compile(
            r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir"
            r"|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li"
            r"|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot"
            r"|th|thead|title|tr|track|ul)(?=\s|/?>|$)",
            re.I,
        ),
        None,
    ),
    (
        re.compile(
            r"""<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w:.-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*/?>\s*$"""
            r"|</[A-Za-z][A-Za-z0-9-]*\s*>\s*$"
        ),
        None,
    ),
)


def cells(text: str) -> list[str]:
    """The cells of a table row."""
    text = text.strip()
    parts = [part.strip() for part in _CELL_BREAK.split(text)]
    if parts and not parts[0]:
        parts = parts[1:]
    if parts and not parts[-1]:
        parts = parts[:-1]
    return parts

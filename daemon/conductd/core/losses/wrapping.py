"""A whole text inside something: a code fence, JSON, line numbers, escapes.

Owns taking the wrapping off. The content is all there, so nothing needs to be fetched from history; but an agent
reads the wrapping, and every entry looks replaced. Pure; called by `core.losses.foreign_text` and `core.merging.offer`.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from binascii import Error as BinasciiError
from enum import StrEnum
from typing import Any, NamedTuple

from conductd.core.reading.text import Encoding, decode

_LONGEST = 4 * 1024 * 1024  # characters
_LEAST_SHARE = 0.4  # of a JSON text: the one string that is the content
_LEAST_LINES = 3
_NUMBERED_SHARE = 0.8
_ASIDE = 3  # lines before or after a fence: "Here is the updated file:"

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*(?:markdown|md|mdx|text|txt|plaintext|gfm)?[ \t]*$", re.I)
_TAG = re.compile(r"<([a-z][\w-]{0,30})(?:\s[^<>]*)?>$", re.I)
_TAGS = frozenset(
    [
        "content",
        "file",
        "file_content",
        "file_contents",
        "document",
        "output",
        "result",
        "text",
        "write_to_file",
        "new_content",
        "contents",
        "memory",
        "markdown",
    ]
)
_NUMBER = re.compile(
    r"^[ \t]{0,8}(\d{1,7})(?:→|\t|[ ]?\|[ ]?|[ ]?│[ ]?|:[ ]|:(?=\S)|[ ]{2,})(.*)$|^[ \t]{0,8}(\d{1,7})(?:→|\t|:"
    r"|[ ]?[|│])?$"
)
_BLOCK = re.compile(r"^[\w-]{1,40}:\s*[|>][+-]?\d?\s*$")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_LEAST_PACKED = 64
_HEREDOC = re.compile(r"<<[-~]?\s*['\"]?(\w+)['\"]?(?:\s*>.*)?$")
_QUOTES = re.compile(r"^[bfru]{0,2}['\"]|['\"]$", re.I)
_ESCAPED = re.compile(r"\\n")
_ESCAPES = {"\\n": "\n", "\\r": "", "\\t": "\t", '\\"': '"', "\\'": "'", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[nrt\"'\\]")


class Wrapping(StrEnum):
    FENCE = "fence"
    TAG = "tag"
    JSON = "json"
    NUMBERS = "numbers"
    ESCAPES = "escapes"
    BLOCK = "block"  # a block scalar of YAML
    BASE64 = "base64"


class Wrapped(NamedTuple):
    wrapping: Wrapping
    inside: bytes


def unwrap(data: bytes) -> Wrapped | None:
    """The text inside, if the whole of ``data`` is one text in a wrapping. UTF-8."""
    decoded = decode(data)
    text = decoded.text
    if decoded.encoding is Encoding.BINARY or not text.strip() or len(text) > _LONGEST:
        return None
    lines = text.strip("\n").split("\n")
    for wrapping, inside in (
        (Wrapping.JSON, _from_json(text.strip())),
        (Wrapping.NUMBERS, _from_numbers(lines)),
        (Wrapping.ESCAPES, _from_escapes(text)),
        (Wrapping.BLOCK, _from_block(lines)),
        (Wrapping.BASE64, _from_base64(text)),
        (Wrapping.FENCE, _from_fence(lines)),
        (Wrapping.TAG, _from_tag(lines)),
    ):
        if inside is not None and inside.strip():
            return Wrapped(wrapping, _bytes(inside))
    return None


def _bytes(text: str) -> bytes:
    return (text if text.endswith("\n") else text + "\n").encode("utf-8", "surrogatepass")


def _from_json(text: str) -> str | None:
    if text[0] not in '{["' or text[-1] not in '}]"':
        return None
    try:
        value: Any = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    found = max(_strings(value), key=len, default="")
    return found if "\n" in found and len(found) >= _LEAST_SHARE * len(text) else None


def _strings(value: Any) -> list[str]:
    """All strings in a value, not recursing: it may be deep."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
    return found


def _from_numbers(lines: list[str]) -> str | None:
    """`cat -n`, or what a reading tool shows: ascending numbers before nearly all lines."""
    filled = [line for line in lines if line.strip()]
    if len(filled) < _LEAST_LINES:
        return None
    inside: list[str] = []
    before, numbered = 0, 0
    for line in lines:
        match = _NUMBER.match(line)
        number = int(match[1] or match[3]) if match else 0
        if match is None or number <= before:
            inside.append(line)
            continue
        if before and number > before + 1:
            return None
        before = number
        numbered += 1
        inside.append(match[2] or "")
    return "\n".join(inside) if numbered >= max(_LEAST_LINES, _NUMBERED_SHARE * len(filled)) else None


def _from_escapes(text: str) -> str | None:
    """A text written with its escapes: one line, with "\\n" where lines should end."""
    body = text.strip("\n")
    if body.count("\n") > 1 or len(_ESCAPED.findall(body)) < _LEAST_LINES:
        return None
    return _ESCAPE.sub(lambda match: _ESCAPES[match[0]], _QUOTES.sub("", body))


def _from_block(lines: list[str]) -> str | None:
    """`content: |` and everything below it indented."""
    if not _BLOCK.match(lines[0]) or len(lines) <= _LEAST_LINES:
        return None
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines[1:] if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines[1:]) if indent else None


def _from_base64(text: str) -> str | None:
    packed = "".join(text.split())
    if len(packed) < _LEAST_PACKED or not _BASE64.fullmatch(packed):
        return None
    try:
        found = b64decode(packed, validate=True).decode("utf-8")
    except (BinasciiError, UnicodeDecodeError):
        return None
    return found if "\n" in found and "\0" not in found else None


def _from_fence(lines: list[str]) -> str | None:
    opening = next((n for n, line in enumerate(lines[: _ASIDE + 1]) if _FENCE.match(line)), None)
    if opening is None:
        return None
    fence = _FENCE.match(lines[opening])
    assert fence is not None
    for number in range(len(lines) - 1, max(opening, len(lines) - 2 - _ASIDE), -1):
        end = lines[number].strip()
        if len(end) >= len(fence[1]) and not end.strip(fence[1][0]):
            return "\n".join(lines[opening + 1 : number])
    return None


def _from_tag(lines: list[str]) -> str | None:
    document = _HEREDOC.search(lines[0])
    if document is not None and lines[-1].strip() == document[1]:
        return "\n".join(lines[1:-1])
    tag = _TAG.match(lines[0].strip())
    if tag is None or tag[1].lower() not in _TAGS or lines[-1].strip().lower() != f"</{tag[1].lower()}>":
        return None
    return "\n".join(lines[1:-1])

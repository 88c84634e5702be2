"""The invented texts of the scenarios: generated notes, padding, measuring, transforms.

Pure: bytes in, bytes out. The generated notes must come out the same everywhere, because the
scenario data states facts (sizes, line counts, ids) about them; `fact` steps hold this file to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

# The vocabulary and its order are part of the language: the generator indexes into them.
WORDS = (
    "build",
    "cache",
    "deploy",
    "shard",
    "retry",
    "budget",
    "quiet",
    "window",
    "review",
    "branch",
    "parser",
    "queue",
    "index",
    "daemon",
    "socket",
    "journal",
    "replica",
    "canary",
    "metric",
    "ticket",
    "rota",
    "handoff",
    "fixture",
    "golden",
    "timer",
    "quota",
    "bucket",
    "ledger",
    "prefers",
    "always",
    "never",
    "after",
    "before",
    "unless",
    "when",
    "owner",
    "agreed",
)
CJK = "記憶設定確認手順構成変更履歴担当環境試験結果保存復元監視通知時間順序規則"
HEADINGS = (
    "Build",
    "Deploy",
    "People",
    "Preferences",
    "Decisions",
    "Open threads",
    "Servers",
    "Style",
    "Testing",
    "Release",
    "Incidents",
    "Glossary",
)
_ID = re.compile(r"\[m-(\d{4})\]")
_MODULUS = 1 << 32


def number_stream(seed: int) -> Iterator[int]:
    """The 32-bit linear congruential generator (Numerical Recipes' constants) behind every text."""
    state = (seed * 2_654_435_761 + 1) % _MODULUS
    while True:
        state = (state * 1_664_525 + 1_013_904_223) % _MODULUS
        yield state >> 8


def memory(
    sections: int,
    bullets: int,
    seed: int = 1,
    first_id: int = 1,
    script: str = "latin",
    title: str = "Memory",
    words: int = 11,
) -> str:
    """Markdown notes: `sections` headings with `bullets` items each, every item with an id."""
    numbers = number_stream(seed)

    def sentence() -> str:
        if script == "cjk":
            return "".join(CJK[next(numbers) % len(CJK)] for _ in range(3 * words)) + "。"
        text = " ".join(WORDS[next(numbers) % len(WORDS)] for _ in range(words)) + "."
        return f"{text} \U0001f980" if script == "emoji" else text

    lines = [f"# {title}", ""]
    ident = first_id
    for section in range(sections):
        heading = HEADINGS[section % len(HEADINGS)]
        lines.append(f"## {heading}" if section < len(HEADINGS) else f"## {heading} {section}")
        for _ in range(bullets):
            lines.append(f"- [m-{ident:04d}] {sentence()}")
            ident += 1
        lines.append("")
    return "\n".join(lines)


def ids_in(text: str) -> set[int]:
    return {int(found) for found in _ID.findall(text)}


def ids_of(data: bytes) -> set[int]:
    return ids_in(data.decode("utf-8", "replace"))


def id_set(spec: object) -> set[int]:
    """`"1-16,402"` as a set; the empty string is the empty set."""
    wanted: set[int] = set()
    for part in str(spec).split(","):
        if not part.strip():
            continue
        first, _, last = part.strip().partition("-")
        wanted.update(range(int(first), int(last or first) + 1))
    return wanted


def size_in(data: bytes, unit: str) -> int:
    """Size in bytes, UTF-16 units, characters or lines (an unended last line counts as one)."""
    match unit:
        case "bytes":
            return len(data)
        case "lines":
            return data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))
        case "chars":
            return len(_text(data))
        case "utf16":
            return len(_text(data).encode("utf-16-le", "surrogatepass")) // 2
    raise ValueError(f"no unit {unit}")


def padding(short_of: bytes, unit: str, size: int, fill: str) -> bytes:
    """What must follow `short_of` so that both together measure `size`."""
    missing = size - size_in(short_of, unit)
    if missing < 0:
        raise ValueError(f"pad_to {unit} {size}: {-missing} too many already")
    if unit == "lines":
        return b"".join(b"- line %d\n" % number for number in range(missing))
    return (fill.encode() * missing)[:missing]


def transform(data: bytes, operations: list[dict[str, Any]]) -> bytes:
    for operation in operations:
        ((name, argument),) = operation.items()
        data = TRANSFORMS[name](data, argument)
    return data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _keep_lines(data: bytes, keep: Callable[[set[int]], bool]) -> bytes:
    """Lines without an id stay; a line with ids stays when `keep` says so."""
    lines = _text(data).split("\n")
    kept = [line for line in lines if not (found := ids_in(line)) or keep(found)]
    return "\n".join(kept).encode("utf-8", "surrogatepass")


def _drop_ids(data: bytes, spec: object) -> bytes:
    unwanted = id_set(spec)
    return _keep_lines(data, lambda found: not found & unwanted)


def _keep_ids(data: bytes, spec: object) -> bytes:
    wanted = id_set(spec)
    return _keep_lines(data, lambda found: bool(found & wanted))


def _drop_empty_sections(data: bytes, _: object) -> bytes:
    parts = re.split(r"(?m)^(?=## )", data.decode())
    return "".join(part for part in parts if not part.startswith("## ") or ids_in(part)).encode()


def _replace(data: bytes, pairs: list[list[str]]) -> bytes:
    for old, new in pairs:
        data = data.replace(old.encode(), new.encode())
    return data


def _line_ends(data: bytes, kind: str) -> bytes:
    plain = data.replace(b"\r\n", b"\n")
    return plain.replace(b"\n", b"\r\n") if kind == "crlf" else plain


def _rewrap_line(line: str, width: int) -> list[str]:
    """Fold one list item at `width`, continuation lines indented by two."""
    folded: list[str] = []
    current = ""
    for word in line.split(" "):
        if not current:
            current = word
        elif len(current) + 1 + len(word) > width:
            folded.append(current)
            current = "  " + word
        else:
            current += " " + word
    return [*folded, current]


def _rewrap(data: bytes, width: int) -> bytes:
    out: list[str] = []
    for line in data.decode().split("\n"):
        out.extend(_rewrap_line(line, width) if line.startswith("- ") else [line])
    return "\n".join(out).encode()


TRANSFORMS: dict[str, Callable[[bytes, Any], bytes]] = {
    "drop_ids": _drop_ids,
    "keep_ids": _keep_ids,
    "drop_empty_sections": _drop_empty_sections,
    "replace": _replace,
    "eol": _line_ends,
    "bom": lambda data, _: b"\xef\xbb\xbf" + data,
    "head_bytes": lambda data, size: data[:size],
    "rewrap": _rewrap,
    "strip_frontmatter": lambda data, _: re.sub(rb"\A---\n.*?\n---\n", b"", data, flags=re.DOTALL),
}

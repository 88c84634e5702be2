"""Figures as lines of a terminal and as rows of the table in benchmarks/README.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.figures import Figure, number

README = Path(__file__).resolve().parent / "README.md"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
_HEAD = (
    "| benchmark | figure | measured | spread of rounds | floor or peer | ratio | target | result | load |",
    "|---|---|---|---|---|---|---|---|---|",
)


def line(name: str, figure: Figure) -> str:
    """One line for a person at a terminal."""
    parts = [f"{name:<9}", figure.what + ":", _measured(figure)]
    if figure.spread:
        parts.append(f"({figure.spread})")
    if figure.against:
        parts.append(f"· {figure.against}")
    if figure.ratio is not None:
        parts.append(f"· ratio {figure.ratio:.2f}")
    if figure.target:
        parts.append(f"· target {figure.target} · {figure.result.upper()}")
    if figure.note:
        parts.append(f"· {figure.note}")
    return " ".join(parts)


def row(name: str, figure: Figure, load: float) -> str:
    ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
    what = f"{figure.what} ({figure.note})" if figure.note else figure.what
    result = f"**{figure.result}**" if figure.result == "miss" else figure.result
    cells = (name, what, _measured(figure), figure.spread, figure.against, ratio, figure.target, result, f"{load:.1f}")
    return "| " + " | ".join(cells) + " |"


def write(order: Sequence[str], measured: Mapping[str, Sequence[str]], machine: str) -> None:
    """Put the rows of the benchmarks that ran in place of their old ones; the others stay."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    old, _, after = rest.partition(END)
    kept: dict[str, list[str]] = {}
    for each in old.splitlines():
        name = each.strip("| ").partition(" |")[0]
        if name in order:
            kept.setdefault(name, []).append(each)
    rows = [each for name in order for each in (measured.get(name) or kept.get(name) or ())]
    lines = (BEGIN, "", f"Measured on {machine}.", "", *_HEAD, *rows, "", END)
    README.write_text(before + "\n".join(lines) + after, encoding="utf-8")


def _measured(figure: Figure) -> str:
    return f"{number(figure.median)} {figure.unit}".strip()

"""The drawings of a report, as inline SVG. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from conductd.core.qc.results import Grade
from conductd.core.report.facts import FileSizes
from conductd.core.report.wording import name

_WIDTH, _HEIGHT, _FOOT = 640, 120, 20
_LETTERS = 13  # how high a line of text is


def health(counts: Mapping[Grade, int]) -> str:
    """A bar with a part for each grade; without any check all of it is unknown."""
    known = {grade: count for grade, count in counts.items() if count} or {Grade.UNKNOWN: 1}
    total, x, parts = sum(known.values()), 0.0, []
    for grade, count in known.items():
        width = _WIDTH * count / total
        parts.append(f'<rect class="{grade.value}" x="{x:.1f}" y="0" width="{width:.1f}" height="16"/>')
        x += width
    said = ", ".join(f"{count} {grade.value}" for grade, count in counts.items() if count) or "no check is known"
    return _svg(16, said, parts)


def bars(hours: Sequence[int]) -> str:
    most, width = max((*hours, 1)), _WIDTH / max(len(hours), 1)
    parts = []
    for hour, count in enumerate(hours):
        high = (_HEIGHT - _FOOT) * count / most
        at = f'x="{hour * width + 1:.1f}" y="{_HEIGHT - _FOOT - high:.1f}"'
        parts.append(
            f'<rect class="bar" {at} width="{width - 2:.1f}" height="{high:.1f}">'
            f"<title>hour {hour}: {count:,}</title></rect>"
        )
        if hour % 6 == 0:
            parts.append(f'<text x="{hour * width + 1:.1f}" y="{_HEIGHT - 5}">{hour}</text>')
    return _svg(_HEIGHT, f"{sum(hours):,} versions, at most {max((*hours, 0)):,} in an hour", parts)


def sizes(file: FileSizes) -> str:
    """The size over time, with the line at which the agent loads no more."""
    values = [size for _, size in file.points]
    most = max((*values, file.limit or 0, 1)) * 1.1
    last = max(len(values) - 1, 1)

    def at(size: float) -> float:
        return (_HEIGHT - _FOOT) * (1 - size / most)

    line = " ".join(f"{number * _WIDTH / last:.1f},{at(size):.1f}" for number, size in enumerate(values))
    if len(values) == 1:
        line += f" {_WIDTH},{at(values[0]):.1f}"
    parts = [f'<polyline class="size" points="{line}"/>']
    if file.limit is not None:
        y = at(file.limit)
        parts.append(f'<line class="limit" x1="0" y1="{y:.1f}" x2="{_WIDTH}" y2="{y:.1f}"/>')
        label = y - 3 if y > _LETTERS else y + _LETTERS  # above the line, below it where there is no room
        parts.append(f'<text x="4" y="{label:.1f}">limit {escape(file.limit_said)}</text>')
    parts.append(f'<text x="0" y="{_HEIGHT - 5}">{escape(file.points[0][0])}</text>')
    parts.append(f'<text x="{_WIDTH}" y="{_HEIGHT - 5}" text-anchor="end">{escape(file.points[-1][0])}</text>')
    said = f"{values[-1]:,} bytes" + (f", limit {file.limit_said}" if file.limit is not None else "")
    return f"<h3><bdi>{escape(name(file.path))}</bdi></h3>\n<p>{escape(said)}</p>\n" + _svg(_HEIGHT, said, parts)


def _svg(height: int, said: str, parts: Sequence[str]) -> str:
    shown = escape(said)
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{shown}">{"".join(parts)}</svg>'

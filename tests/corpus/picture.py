"""The picture of the report: two panels of shares with their intervals, as SVG text."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.measuring import Count, Result
from corpus.report import PARTS, by_language, by_part

_LEFT, _WIDTH, _LINE = 150, 250, 18
_COLOURS = {"tuned": "#33658a", "set aside": "#c8553d"}


def as_svg(results: Sequence[Result]) -> str:
    lines = [(row.name, row.name, row.figures) for row in by_part(results)[:2]]
    for name in PARTS:
        lines += [(f"{row.name}, {name}", name, row.figures) for row in by_language(results, name)]
    lines = [line for line in lines if line[2].recall.of and line[2].alarms.of]
    height = 70 + _LINE * len(lines) + 30
    body = [
        _panel("recall on destructive changes", _LEFT, 0.8, 1.0, 5, [(n, p, f.recall) for n, p, f in lines], height),
        _panel(
            "alarms on legitimate changes",
            _LEFT + _WIDTH + 50,
            0.0,
            0.2,
            5,
            [("", p, f.alarms) for _, p, f in lines],
            height,
        ),
    ]
    width = _LEFT + 2 * _WIDTH + 90
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="11">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _panel(
    title: str, left: int, low: float, high: float, steps: int, lines: list[tuple[str, str, Count]], height: int
) -> str:
    def x(share: float) -> float:
        return left + _WIDTH * (min(max(share, low), high) - low) / (high - low)

    parts = [f'<text x="{left}" y="24" font-weight="bold">{title}</text>']
    for step in range(steps):
        share = low + (high - low) * step / (steps - 1)
        parts.append(f'<line x1="{x(share):.1f}" x2="{x(share):.1f}" y1="44" y2="{height - 30}" stroke="#dddddd"/>')
        parts.append(f'<text x="{x(share):.1f}" y="{height - 14}" text-anchor="middle">{100 * share:.0f} %</text>')
    for place, (name, part, count) in enumerate(lines):
        y, colour = 58 + place * _LINE, _COLOURS[part]
        first, last = count.interval
        if name:
            parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{name}</text>')
        parts.append(
            f'<line x1="{x(first):.1f}" x2="{x(last):.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(f'<circle cx="{x(count.share):.1f}" cy="{y}" r="4" fill="{colour}"/>')
    return "\n".join(parts)

"""`conductd load --svg`: each file as a bar as long as it is, its holes where they are, and the budget they share."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from html import escape

from conductd.cli.load_lines import holes_size, label
from conductd.cli.output import harmless
from conductd.core.load.holes import Hole, holes
from conductd.core.load.loaded import Cause, Load, LoadedFile
from conductd.core.load.outline import Outline

_LEFT, _WIDTH, _RIGHT, _ROW, _TOP = 130, 450, 420, 34, 64
_LOADED, _HOLE, _LINE, _INK, _FAINT = "#33658a", "#c8553d", "#8a6d00", "#1f2328", "#d8dee4"
_SHADES = ("#33658a", "#5b8db3")
_HEADINGS = 3  # named beside a hole
_HEADING_MOST = 72  # characters of them together


def picture(load: Load, display: str) -> str:
    """One SVG image, readable without colour: a hole is hatched. Deterministic."""
    shown = [each for each in load.files if each.source or each.injected]
    longest = max([max(each.raw, each.injected, each.own_limit or 0) for each in shown], default=1) or 1
    height = _TOP + _ROW * (len(shown) + 1) + 24
    width = _LEFT + _WIDTH + _RIGHT
    title = f"{display} {load.version}".strip() + f", {load.session} session"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{_text(_described(load))}" font-family="sans-serif" font-size="12">',
        '<defs><pattern id="hole" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="6" height="6" fill="#ffffff"/><rect width="3" height="6" fill="{_HOLE}"/></pattern></defs>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="14" y="24" font-size="14" font-weight="bold" fill="{_INK}">{_text(title)}</text>',
        f'<text x="14" y="44" fill="{_INK}">What is loaded of each file, and the holes (hatched), '
        f"in {load.unit.value}</text>",
    ]
    for number, file in enumerate(shown):
        parts.extend(_bar(load, file, _TOP + _ROW * number, longest))
    parts.extend(_together(load, shown, _TOP + _ROW * len(shown) + 12))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _described(load: Load) -> str:
    cut = [f"{label(each.name)} misses {holes_size(load, each)}" for each in load.files if each.truncated]
    limit = f" of {load.limit}" if load.limit else ""
    return f"{load.spent if load.limit else load.injected}{limit} {load.unit.value} are loaded; " + (
        ", ".join(cut) or "nothing is cut"
    )


def _bar(load: Load, file: LoadedFile, y: int, longest: int) -> Iterator[str]:
    def x(size: float) -> float:
        return _LEFT + _WIDTH * size / longest

    name = _text(_short(label(file.name), 18))
    yield f'<text x="{_LEFT - 8}" y="{y + 15}" text-anchor="end" fill="{_INK}">{name}</text>'
    if file.is_marker:
        yield _rect(_LEFT, y, max(2.0, x(file.injected) - _LEFT), _FAINT)
        yield _beside(x(file.injected), y, file.why.value)
        return
    found = holes(file, load.unit)
    yield _rect(_LEFT, y, x(file.raw) - _LEFT, _LOADED if file.text is not None else "url(#hole)")
    outline = Outline(file.source) if found else None
    for hole in found:
        assert outline is not None
        # The bar is the file from top to bottom: lines give the place, whatever the loader counts.
        start = x(file.raw * (outline.start_of(hole.first) / max(1, len(file.source))))
        size = max(3.0, x(hole.size) - _LEFT)
        yield _rect(min(start, x(file.raw) - size), y, size, "url(#hole)")
    if file.own_limit is not None:
        at = x(min(file.own_limit, longest))
        yield f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y - 4}" y2="{y + 26}" stroke="{_LINE}" stroke-dasharray="3 2"/>'
    at = x(max(file.raw, file.own_limit or 0))
    if not found:
        yield _beside(at, y, f"{file.raw:,}")
        return
    cause = " and ".join(each.value for each in file.causes)
    what = f"{sum(hole.size for hole in found):,} of {file.raw:,} cut ({cause})"
    headings = _headings(found)
    yield _beside(at, y - 6 if headings else y, what)
    if headings:
        yield _beside(at, y + 8, headings, small=True)


def _headings(found: tuple[Hole, ...]) -> str:
    """The first few that fall into the holes, as many as fit, and how many more."""
    names = [each.heading for hole in found for each in hole.sections if each.heading]
    told: list[str] = []
    room = _HEADING_MOST - len(f" and {len(names):,} more")
    for name in names[:_HEADINGS]:
        if told and len("; ".join((*told, name))) > room:
            break
        told.append(_short(name, room))
    more = f" and {len(names) - len(told):,} more" if len(names) > len(told) else ""
    return "; ".join(told) + more


def _together(load: Load, shown: list[LoadedFile], y: int) -> Iterator[str]:
    counted = [each for each in shown if each.is_counted]
    spent = sum(each.injected for each in counted)
    whole = max(load.limit or 0, spent, 1)
    yield f'<text x="{_LEFT - 8}" y="{y + 15}" text-anchor="end" font-weight="bold" fill="{_INK}">all together</text>'
    yield _rect(_LEFT, y, _WIDTH, _FAINT)
    at = 0.0
    for number, file in enumerate(counted):
        size = _WIDTH * file.injected / whole
        if size:
            yield _rect(_LEFT + at, y, size, _SHADES[number % 2])
        at += size
    is_starved = any(Cause.TOTAL in each.causes for each in load.files)
    limit = f" of {load.limit:,}" if load.limit else ""
    yield _beside(_LEFT + _WIDTH, y, f"{spent:,}{limit}{', full' if is_starved else ''}")


def _rect(x: float, y: int, width: float, fill: str) -> str:
    return f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="22" fill="{fill}"/>'


def _beside(x: float, y: int, words: str, *, small: bool = False) -> str:
    size = ' font-size="10.5"' if small else ""
    return f'<text x="{min(x, _LEFT + _WIDTH) + 8:.1f}" y="{y + 15}"{size} fill="{_INK}">{_text(words)}</text>'


def _short(text: str, most: int) -> str:
    wide = 0
    for place, character in enumerate(text):
        wide += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if wide > most:
            return text[: max(0, place - 1)] + "…"
    return text


def _text(text: str) -> str:
    """As XML allows it: no control characters, no half characters."""
    return escape(harmless(text.encode("utf-8", "replace").decode("utf-8")), quote=True)

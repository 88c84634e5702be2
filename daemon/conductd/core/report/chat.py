"""A report in a few words, for a chat: one of three shapes, names and counts. Pure."""

from __future__ import annotations

from conductd.core.report.facts import Facts, figures
from conductd.core.report.verdict import Shape, verdict
from conductd.core.report.wording import plain

NAMED = 5  # sentences of a kind; the rest is counted
_FIRST = {
    Shape.CLEAN: "clean: all checks passed, nothing to do",
    Shape.HANDLED: "handled: nothing to do",
    Shape.NEEDS_YOU: "needs you",
}


def title(facts: Facts) -> str:
    found = verdict(facts)
    return plain(f"{facts.day} {_FIRST[found.shape]}")


def chat(facts: Facts) -> str:
    """Below the title, a line a thing; the figures are in the last line, `name figure; name figure`."""
    found = verdict(facts)
    lines = []
    if found.shape is not Shape.CLEAN:
        for mark, told in (("! ", found.needs), ("- ", found.handled), ("? ", found.unknown)):
            lines += [mark + plain(each) for each in told[:NAMED]]
            lines += [f"{mark}and {len(told) - NAMED} more"] if len(told) > NAMED else []
    lines.append("; ".join(f"{name} {figure}" for name, figure in figures(facts)))
    return "\n".join(lines)

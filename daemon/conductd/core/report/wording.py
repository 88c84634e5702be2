"""Words that all forms of a report share: what is shown of names and sentences. Pure."""

from __future__ import annotations

import re

from conductd.core.report.facts import Facts
from conductd.core.report.verdict import Verdict
from conductd.views import shown

LONGEST = 300  # characters of one sentence
MOST = 200  # rows of a table: a day of more has its rest counted
_MARKUP = re.compile(r"([\\`*_\[\]<>|#!~&])")


def plain(text: str) -> str:
    """On one line and without characters that change how others are shown: controls, marks of direction."""
    made = "".join(each if each.isprintable() else "\ufffd" for each in text)
    made = made.encode("utf-8", "replace").decode("utf-8")
    return made if len(made) <= LONGEST else made[: LONGEST - 1] + "…"


def name(path: bytes) -> str:
    return plain(shown(path))


def escaped(text: str) -> str:
    """As Markdown that shows just this."""
    return _MARKUP.sub(r"\\\1", plain(text))


def code(text: str) -> str:
    """As Markdown code, in a table too."""
    return "`" + plain(text).replace("`", "'").replace("|", "\\|") + "`" if text else ""


def heading(facts: Facts, found: Verdict) -> str:
    return f"{facts.day}: {found.shape}"


def about(facts: Facts) -> str:
    agent = f", read by {facts.agent} {facts.version}".rstrip() if facts.agent else ""
    return f"{facts.workspace}, {facts.zone} time{agent}"

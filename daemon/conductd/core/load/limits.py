"""How much of a file an agent loads, and which part of it: as data.

Values only, the same for the agents known here and for those of the configuration. What they do to a text is
`core.load.cutting`'s.
"""

from __future__ import annotations

import re
from enum import StrEnum

from conductd.model import Frozen

PLACEHOLDERS = ("name", "path", "size", "limit", "head", "tail", "kept", "gone")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")


class Keep(StrEnum):
    """Which part of a file over its limit is loaded."""

    HEAD = "head"
    TAIL = "tail"
    HEAD_TAIL = "head-tail"


class Limits(Frozen, frozen=True):
    """Sizes are in the agent's unit, but ``skip_over``, which is in bytes; 0: no limit.

    ``per_file``: the most of one file. ``lines``: the most lines, from the top. ``head`` and ``tail``: shares of
    the limit that ``Keep.HEAD_TAIL`` keeps. ``marker``: what stands in the hole, with `PLACEHOLDERS` in braces;
    ``marker_counted``: it takes of the limit. ``skip_over``: a larger file is not loaded at all. ``trim_start`` and
    ``trim_end``: white space there is neither loaded nor counted. ``frontmatter`` and ``comments`` False: the same
    holds for front matter, and for HTML comments that are blocks of their own. ``in_total``: it takes of what all may
    take together. ``imports``: how many hops of ``@file`` are followed.
    """

    per_file: int = 0
    lines: int = 0
    keep: Keep = Keep.HEAD
    head: float = 0.0
    tail: float = 0.0
    marker: str = ""
    marker_counted: bool = False
    skip_over: int = 0
    trim_start: bool = False
    trim_end: bool = False
    frontmatter: bool = True
    comments: bool = True
    in_total: bool = True
    imports: int = 0


def unknown_placeholders(marker: str) -> list[str]:
    """What stands in braces in the template and means nothing."""
    return [each for each in _PLACEHOLDER.findall(marker) if each not in PLACEHOLDERS]


def filled(marker: str, values: dict[str, str]) -> str:
    """The template with what is known put in; other braces stay."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), marker)

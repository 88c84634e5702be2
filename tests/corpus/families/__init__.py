"""The families: one function each, registered by name. Importing this module loads them all.

They are written from the design, the reference pages and public bug reports, never from what the
judge does.
"""

from corpus.families import (
    conversions,
    courses,
    encodings,
    gradual,
    merging,
    moves,
    overwrites,
    people,
    permitted,
    rewriting,
    shrinking,
    stale,
    standins,
    structure,
    upkeep,
)

__all__ = [
    "conversions",
    "courses",
    "encodings",
    "gradual",
    "merging",
    "moves",
    "overwrites",
    "people",
    "permitted",
    "rewriting",
    "shrinking",
    "stale",
    "standins",
    "structure",
    "upkeep",
]

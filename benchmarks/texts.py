"""Memory files as agents write them: headings and list items, each different, made from a seed. Pure."""

from __future__ import annotations

import random
from itertools import product

_WORDS = """
    deploy staging rollback token invoice customer prefers weekly summary branch release migration database index
    latency budget owner review Friday standup parser retry queue webhook billing region backup restore snapshot
    schema ticket sprint blocker docs changelog python script cron timezone Berlin calendar travel hotel family
    birthday allergy coffee running music piano library search editor theme keyboard monitor battery charger
    network router printer password manager contract renewal insurance doctor school meeting agenda minutes
    decided agreed postponed confirmed rejected measured observed learned remember never always before after
""".split()  # noqa: SIM905 - ninety literals are no easier to read


# Names, places, projects: two words in five of a note are not shared with most others.
_SYLLABLES = "ba co da fen gir hu ka lo mi nor pe qua ri sol tu ver wen xa yo zel".split()  # noqa: SIM905 - as above
_RARE = ["".join(parts) for parts in product(_SYLLABLES, repeat=3)]


def item(rng: random.Random, words: int = 10) -> str:
    """One list item of about ``words`` words."""
    chosen = [rng.choice(_RARE if rng.random() < 0.4 else _WORDS) for _ in range(words - 1)]
    return f"- {rng.choice(_WORDS).capitalize()} " + " ".join(chosen)


def memory(rng: random.Random, size: int) -> bytes:
    """A file of at least ``size`` bytes: a section for every dozen items."""
    lines = ["# Memory", ""]
    length = 10
    while length < size:
        if len(lines) % 15 == 2:
            lines += [f"## {rng.choice(_WORDS).capitalize()} {rng.randrange(10_000)}", ""]
        lines.append(item(rng))
        length += len(lines[-1]) + 1
    return ("\n".join(lines) + "\n").encode()


def items_of(data: bytes) -> list[int]:
    """Line numbers (from 0) of the list items."""
    return [at for at, line in enumerate(data.decode().split("\n")) if line.startswith("- ")]


def reworked(rng: random.Random, data: bytes, changed: int = 1, dropped: float = 0.0) -> bytes:
    """Another state of the file: ``changed`` new items in place of old ones, then a share of the items dropped."""
    lines = data.decode().split("\n")
    items = items_of(data)
    for at in rng.sample(items, changed):
        lines[at] = item(rng)
    gone = set(rng.sample(items, round(len(items) * dropped)))
    return "\n".join(line for at, line in enumerate(lines) if at not in gone).encode()


def grown(rng: random.Random, data: bytes, size: int) -> bytes:
    """With items appended until it has ``size`` bytes again."""
    lines = [data.decode().rstrip("\n")]
    length = len(data)
    while length < size:
        lines.append(item(rng))
        length += len(lines[-1]) + 1
    return ("\n".join(lines) + "\n").encode()

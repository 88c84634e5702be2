"""Which of many versions are looked at, when a file was written too often to look at them all.

Owns the choice: the first ones tell what happened, the newest what stands there, and between them
those after which most was gone. Pure, and a function of sizes and bytes alone, so that a replay
chooses the same. Called by the engine's reducer (sizes) and gatherer (bytes).
"""

from __future__ import annotations

from collections.abc import Sequence

EXAMINED = 64  # versions the judge looks at
_FIRST = 8
_NEWEST_SHARE = 4  # a quarter is kept for the newest, whatever was gone between


def examined(gone: Sequence[int], most: int) -> list[int]:
    """At most ``most`` indexes of versions, in order. ``gone[i]``: how much of version i the next one
    that is looked at lacks, as far as is known (the last one's is not asked for). Of the versions with
    the largest losses both sides are chosen: what was there last, and who dropped it."""
    if len(gone) <= most:
        return list(range(len(gone)))
    chosen = {*range(min(_FIRST, most // _NEWEST_SHARE)), *range(len(gone) - most // _NEWEST_SHARE, len(gone))}
    for index in sorted(range(len(gone) - 1), key=lambda i: (-gone[i], -i)):
        if gone[index] <= 0 or len(chosen) + 2 > most:
            break
        chosen |= {index, index + 1}
    rest = (index for index in reversed(range(len(gone))) if index not in chosen)
    chosen.update(index for index, _ in zip(rest, range(most - len(chosen)), strict=False))
    return sorted(chosen)


def falls(sizes: Sequence[int]) -> list[int]:
    """How much smaller the next version is than each; 0 for the last one."""
    return [max(0, size - following) for size, following in zip(sizes, [*sizes[1:], sizes[-1]], strict=True)]


def unshared(data: bytes, following: bytes) -> int:
    """Bytes of ``data`` between the beginning and the end that both texts share."""
    begin = _common(data, following)
    rest, other = data[begin:], following[begin:]
    return len(rest) - _common(rest[::-1], other[::-1])


def _common(one: bytes, two: bytes) -> int:
    low, high = 0, min(len(one), len(two))
    if one[:high] == two[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low

"""The one meaning of a glob, for files and for actor names, in the configuration and in the tables of roles.

Pure. `*` and `?` stay inside one path part, `**` spans parts, `[abc]` and `[!abc]` are sets. A pattern
without `/` matches the name at any depth; one with `/` matches the whole path from the root.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple, TypeVar

T = TypeVar("T")


def matches(pattern: str, path: bytes) -> bool:
    """Whether a file (path relative to its workspace, `/` between parts, any bytes) fits the glob."""
    return _compiled(pattern)(path)


def any_matches(patterns: Iterable[str], path: bytes) -> bool:
    return any(matches(pattern, path) for pattern in patterns)


def first_match(table: Mapping[str, T], path: bytes) -> T | None:
    """The value of the first glob of the table, in the order written, that fits."""
    return next((value for pattern, value in table.items() if matches(pattern, path)), None)


def actor_matches(pattern: str, actor: str) -> bool:
    """Whether an actor name (`cron:dreaming`) fits; `*` spans everything, colons and slashes too."""
    first, *rest = (re.escape(part).replace(r"\?", ".") for part in re.split(r"\*+", pattern))
    if not rest:
        return re.fullmatch(first, actor, re.DOTALL) is not None
    # The first place for what stands between two stars is as good as any: nothing is tried twice.
    between = "".join(f"(?>.*?{part})" for part in rest[:-1])
    return re.fullmatch(f"{first}{between}.*{rest[-1]}", actor, re.DOTALL) is not None


def glob_place(pattern: str) -> tuple[bytes, bool]:
    """The directory that holds every file a glob can mean, and whether those below it count too.

    A name without a slash fits at any depth, but only the root is watched for it.
    """
    folder, _, name = pattern.lstrip("/").rpartition("/")
    literal: list[str] = []
    for part in folder.split("/") if folder else []:
        if any(letter in part for letter in "*?["):
            return "/".join(literal).encode("utf-8", "surrogateescape"), True
        literal.append(part)
    return "/".join(literal).encode("utf-8", "surrogateescape"), "**" in name


class _Token(NamedTuple):
    """``expression``: of one letter, or of what may be there any number of times (``many``). ``optional``: a run of
    whole path parts, or nothing."""

    expression: bytes
    many: bool = False
    optional: bool = False


_PARTS = _Token(b"(?:.*/)?", optional=True)
_ALL = _Token(b".", many=True)
_NAME = _Token(b"[^/]", many=True)

EASY = 2  # wildcards of any length that a regular expression may go back over

Matcher = Callable[[bytes], bool]


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Matcher:
    tokens = _tokens(pattern)
    if sum(token.many or token.optional for token in tokens) > EASY:
        return partial(_walk, tokens, [_letters(token) for token in tokens])
    expression = b"".join(token.expression + (b"*" if token.many else b"") for token in tokens)
    fullmatch = re.compile(expression, re.DOTALL).fullmatch
    return lambda path: fullmatch(path) is not None


def _walk(tokens: Sequence[_Token], letters: Sequence[Container[int]], path: bytes) -> bool:
    """Every way through the glob at once, so that many wildcards cost no more than their number. A place is an index
    into the tokens, or the complement of one: within a run of path parts."""
    places = _reached(tokens, {0})
    for letter in path:
        reached: set[int] = set()
        for place in places:
            if place < 0:
                reached.add(place)
                if letter == ord("/"):
                    reached.add(~place + 1)
            elif place < len(tokens) and letter in letters[place]:
                reached.add(place if tokens[place].many else place + 1)
        if not reached:
            return False
        places = _reached(tokens, reached)
    return len(tokens) in places


def _reached(tokens: Sequence[_Token], places: set[int]) -> set[int]:
    """With the places that no letter is needed for."""
    found, waiting = set(places), list(places)
    while waiting:
        place = waiting.pop()
        if not 0 <= place < len(tokens):
            continue
        nearby = [place + 1] if tokens[place].many or tokens[place].optional else []
        nearby += [~place] if tokens[place].optional else []
        for each in nearby:
            if each not in found:
                found.add(each)
                waiting.append(each)
    return found


def _letters(token: _Token) -> Container[int]:
    if token.optional:
        return ()
    one = re.compile(token.expression, re.DOTALL)
    return frozenset(letter for letter in range(256) if one.fullmatch(bytes([letter])))


def _tokens(pattern: str) -> list[_Token]:
    text = pattern.lstrip("/").encode("utf-8", "surrogateescape")
    tokens = [_PARTS] if "/" not in pattern else []
    at = 0
    while at < len(text):
        if text.startswith(b"**/", at):
            token, at = _PARTS, at + 3
        elif text.startswith(b"**", at):
            token, at = _ALL, at + 2
        else:
            token, at = _one(text, at)
        if not tokens or token != tokens[-1] or not (token.many or token.optional):
            tokens.append(token)
    return tokens


def _one(text: bytes, at: int) -> tuple[_Token, int]:
    """The wildcard, set or letter at `at`, and where the next one starts."""
    letter = text[at : at + 1]
    if letter == b"*":
        return _NAME, at + 1
    if letter == b"?":
        return _Token(b"[^/]"), at + 1
    end = text.find(b"]", at + 2) if letter == b"[" else -1
    if end > 0:
        inside = text[at + 1 : end]
        negated = inside[:1] in (b"!", b"^")
        members = inside[1:] if negated else inside
        escaped = members.replace(b"\\", b"\\\\").replace(b"[", b"\\[").replace(b"^", b"\\^").replace(b"]", b"\\]")
        if members and _is_set(escaped):
            return _Token(b"(?!/)[" + (b"^" if negated else b"") + escaped + b"]"), end + 1
    return _Token(re.escape(letter)), at + 1


def _is_set(members: bytes) -> bool:
    try:
        re.compile(b"[" + members + b"]")
    except re.error:
        return False
    return True

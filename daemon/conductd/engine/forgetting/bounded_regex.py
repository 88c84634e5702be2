"""Regular expressions of people, tried in a process that can be stopped.

An expression can take years on a short text, and would hold every thread of the daemon for as long; no
rule about its shape is as sure as a clock. The texts go through a pipe and are on no command line.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence

import msgspec

from conductd import own_process
from conductd.errors import UsageError

PATIENCE_S = 20.0
_FOUND_MOST = 100  # in one text


def find(expression: str, texts: Sequence[str], patience_s: float = PATIENCE_S) -> list[list[str]]:
    """What the expression matches in each text (never the empty match). Raises UsageError when it is none, or
    takes too long."""
    try:
        re.compile(expression)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(
            f"this is no regular expression: {error}", "leave out --regex to look for plain text"
        ) from None
    try:
        done = subprocess.run(
            own_process.command("conductd.engine.forgetting.bounded_regex"),
            input=msgspec.msgpack.encode((expression, list(texts))),
            capture_output=True,
            timeout=patience_s,
            env=own_process.environment(),
            cwd="/",
            check=True,
        )
        return msgspec.msgpack.decode(done.stdout, type=list[list[str]])
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"the regular expression takes more than {patience_s:.0f} s", "make it simpler: no repeats inside repeats"
        ) from None
    except (OSError, subprocess.CalledProcessError, msgspec.DecodeError):
        raise UsageError("the regular expression could not be tried", "make it simpler") from None


def main() -> None:
    expression, texts = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=tuple[str, list[str]])
    compiled = re.compile(expression)
    answers: list[list[str]] = []
    for text in texts:
        found: dict[str, None] = {}
        for match in compiled.finditer(text):
            if match[0]:
                found[match[0]] = None
            if len(found) == _FOUND_MOST:
                break
        answers.append(list(found))
    sys.stdout.buffer.write(msgspec.msgpack.encode(answers))


if __name__ == "__main__":
    main()

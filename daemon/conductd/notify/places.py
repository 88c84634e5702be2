"""Where a channel leads to: a URL as the configuration has it, with secrets from the environment or a private file.

A URL is never logged, shown or put into an argument list: `label` is what people see of it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping

from conductd.core.notifying.urls import DESKTOP, WEBHOOK, channel_fault, scheme_of
from conductd.errors import ConfigError
from conductd.model import Frozen

_NAME = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
MAX_BYTES = 64 * 1024


class Place(Frozen, frozen=True):
    """``kind``: "desktop", "webhook" or "apprise". ``secret``: what a webhook is signed with."""

    kind: str
    url: str
    secret: str = ""

    @property
    def label(self) -> str:
        """What may be shown: the kind, and of a URL its scheme and nothing else."""
        if self.kind == DESKTOP:
            return DESKTOP
        scheme = scheme_of(self.url) or "?"
        return f"webhook over {scheme}" if self.kind == "webhook" else scheme


def resolved(name: str, url: str, secret: str, given: Mapping[str, str]) -> Place:
    """Raises ConfigError, which names the variable that is missing, or says what is wrong, and never a value."""
    whole, key = filled(f"the channel {name}", url, given), filled(f"the channel {name}", secret, given)
    if whole == DESKTOP:
        return Place(DESKTOP, "")
    fault = channel_fault(whole)
    if fault:
        raise ConfigError(f"the URL of the channel {name} {fault}", "conductd help notify has examples")
    if scheme_of(whole).startswith(WEBHOOK):
        return Place("webhook", whole[len(WEBHOOK) :], key)
    return Place("apprise", whole)


def variables(path: str, env: Mapping[str, str]) -> dict[str, str]:
    """The environment, and above it the lines `NAME=value` of a private file. Raises ConfigError: it is not there, or
    others may read it."""
    found = dict(env)
    if not path:
        return found
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}", "the key notify.env_file names it") from error
    if stat.S_IMODE(mode) & 0o077:
        raise ConfigError(f"{path} holds secrets and others may read it", f"chmod 600 {path}")
    for line in text.splitlines():
        match = _LINE.fullmatch(line.strip())
        if match is not None:
            value = match[2].strip()
            found[match[1]] = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    return found


def filled(what: str, text: str, given: Mapping[str, str]) -> str:
    """`text` with its variables. Raises ConfigError, which says what needs the one that is missing."""

    def value(match: re.Match[str]) -> str:
        if not given.get(match[1]):
            raise ConfigError(f"{what} needs {match[1]}, which is not set", "notify.env_file may hold it")
        return given[match[1]]

    return _NAME.sub(value, text)

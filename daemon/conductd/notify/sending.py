"""Has one message sent, by a process of its own (`notify.attempt`): that can be ended when a network, a name server or
a library hangs, and what libraries it needs never are in the daemon."""

from __future__ import annotations

import base64
import json
import subprocess
from typing import Any

from conductd import own_process
from conductd.core.notifying.wording import Message
from conductd.model import Frozen
from conductd.notify.places import Place

TIMEOUT_S = 60


class Outcome(Frozen, frozen=True):
    """``error``: what went wrong, without any part of a URL; "": it was sent. ``is_silence``: the process that
    was to send it said nothing."""

    error: str = ""
    is_silence: bool = False

    @property
    def is_sent(self) -> bool:
        return not self.error


def send(place: Place, message: Message, facts: dict[str, Any], timeout_s: float = TIMEOUT_S) -> Outcome:
    """Never raises, never takes much longer than `timeout_s`. ``facts``: what a webhook gets beside the words."""
    order = {
        "kind": place.kind,
        "url": place.url,
        "secret": place.secret,
        "title": message.title,
        "body": message.body,
        "severity": message.severity.value,
        "facts": facts,
        "attachments": [
            {"name": each.name, "base64": base64.b64encode(each.data).decode()} for each in message.attachments
        ],
    }
    return _ran(order, timeout_s)


def check(place: Place, timeout_s: float = TIMEOUT_S) -> str:
    """Why nothing can ever be sent there, as far as that can be told without a network; "" for nothing."""
    if place.kind != "apprise":
        return ""
    outcome = _ran({"kind": "check", "url": place.url}, timeout_s)
    return "" if outcome.is_silence else outcome.error


def ping(url: str, timeout_s: float = TIMEOUT_S) -> Outcome:
    """Ask for a URL (http, https), as `send` sends."""
    return _ran({"kind": "ping", "url": url}, timeout_s)


def _ran(order: dict[str, Any], timeout_s: float) -> Outcome:
    try:
        ran = subprocess.run(
            own_process.command("conductd.notify.attempt"),
            cwd="/",
            env=own_process.environment(),
            input=json.dumps(order).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=timeout_s,
            check=False,
        )
        told = json.loads(ran.stdout.splitlines()[-1])
        return Outcome(str(told["error"]))
    except subprocess.TimeoutExpired:
        return Outcome(f"no answer within {timeout_s:.0f} s", True)
    except (OSError, ValueError, LookupError, TypeError):
        return Outcome("the sending process ended without a word", True)

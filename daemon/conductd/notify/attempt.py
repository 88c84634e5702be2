"""One attempt to send one message. Run as `python -m conductd.notify.attempt`.

The order comes on standard input, for it holds secrets; the outcome is one line of JSON on standard output.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any

from conductd.core.notifying.urls import on_the_wire

UNKNOWN = "apprise knows no such service, or not this form of its URL"
PAGE = "text/html"
_MEANS = dict.fromkeys((401, 403), ": the token is wrong, or has expired")
ANSWER_S = 20  # for one exchange with a server
_URGENCY = {"info": "low", "notice": "normal", "alarm": "critical"}
_LEVEL = {"info": 0, "notice": 1, "alarm": 2}
_APPRISE = {"info": "info", "notice": "warning", "alarm": "failure"}


def main() -> None:
    order = json.loads(sys.stdin.buffer.read())
    kinds = {"desktop": _desktop, "webhook": _webhook, "apprise": _apprise, "ping": _ping, "check": _check}
    # Nothing that a library prints is to be taken for the answer, or to hold a URL in a log.
    answer = os.dup(1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    try:
        error = kinds[order["kind"]](order)
    except Exception as failure:  # a plugin's own: its words may hold the URL
        error = f"it failed ({type(failure).__name__})"
    os.write(answer, json.dumps({"error": error}).encode() + b"\n")


def _check(order: dict[str, Any]) -> str:
    """Whether there is such a service, and it takes such a URL. Asks no network."""
    import apprise

    return "" if apprise.Apprise().add(order["url"]) else UNKNOWN


def _apprise(order: dict[str, Any]) -> str:
    import apprise
    from apprise.attachment.memory import AttachMemory

    service = apprise.Apprise()
    if not service.add(order["url"]):
        return UNKNOWN
    kind = apprise.NotifyType(_APPRISE[order["severity"]])
    takes = any(each.attachment_support for each in service)
    pages = [
        AttachMemory(base64.b64decode(each["base64"]), each["name"], PAGE)  # type: ignore[no-untyped-call]
        for each in order["attachments"]
        if takes
    ]
    sent = service.notify(
        title=order["title"], body=order["body"], notify_type=kind, body_format="text", attach=pages or None
    )
    return "" if sent else "the service did not take it"


def _webhook(order: dict[str, Any]) -> str:
    """JSON, signed: `X-Conductd-Signature: t=SECONDS,v1=HMAC-SHA256 of "SECONDS.BODY"` in hexadecimal digits."""
    told = {"title": order["title"], "body": order["body"], "severity": order["severity"], **order["facts"]}
    if order["attachments"]:
        told["attachments"] = [{**each, "media_type": PAGE} for each in order["attachments"]]
    body = json.dumps(told, ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")
    headers = {"Content-Type": "application/json", "User-Agent": "conductd"}
    if order["secret"]:
        seconds = str(int(time.time()))
        digest = hmac.new(order["secret"].encode(), seconds.encode() + b"." + body, hashlib.sha256).hexdigest()
        headers["X-Conductd-Signature"] = f"t={seconds},v1={digest}"
    return _asked(order["url"], headers, body)


def _ping(order: dict[str, Any]) -> str:
    """Says nothing but that somebody asks."""
    return _asked(order["url"], {"User-Agent": "conductd"})


def _asked(url: str, headers: dict[str, str], body: bytes | None = None) -> str:
    """POST of a body, GET where there is none; what stands before the `@` of a URL goes along as its user."""
    url, user = on_the_wire(url)
    if user:
        word = base64.b64encode((user if ":" in user else f"{user}:").encode()).decode()
        headers = {**headers, "Authorization": f"Basic {word}"}
    request = urllib.request.Request(url, data=body, headers=headers)  # noqa: S310 - http(s) only
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=ANSWER_S) as answer:
            status = answer.status
    except urllib.error.HTTPError as error:
        return f"the server answered {error.code}{_MEANS.get(error.code, '')}"
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        return f"the server cannot be reached ({type(reason).__name__})"
    return "" if 200 <= status < 300 else f"the server answered {status}"


def _desktop(order: dict[str, Any]) -> str:
    title, body = order["title"], order["body"]
    if sys.platform == "darwin":
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        return _ran(["osascript", "-e", script, title, body])
    if not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        bus = f"/run/user/{os.getuid()}/bus"
        if not os.path.exists(bus):
            return "there is no session bus"
        os.environ["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={bus}"
    if shutil.which("notify-send"):
        urgency = _URGENCY[order["severity"]]
        return _ran(["notify-send", "--app-name=conductd", f"--urgency={urgency}", "--", title, body])
    if shutil.which("busctl"):
        level = str(_LEVEL[order["severity"]])
        where = ["org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications"]
        hints = ["1", "urgency", "y", level]
        call = ["Notify", "susssasa{sv}i", "conductd", "0", "", title, body, "0", *hints, "-1"]
        return _ran(["busctl", "--user", "call", "--", *where, *call])
    return "neither notify-send nor busctl is installed"


def _ran(command: list[str]) -> str:
    try:
        ran = subprocess.run(command, capture_output=True, timeout=ANSWER_S, check=False)
    except FileNotFoundError:
        return f"{command[0]} is not installed"
    except subprocess.TimeoutExpired:
        return f"{command[0]} does not answer"
    return "" if ran.returncode == 0 else f"{command[0]} failed with exit code {ran.returncode}"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """What is sent goes where the configuration says, and nowhere else."""

    def redirect_request(self, *_args: object, **_named: object) -> None:
        return None


if __name__ == "__main__":
    main()

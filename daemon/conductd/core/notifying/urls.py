"""What is wrong with a URL of the configuration. Pure; what it says holds no part of the URL, for that may be secret.

Which services there are is known to apprise alone (`notify.sending.check`): of their URLs only the form is looked at.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit, urlunsplit

DESKTOP = "desktop"
WEBHOOK = "webhook+"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_VARIABLE = re.compile(r"\$\{?[A-Za-z_][A-Za-z0-9_]*\}?")
_STAND_INS = ("1", "::1")  # a host, a port, a token; an address between brackets
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+(%[A-Za-z0-9._-]+)?")  # a name, an address with its interface


def scheme_of(url: str) -> str:
    """What stands before `://`, in small letters; "" where that is no scheme."""
    scheme, colon, _ = url.partition("://")
    return scheme.lower() if colon and _SCHEME.fullmatch(scheme) else ""


def channel_fault(url: str) -> str:
    """Of a channel's whole URL: what is wrong with it, "" for nothing."""
    if url == DESKTOP:
        return ""
    scheme = scheme_of(url)
    if not scheme:
        return 'begins with no scheme: "desktop", "ntfys://…", "webhook+https://…"'
    if scheme.startswith("webhook"):
        if scheme not in ("webhook+http", "webhook+https"):
            return "is of a webhook that is neither webhook+http:// nor webhook+https://"
        return web_fault(url[len(WEBHOOK) :])
    if not url.isprintable():
        return "has a control character in it"
    return "" if url.partition("://")[2] else "ends after its scheme"


def web_fault(url: str) -> str:
    """Of a whole URL that is asked for: what is wrong with it, "" for nothing."""
    if scheme_of(url) not in ("http", "https"):
        return "is no URL of the web: https://…"
    if not url.isprintable() or " " in url:
        return "has a space or a control character in it"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "is malformed: its host or its port cannot be read"
    if not host:
        return "is no URL of the web: https://…"
    if port == 0:
        return "is malformed: its port is 0"
    if "]" in parts.netloc and parts.netloc.rpartition("]")[2][:1] not in ("", ":"):
        return "is malformed: its host or its port cannot be read"
    return "" if _ascii_host(host) else "is malformed: its host is no name"


def on_the_wire(url: str) -> tuple[str, str]:
    """A URL without `web_fault` as it is asked for, in ASCII alone, and the `user:password` that stood in it, "" where
    there was none: what stands before an `@` is no part of a host, and goes into a header."""
    parts = urlsplit(url)
    user, _, place = parts.netloc.rpartition("@")
    host = _ascii_host(parts.hostname or "")
    host = f"[{host}]" if place.startswith("[") else host
    netloc = host if parts.port is None else f"{host}:{parts.port}"
    path, query, fragment = (_quoted(each) for each in (parts.path, parts.query, parts.fragment))
    return urlunsplit((parts.scheme, netloc, path, query, fragment)), unquote(user)


def _quoted(text: str) -> str:
    """What a browser makes of it: letters that are not ASCII as their bytes in UTF-8; what is quoted stays as it is."""
    return "".join(each if each.isascii() else quote(each) for each in text)


def _ascii_host(host: str) -> str:
    """A host as names are asked for; "" for what is no host."""
    try:
        found = host.encode("idna").decode("ascii")
    except UnicodeError:
        return ""
    return found if _HOST.fullmatch(found) else ""


def written_fault(url: str) -> str:
    """Of a channel's URL with `$NAME` in it: what is wrong whatever its variables hold, "" for nothing."""
    if _VARIABLE.search(url.partition("://")[0]):
        return ""
    found = [channel_fault(_VARIABLE.sub(each, url)) for each in _STAND_INS]
    return found[0] if all(found) else ""

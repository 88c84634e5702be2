"""What a client may send: the query of each route and the JSON object of each POST.

Unknown fields, wrong types and values out of range are refused before the service is asked. A path
comes as `path` (UTF-8 text) or `path_b64` (base64 of the raw bytes, which wins).
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Literal

import msgspec

from conductd.errors import UsageError

Limit = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
MAX_SEQUENCE = 2**63 - 1  # what the index can hold
Sequence = Annotated[int, msgspec.Meta(ge=0, le=MAX_SEQUENCE)]


_STANDARD = str.maketrans("-_ ", "+/+")


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base: immutable, and nothing that is not named here."""


class NoQuery(Ask, frozen=True):
    pass


class FilesQuery(Ask, frozen=True):
    workspace: str | None = None


class LoadQuery(Ask, frozen=True):
    workspace: str | None = None


class VersionsQuery(Ask, frozen=True):
    path: str | None = None
    path_b64: str | None = None
    workspace: str | None = None
    limit: Limit = 100
    before: Sequence | None = None


class ContentQuery(Ask, frozen=True):
    path: str | None = None
    path_b64: str | None = None
    version: str = ""
    workspace: str | None = None


class ExplainQuery(Ask, frozen=True):
    path: str | None = None
    path_b64: str | None = None
    version: str = ""
    workspace: str | None = None


class DiffQuery(Ask, frozen=True):
    path: str | None = None
    path_b64: str | None = None
    old: str = ""
    new: str = ""
    workspace: str | None = None


class IncidentsQuery(Ask, frozen=True):
    state: Literal["open", "resolved", "accepted", "expired"] | None = None


class EventsQuery(Ask, frozen=True):
    since: Sequence | None = None


class LogQuery(Ask, frozen=True):
    since: Sequence = 0
    limit: Limit = 1000


class BootcardQuery(Ask, frozen=True):
    """Without `lines` and `tokens` those of the configuration; without `date` today."""

    workspace: str | None = None
    date: Annotated[str, msgspec.Meta(pattern=r"^(\d{4}-\d{2}-\d{2})?$")] = ""
    agent: Annotated[str, msgspec.Meta(max_length=100)] = ""
    version: Annotated[str, msgspec.Meta(max_length=100)] = ""
    session: Literal["", "main", "group", "subagent", "cron", "light"] = ""
    lines: Annotated[int, msgspec.Meta(ge=1, le=500)] | None = None
    tokens: Annotated[int, msgspec.Meta(ge=60, le=100_000)] | None = None


class NoBody(Ask, frozen=True):
    pass


class ModeBody(Ask, frozen=True):
    mode: Literal["protect", "observe", "end"]
    root: str | None = None
    root_b64: str | None = None


class RestoreBody(Ask, frozen=True):
    """A version of a file, or everything that an incident still owes."""

    path: str | None = None
    path_b64: str | None = None
    version: str | None = None
    workspace: str | None = None
    incident: Sequence | None = None
    dry_run: bool = False


class ForgetBody(Ask, frozen=True):
    """One of ``matching``, ``secret``, ``version`` (with or without a path) and ``path`` alone."""

    matching: str = ""
    secret: str = ""
    regex: bool = False
    only_match: bool = False
    version: str = ""
    path: str | None = None
    path_b64: str | None = None
    workspace: str | None = None
    now: bool = False
    in_files: bool = False
    dry_run: bool = False


class ForgetCheckBody(Ask, frozen=True):
    """What to look for; nothing: all that was erased."""

    matching: str = ""
    secret: str = ""


class ForgetCancelBody(Ask, frozen=True):
    forget: Sequence


class GcBody(Ask, frozen=True):
    """Erase the content of old versions; `dry_run`: only say what would go."""

    dry_run: bool = False


class JobsQuery(Ask, frozen=True):
    workspace: str | None = None


class ReportQuery(Ask, frozen=True):
    """Without `date` the last that is kept, else of the present day."""

    workspace: str | None = None
    date: Annotated[str, msgspec.Meta(max_length=40)] = ""


class JobRunBody(Ask, frozen=True):
    """Run a job of the night now, for `date` ("": the present day). `dry_run`: nothing is written, and nothing put on
    record."""

    job: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    workspace: str | None = None
    date: Annotated[str, msgspec.Meta(max_length=40)] = ""
    dry_run: bool = False


class RestoreAtBody(Ask, frozen=True):
    """Everything below a directory as it was at a time; without `path`, in every workspace. `exact`: what came
    later goes."""

    at: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    path: str | None = None
    path_b64: str | None = None
    exact: bool = False
    dry_run: bool = False


class UndoBody(Ask, frozen=True):
    """What was written for an incident; without one, what was written last."""

    incident: Sequence | None = None
    dry_run: bool = False


class RotateBody(Ask, frozen=True):
    """`to`: absolute, or below the workspace. `until_percent`: how full it may be; 0: only what is over a limit."""

    path: str | None = None
    path_b64: str | None = None
    workspace: str | None = None
    to: str | None = None
    to_b64: str | None = None
    until_percent: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    dry_run: bool = False


class AcceptBody(Ask, frozen=True):
    incident: Sequence | None = None
    path: str | None = None
    path_b64: str | None = None
    workspace: str | None = None
    dry_run: bool = False


class RequestBody(Ask, frozen=True):
    """The number of a request."""

    request: Sequence


Seconds = Annotated[int, msgspec.Meta(ge=1, le=86_400)]


class LeaseBody(Ask, frozen=True):
    """`path` is a file or directory. `editor`: the program that has it open. `confirmed`: a person said yes to a
    long one."""

    path: str | None = None
    path_b64: str | None = None
    workspace: str | None = None
    seconds: Seconds = 600
    editor: str = ""
    confirmed: bool = False


class RenewBody(Ask, frozen=True):
    lease: Sequence
    seconds: Seconds = 600


class LeaseEndBody(Ask, frozen=True):
    """By number, or the newest that was taken for just this path."""

    lease: Sequence | None = None
    path: str | None = None
    path_b64: str | None = None
    workspace: str | None = None


Glob = Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]


class PinsQuery(Ask, frozen=True):
    workspace: str | None = None


class PinBody(Ask, frozen=True):
    """One of `line`, `heading`, `text` and `marked`; none of them: the whole file."""

    path: str | None = None
    path_b64: str | None = None
    workspace: str | None = None
    line: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)] = 0
    heading: Annotated[str, msgspec.Meta(max_length=1_000)] = ""
    text: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    marked: bool = False


class RoleBody(Ask, frozen=True):
    """Without a workspace: the only one."""

    glob: Glob
    role: Literal["curated", "daily", "topic", "instructions", "replaceable"]
    workspace: str | None = None
    dry_run: bool = False


class RoleForgetBody(Ask, frozen=True):
    glob: Glob
    workspace: str | None = None


class FixBody(Ask, frozen=True):
    """Without a workspace: the only one. `only`: these kinds of fixes; all where none is named."""

    workspace: str | None = None
    only: Annotated[list[Literal["split_files", "wrong_case", "link", "hard_link"]], msgspec.Meta(max_length=10)] = []
    dry_run: bool = False


class EvidenceBody(Ask, frozen=True):
    """`digest` is 64 hex digits of SHA-256; or the content is sent and digested here."""

    actor: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    path: str | None = None
    path_b64: str | None = None
    workspace: str | None = None
    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-fA-F]{64}$")] | None = None
    content: str | None = None
    content_b64: str | None = None
    session: Annotated[str, msgspec.Meta(max_length=500)] = ""
    tool_call: Annotated[str, msgspec.Meta(max_length=500)] = ""


def raw(text: str | None, base64_text: str | None, field: str = "path") -> bytes | None:
    """The raw bytes of a path given in either form; None when neither is."""
    if base64_text is not None:
        # Either alphabet; and a "+" that nobody quoted in a query arrives as a space.
        path = unbase64(base64_text.translate(_STANDARD), f"{field}_b64")
    elif text is not None:
        path = text.encode("utf-8", "surrogateescape")
    else:
        return None
    if not path or b"\0" in path:
        raise UsageError(f"`{field}` is no path", "give an absolute path, or one relative to a workspace")
    return path


def needed(text: str | None, base64_text: str | None, field: str = "path") -> bytes:
    path = raw(text, base64_text, field)
    if path is None:
        raise UsageError(f"`{field}` is missing", f"give {field}, or {field}_b64 for a name that is not UTF-8")
    return path


def unbase64(text: str, field: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UsageError(f"`{field}` is not base64: {error}", "encode the raw bytes with standard base64") from error

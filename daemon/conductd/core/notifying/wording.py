"""The message that a person gets: of one notice, or of several that waited together."""

from __future__ import annotations

from collections.abc import Sequence

from conductd.model import UNDONE, EventClass, Frozen, IncidentRecord, NoticeRecord, Severity

NAMED = 12  # notices of one message by their words; the rest is counted
LONGEST = 3_000  # characters of a body: what the narrowest chat takes
_ENDED = {"resolved": "is settled", "accepted": "was accepted", "expired": "has expired"}


class Attachment(Frozen, frozen=True):
    """A page of HTML. ``name``: without directories."""

    name: str
    data: bytes


class Message(Frozen, frozen=True):
    """Plain text. ``severity``: the loudest of what is in it. ``notices``: their sequences. ``attachments``: for
    channels that take some."""

    title: str
    body: str
    severity: Severity
    notices: tuple[int, ...]
    attachments: tuple[Attachment, ...] = ()


class Told(Frozen, frozen=True):
    """A notice with its sequence and the directory of its workspace ("" where it is of none). ``excerpt``: lines of
    what was lost, where the channel is meant to carry them. ``since``: what became of its incident meanwhile."""

    seq: int
    notice: NoticeRecord
    root: str = ""
    excerpt: tuple[str, ...] = ()
    since: str = ""


def message(told: Sequence[Told]) -> Message:
    """One message for all of it; `told` is not empty."""
    loudest = max((each.notice.severity for each in told), key=list(Severity).index)
    sequences = tuple(each.seq for each in told)
    blocks = _blocks(told)
    if len(blocks) == 1:
        return Message(f"conductd: {_first(told[0])}", _cut(blocks[0]), loudest, sequences)
    alarms = sum(each.notice.severity is Severity.ALARM for each in told)
    title = f"conductd: {len(told)} notices" + (f", {alarms} of them alarms" if alarms else "")
    more = [f"and {len(blocks) - NAMED} more: conductd incidents"] if len(blocks) > NAMED else []
    return Message(title, _cut("\n\n".join([*blocks[:NAMED], *more])), loudest, sequences)


def ended(record: IncidentRecord) -> str:
    """What became of an incident; "" while it is open."""
    became = "" if record.state == "open" else _ENDED.get(record.state, record.state)
    is_undone = became and record.why.startswith(UNDONE)
    return f"{became}: its repair was undone, what was written stands" if is_undone else became


def _blocks(told: Sequence[Told]) -> list[str]:
    """What each says; the same words about no incident once, with how often."""
    times: dict[tuple[str, int | None], int] = {}
    for each in told:
        key = ("\n".join(_lines(each)), each.seq if each.notice.incident is not None else None)
        times[key] = times.get(key, 0) + 1
    return [text if count == 1 else f"{text}\n({count} times)" for (text, _), count in times.items()]


def _first(told: Told) -> str:
    """What fits a title: the kind of thing and the file, the whole sentence stands below."""
    notice = told.notice
    if notice.event_class is EventClass.REPORT:
        return notice.title
    if len(notice.files) == 1:
        return f"{notice.event_class.value.replace('_', ' ')}: {notice.files[0].decode('utf-8', 'replace')}"
    return notice.event_class.value.replace("_", " ")


def _lines(told: Told) -> list[str]:
    notice = told.notice
    lines = [notice.title]
    if notice.detail and notice.detail != notice.title:
        # A report has its lines; elsewhere a name that holds a line break is not to become a second line.
        lines += notice.detail.split("\n") if notice.event_class is EventClass.REPORT else [notice.detail]
    lines += [_where(told)] if told.root else []
    lines += [f"  {each}" for each in told.excerpt]
    lines += [f"since then: {told.since}"] if told.since else []
    lines += [f"to act: {notice.command}"] if notice.command else []
    return [_harmless(line) for line in lines]


def _where(told: Told) -> str:
    return f"in {told.root}" if told.root else ""


def _harmless(text: str) -> str:
    """No control characters: a name or a heading is not to become a second line or a colour."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

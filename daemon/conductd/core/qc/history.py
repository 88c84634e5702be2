"""Checks of what only the history knows: whole, recorded, restorable; what is open, lost, pinned."""

from __future__ import annotations

from conductd.core.night.net import net
from conductd.core.qc.check import Check, Seen
from conductd.core.qc.notes import Given
from conductd.core.qc.results import Grade
from conductd.model import Severity
from conductd.views import shown
from conductd.views.words import counted, verb


def _verified(given: Given) -> Seen:
    found = given.facts.verified
    assert found is not None
    if not found.is_whole:
        return Seen(Grade.FAIL, f"the journal is damaged in {counted(found.damaged, 'place')}", (), "conductd verify")
    return Seen(Grade.PASS, f"{counted(found.versions, 'version')} verified")


def _recorded(given: Given) -> Seen:
    night = given.night
    lacking = [shown(each.path) for each in night.files if not each.seq]
    unread = [f"{shown(path)}: {why}" for path, why in night.unread]
    if unread:
        said = f"{counted(len(unread), 'file')} cannot be read"
        return Seen(Grade.WARN, said, unread, "conductd doctor")
    if lacking:
        said = f"{counted(len(lacking), 'file')} {verb(len(lacking), 'is', 'are')} not on record as on disk"
        return Seen(Grade.WARN, said, lacking, "conductd status")
    if not night.files:
        return Seen(Grade.PASS, "there is no protected file yet")
    is_recorded = verb(len(night.files), "is on record as it is", "are on record as they are")
    return Seen(Grade.PASS, f"{counted(len(night.files), 'file')} {is_recorded} on disk")


def _open(given: Given) -> Seen:
    open_ = [each for each in given.night.day.incidents or () if each.state == "open"]
    if not open_ and given.night.day.unjudged:
        return _unjudged(given, "no incident is open")
    if not open_:
        return Seen(Grade.PASS, "no incident is open")
    worst = Grade.FAIL if any(each.severity is Severity.ALARM for each in open_) else Grade.WARN
    places = [f"incident {each.incident}: {', '.join(map(shown, each.paths[:3]))}" for each in open_]
    return Seen(
        worst, f"{counted(len(open_), 'incident')} {verb(len(open_), 'is', 'are')} open", places, "conductd incidents"
    )


def _lost(given: Given) -> Seen:
    came = net(given.night.before)
    if came.gained is None or came.lost is None:
        return Seen(Grade.UNKNOWN, "what a file held before or after is not known any more", (), "conductd log")
    still = [each for each in given.night.day.incidents or () if each.entries_lost]
    figures = f"{counted(came.gained, 'entry', 'entries')} gained, {came.lost:,} lost"
    if not still and given.night.day.unjudged:
        return _unjudged(given, figures)
    if not still:
        return Seen(Grade.PASS, figures)
    places = [f"incident {each.incident}: {counted(each.entries_lost, 'entry', 'entries')}" for each in still]
    missing = sum(each.entries_lost for each in still)
    said = f"{figures}; {counted(missing, 'entry', 'entries')} {verb(missing, 'is', 'are')} still lost"
    return Seen(Grade.WARN, said, places, "conductd incidents")


def _unjudged(given: Given, words: str) -> Seen:
    places = [shown(path) for path in given.night.day.unjudged]
    said = f"{words}, but {counted(len(places), 'file')} written just now {'waits' if len(places) == 1 else 'wait'}"
    return Seen(Grade.UNKNOWN, f"{said} to be judged", places, "conductd status")


def _pins(given: Given) -> Seen:
    found = given.facts.pins
    assert found is not None
    if found.hidden:
        said = f"the agent does not see all that is pinned in {counted(found.hidden, 'file')}"
        return Seen(Grade.FAIL, said, (), "conductd load")
    if not found.pinned:
        return Seen(Grade.PASS, "nothing is pinned")
    return Seen(Grade.PASS, f"{counted(found.pinned, 'pinned entry', 'pinned entries')}, none known to be out of sight")


def _card(given: Given) -> Seen:
    card = given.facts.card
    assert card is not None
    figures = f"at most {card.tokens:,} of {card.limit:,} tokens"
    if card.pins_left_out:
        said = f"the boot card has no room for {counted(card.pins_left_out, 'pinned line')}"
        return Seen(Grade.FAIL, said, (figures,), "conductd help bootcard")
    if card.left_out:
        said = f"the boot card has no room for {counted(card.left_out, 'line')}"
        return Seen(Grade.WARN, said, (figures,), "conductd help bootcard")
    return Seen(Grade.PASS, f"the boot card has everything, {figures}")


def _drill(given: Given) -> Seen:
    drill = given.facts.drill
    assert drill is not None
    if drill.different:
        places = [shown(each) for each in drill.different]
        said = f"{counted(len(places), 'file')} of yesterday came back otherwise than recorded"
        return Seen(Grade.FAIL, said, places, "conductd verify")
    if drill.unreadable:
        places = [shown(each) for each in drill.unreadable]
        return Seen(
            Grade.WARN, f"{counted(len(places), 'file')} of yesterday could not be restored", places, "conductd verify"
        )
    if drill.left_out:
        said = (
            f"{counted(drill.files, 'file')} of yesterday restored, each as recorded; {drill.left_out:,} more not tried"
        )
        return Seen(Grade.UNKNOWN, said, (), "conductd verify")
    return Seen(Grade.PASS, f"{counted(drill.files, 'file')} of yesterday restored for a try, each as recorded")


CHECKS = (
    Check("history", "whether the journal was verified last night, and is whole", _verified, ("verified",)),
    Check("recorded", "whether every protected file is on record as it is on disk", _recorded),
    Check("incidents", "what was lost and still waits for a person", _open, ("incidents",)),
    Check("net_loss", "what the day gained and lost, and what of it is still lost", _lost, ("changes", "incidents")),
    Check("pins", "whether the agent sees what is pinned", _pins, ("pins",)),
    Check("boot_card", "whether everything that belongs on the boot card has room there", _card, ("card",)),
    Check("drill", "yesterday's state, restored into a directory of its own and compared", _drill, ("drill",)),
)

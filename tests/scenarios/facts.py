"""What the daemon tells, looked up in its API and put into the scenarios' words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from scenarios import load_facts
from scenarios.job_facts import JobFacts
from scenarios.language import Folder
from scenarios.texts import id_set, ids_in
from support.daemon import Daemon

Json = Any

# An event of a file or of the daemon is its own record; where only an incident could be written
# (a full disk keeps room for those), that is the event.
_OWN_KINDS = ("change", "event")


class Facts:
    """Reads the API anew at every question: the daemon goes on working between two checks."""

    def __init__(self, folder: Folder, daemon: Daemon, setup: Json) -> None:
        self._folder = folder
        self._daemon = daemon
        self.jobs = JobFacts(daemon, setup)

    # ------------------------------------------------------------------ events

    def log_lines(self) -> list[str]:
        """For a person who looks for the reason of a failure."""
        try:
            events = self._daemon.events()
        except OSError as error:
            return [f"(no answer: {error})"]
        columns = ("seq", "kind", "path", "event_class", "severity", "action", "by", "text")
        return [" ".join(str(event[column]) for column in columns) for event in events]

    def events(self, wanted: Json) -> list[Json]:
        """Events as `class`, `path`, `by`, `level` and `reason` describe them; class `alarm` is any alarm."""
        if wanted.get("class") == "alarm":
            alarms = [event for event in self._daemon.events() if event["severity"] == "alarm"]
            return [event for event in alarms if self._fits(event, {**wanted, "class": None})]
        found = [event for event in self._daemon.events() if self._fits(event, wanted)]
        own = [event for event in found if event["kind"] in _OWN_KINDS]
        return own or [event for event in found if event["kind"] == "incident"]

    def verdicts(self) -> list[Json]:
        """Everything that was decided about a change, except the first sight of a file."""
        events = self._daemon.events()
        changes = [event for event in events if event["kind"] == "change" and event["event_class"] != "first_sight"]
        changes += [event for event in events if event["kind"] == "event" and event["action"]]
        return changes or [event for event in events if event["kind"] == "incident"]

    def notices(self, level: str | None = None) -> list[Json]:
        notices = self._daemon.events(kind="notice")
        return [notice for notice in notices if level is None or notice["severity"] == level]

    def _fits(self, event: Json, wanted: Json) -> bool:
        return (
            wanted.get("class") in (None, event["event_class"])
            and ("path" not in wanted or self._folder.at(wanted["path"]) in self.places(event))
            and wanted.get("by") in (None, event["by"])
            and wanted.get("level") in (None, event["severity"])
            and wanted.get("reason", "") in f"{event['text']} {event['data']}"
        )

    def places(self, event: Json) -> list[Path]:
        """The absolute paths an event is about."""
        roots = {workspace["id"]: Path(workspace["root"]) for workspace in self._daemon.api.get("/v1/workspaces")}
        root = roots.get(event["workspace"], Path(event["workspace"] or "/"))
        listed = event["data"].get("files")
        names = listed if isinstance(listed, list) else [event["path"]]
        return [root / name for name in names]

    # ------------------------------------------------------------------ reports

    def report(self, wanted: Json) -> None:
        """All the facts of one report; those about a fight must be about one and the same."""
        fight = {REPORTED_FIGHT[key]: value for key, value in wanted.items() if key in REPORTED_FIGHT}
        if fight:
            incidents = self.incidents()
            fitting = [one for one in incidents if all(one[key] == value for key, value in fight.items())]
            assert fitting, f"no incident with {fight}: {incidents}"
        load = {key: value for key, value in wanted.items() if key in load_facts.FITS}
        if load:
            told = self.of_loads()
            assert load_facts.fitting(told, load), f"told: {[one.facts for one in told]}"
        if "job" in wanted:
            self.jobs.report(wanted)
        for key, value in wanted.items():
            if key not in REPORTED_FIGHT and key not in load and key not in OF_JOBS:
                REPORTED[key](self, value)

    def of_loads(self) -> list[load_facts.Told]:
        """What was told of what agents see, newest first."""
        return load_facts.of_events(self._daemon.events(), lambda event: self.places(event)[0])

    def incidents(self) -> list[Json]:
        incidents: list[Json] = self._daemon.api.get("/v1/incidents")
        return incidents

    def explained(self) -> list[Json]:
        """Every change of every incident, explained."""
        explanations = [self._daemon.api.get(f"/v1/incidents/{incident['id']}") for incident in self.incidents()]
        return [change for explanation in explanations for change in explanation["changes"]]

    def _lost_ids(self, wanted: object) -> None:
        lost = self._ids(entry for change in self.explained() for entry in change["lost"])
        assert lost == id_set(wanted), f"told as lost: {sorted(lost)}"
        if not id_set(wanted):
            counts = [event["data"].get("lost") for event in self.verdicts()]
            assert not any(counts), f"entries told as lost: {counts}"

    def _moved_ids(self, wanted: object) -> None:
        moved = self._ids(entry for change in self.explained() for entry in change["moved"])
        assert moved == id_set(wanted), f"told as moved: {sorted(moved)}"

    def _moved_to(self, wanted: list[str]) -> None:
        told = {name for event in self.verdicts() for name in event["data"].get("moved_to", [])}
        assert told == set(wanted), f"told as the places it moved to: {sorted(told)}"

    def _writes(self, wanted: int) -> None:
        told = [change["facts"].get("writes") for change in self.explained()]
        assert wanted in told, f"told as the writes of it: {told}"

    def _sign(self, wanted: str) -> None:
        facts = [change["facts"] for change in self.explained() if change["event_class"] == "partial_write"]
        assert any(one.get("sign") == wanted for one in facts), f"told: {facts}"

    def _counted_as(self, wanted: str) -> None:
        assert wanted == "false positive"
        assert self._daemon.status()["false_positives"] >= 1

    @staticmethod
    def _ids(entries: Iterable[Json]) -> set[int]:
        return {ident for entry in entries for ident in ids_in(entry["text"])}


OF_JOBS = frozenset({"job", "runs_on", "count", "caught_up", "asleep"})
REPORTED_FIGHT = {"loop": "loop", "writer": "writer", "repeats": "rounds"}
REPORTED: dict[str, Callable[[Facts, Any], None]] = {
    "lost_ids": Facts._lost_ids,
    "moved_ids": Facts._moved_ids,
    "moved_to": Facts._moved_to,
    "sign": Facts._sign,
    "writes": Facts._writes,
    "counted_as": Facts._counted_as,
}
KNOWN_REPORTS = frozenset({*OF_JOBS, *REPORTED_FIGHT, *REPORTED, *load_facts.FITS})

"""At a start: does the configuration protect less than at the last one? Then a person is told, once.

The settings are a decision in the journal. Called by the composition root before anything is judged.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from conductd.config import Config
from conductd.config.jobs import NAMES as JOBS
from conductd.config.jobs import JobsConfig
from conductd.core.policy import DEFAULT_ACTIONS
from conductd.core.protection import Difference, Settings, differences, item
from conductd.engine.answering import notices
from conductd.engine.fold.state import State
from conductd.engine.recording.recorder import Recorder
from conductd.journal.journal import Draft
from conductd.model import DecisionRecord, EventClass, Record, Role, Severity
from conductd.watch.ancestry import ancestry, shown

_SECTIONS = ("waits", "thresholds", "fights", "people", "forget", "retention")
_PLAIN = ("mode", "found_mode", "provenance", "max_file_bytes", "rescan_seconds", "poll_ms")
_LISTS = ("replaceable", "pinned", "append_only_writers")


def compare(state: State, recorder: Recorder, config: Config, key: bytes, *, observe: bool) -> list[Difference]:
    """Remember the settings; tell when they weaken. Returns what changed. `observe`: it is so on the command line.
    Raises StoreUnavailable."""
    now = settings(config, key, observe=observe)
    encoded = json.dumps(now, sort_keys=True).encode()
    with state.lock:
        before = state.decided.settings
    if before == encoded:
        return []
    changed = differences(json.loads(before), json.loads(encoded), default_action) if before else []
    caller = shown(ancestry(os.getpid()))
    said = "; ".join(f"{each.key}: {each.words}" for each in changed)
    digest = hashlib.sha256(encoded).hexdigest()[:16]
    records: list[Record] = [
        DecisionRecord("settings", caller=caller, detail=f"{digest} {said}".rstrip(), settings=encoded)
    ]
    weaker = [each for each in changed if each.weakens]
    if weaker:
        records.append(notices.weaker_settings([f"{each.key} ({each.words})" for each in weaker], caller))
    recorder.write([Draft(record) for record in records])
    return changed


def settings(config: Config, key: bytes, *, observe: bool) -> Settings:
    """What a configuration says of protection (`core.protection`)."""

    def named(*parts: object) -> str:
        text = "\0".join(map(str, parts)).encode("utf-8", "surrogateescape")
        return hmac.new(key, text, hashlib.sha256).hexdigest()[:12]

    out: Settings = {name: _scalar(getattr(config, name)) for name in _PLAIN}
    out["run.observe"] = observe
    for section in _SECTIONS:
        for name, value in msgspec.structs.asdict(getattr(config, section)).items():
            if not isinstance(value, tuple):
                out[f"{section}.{name}"] = value
    out["secrets.scan"] = config.secrets.scan
    out["secrets.ignore"] = tuple(named(each) for each in config.secrets.ignore)
    for name in _LISTS:
        out[name] = tuple(named(each) for each in getattr(config, name))
    out["retention_jobs"] = tuple(named(job.match, job.actor) for job in config.retention_jobs)
    out["consolidators"] = tuple(named(each.actor, each.max_net_loss) for each in config.consolidators)
    out["rules"] = tuple(
        item(named(msgspec.json.encode(rule).decode()), rule.action or rule.severity) for rule in config.rules
    )
    out["file_modes"] = tuple(item(named(glob, mode), mode) for glob, mode in config.file_modes.items())
    out["workspaces"] = tuple(named(table.root) for table in config.workspaces)
    for table in config.workspaces:
        where = f"workspaces.{named(table.root)}"
        out[f"{where}.mode"] = str(table.mode or config.mode)
        out[f"{where}.profile"] = table.profile or ""
        out[f"{where}.extra"] = tuple(named(each) for each in table.extra)
        out[f"{where}.roles"] = tuple(_roles(table.roles, named))
        out[f"{where}.file_modes"] = tuple(item(named(glob, mode), mode) for glob, mode in table.file_modes.items())
        out[f"{where}.agents"] = tuple(named(each) for each in table.agents)
        out[f"{where}.rotate"] = config.rotate.automatic if table.rotate is None else table.rotate
        out.update(_jobs(config.jobs_of(table.root_bytes), f"{where}.jobs"))
    out.update(_jobs(config.jobs, "jobs"))
    out["rotate.automatic"], out["rotate.until_percent"] = config.rotate.automatic, config.rotate.until_percent
    out["rotate.quiet_minutes"] = config.rotate.quiet_minutes
    out["rotate.files"] = tuple(named(each) for each in config.rotate.files)
    out["heartbeat"] = bool(config.heartbeat.url)
    out["channels"] = tuple(named(each.name, each.url) for each in config.channels)
    for channel in config.channels:
        where = f"channels.{named(channel.name)}"
        out[f"{where}.loudness"] = list(Severity).index(channel.severity)
        out[f"{where}.urgent"], out[f"{where}.an_hour"] = channel.urgent, channel.an_hour
    for agent in config.agents:
        where = f"agents.{named(agent.name)}"
        if agent.trees:
            out[f"{where}.trees"] = tuple(named(each) for each in agent.trees)
        if agent.roles:
            out[f"{where}.roles"] = tuple(_roles(agent.roles, named))
    for name, action in config.actions.items():
        out[f"actions.{name}"] = str(action)
    return out


def _jobs(table: JobsConfig, where: str) -> Settings:
    """Which jobs of the night run, not when."""
    out: Settings = {f"{where}.{name}": bool(table.time_of(name)) for name in JOBS}
    out[f"{where}.qc_fix"] = table.qc_fix
    return out


def _roles(table: Mapping[str, Role], named: Callable[..., str]) -> Iterator[str]:
    """Only what makes files replaceable lets more go."""
    for glob, role in table.items():
        yield item(named(glob, role), role if role is Role.REPLACEABLE else None)


def _scalar(value: Any) -> str | int | float | bool:
    return value if isinstance(value, int | float) else str(value)


def default_action(key: str) -> str:
    """Of "actions.CLASS" or "actions.CLASS.ROLE", as `config.example.toml` writes them."""
    _, event_class, *role = key.split(".")
    try:
        row = DEFAULT_ACTIONS[EventClass(event_class)]
        return str(row[Role(role[0])] if role else row[Role.CURATED])
    except (KeyError, ValueError):
        return ""

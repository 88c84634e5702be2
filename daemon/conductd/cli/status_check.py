"""`conductd status --check`: one line and an exit code for a program that watches whether all is well.

What is not known is not well: a daemon that does not answer, answers strangely, or has nothing to watch is never `ok`.
docs/health.md lists what is what, docs/errors.md the exit codes.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from conductd.cli.output import harmless
from conductd.errors import ConductdError, DaemonNotRunning, NotOurSocket, UsageError
from conductd.views.reasons import REASONS, Weight, kind_of, weight_of
from conductd.views.words import counted

if TYPE_CHECKING:
    from conductd.cli.options import Options
    from conductd.views import StatusView

TIMEOUT_S = 10.0  # shorter than what programs that watch give a check
DEGRADED, ALARMS, UNKNOWN = 24, 25, 26  # exit codes; docs/errors.md
NAMED = 3  # reasons in the line


class Level(StrEnum):
    """As monitoring plugins call them; their numbers are the exit codes of `--nagios`."""

    OK = "OK"
    WARNING = "WARNING"
    CRITICAL = "CRITICAL"
    UNKNOWN = "UNKNOWN"


PLUGIN_CODES = {Level.OK: 0, Level.WARNING: 1, Level.CRITICAL: 2, Level.UNKNOWN: 3}


class Checked(msgspec.Struct, frozen=True):
    """The object of `--json`. ``state``: "ok", "degraded", "alarms", "not_running" or "unknown"."""

    state: str
    level: Level
    exit_code: int
    text: str  # one sentence
    reasons: list[str]  # those that count
    ignored: list[str]  # those that stand and were to be left out
    open_alarms: int | None  # None: not known
    open_incidents: int | None
    line: str  # as it is printed


def ask(options: Options, ignored: Collection[str]) -> Checked:
    """Never raises but UsageError, for a reason that there is not."""
    strange = sorted(set(ignored) - set(REASONS))
    if strange:
        raise UsageError(f"there is no reason {harmless(strange[0])}", f"there are: {', '.join(REASONS)}")
    from conductd.api.client import Client

    try:
        with Client(options.socket_path(), TIMEOUT_S) as client:
            return of_status(client.status(), ignored)
    except DaemonNotRunning as error:
        return _silent("not_running", Level.CRITICAL, DaemonNotRunning.exit_code, error.message)
    except NotOurSocket as error:
        return _silent("unknown", Level.UNKNOWN, NotOurSocket.exit_code, error.message)
    except ConductdError as error:
        return _silent("unknown", Level.UNKNOWN, UNKNOWN, error.message)
    except Exception as error:  # an answer of another release, or of no daemon at all
        return _silent("unknown", Level.UNKNOWN, UNKNOWN, f"the answer is not understood ({type(error).__name__})")


def of_status(view: StatusView, ignored: Collection[str]) -> Checked:
    """Pure."""
    standing = [each for each in view.degraded if kind_of(each.reason) not in ignored]
    left_out = sorted({kind_of(each.reason) for each in view.degraded if kind_of(each.reason) in ignored})
    alarms = view.open_by_severity.get("alarm", 0)
    told = bool(view.open_by_severity) or not view.open_incidents  # a daemon of an older release does not say
    elsewhere = [each for each in view.workspaces if each.state not in ("ok", "missing")]
    if any(weight_of(each.reason) is Weight.GRAVE for each in standing):
        state, level, code = "degraded", Level.CRITICAL, DEGRADED
    elif alarms:
        state, level, code = "alarms", Level.CRITICAL, ALARMS
    elif not view.workspaces or elsewhere or not told or view.health not in ("ok", "degraded"):
        state, level, code = "unknown", Level.UNKNOWN, UNKNOWN
    elif standing or (view.health == "degraded" and not left_out):
        state, level, code = "degraded", Level.WARNING, DEGRADED
    else:
        state, level, code = "ok", Level.OK, 0
    said = []
    if standing:
        more = [f"and {len(standing) - NAMED} more"] if len(standing) > NAMED else []
        said.append("degraded: " + "; ".join([*(each.message for each in standing[:NAMED]), *more]))
    if alarms:
        said.append(f"{counted(alarms, 'open alarm')}: conductd incidents")
    if not told:
        said.append(f"{counted(view.open_incidents, 'open incident')}, how grave is not known: restart the daemon")
    if not view.workspaces:
        said.append("nothing is watched")
    if elsewhere:
        said.append(f"{counted(len(elsewhere), 'workspace')} guarded by another daemon, if at all")
    said.append(f"{counted(len(view.workspaces), 'workspace')}, {counted(view.files, 'file')}")
    if view.open_incidents - alarms:
        said.append(f"{view.open_incidents - alarms} smaller ones open")
    if left_out:
        said.append(f"left out: {', '.join(left_out)}")
    text = "; ".join(said)
    reasons = sorted({each.reason for each in standing})
    return Checked(
        state, level, code, text, reasons, left_out, alarms, view.open_incidents, _line(level, text, _figures(view))
    )


def _silent(state: str, level: Level, code: int, text: str) -> Checked:
    return Checked(state, level, code, text, [], [], None, None, _line(level, text, ""))


def _line(level: Level, text: str, figures: str) -> str:
    """A bar begins the figures, and nothing in the text may."""
    plain = " ".join(harmless(text).replace("|", "/").split())
    return f"CONDUCTD {level} - {plain}" + (f" | {figures}" if figures else "")


def _figures(view: StatusView) -> str:
    """Performance data as the guidelines of monitoring plugins have it: label=value[unit];warn;crit;min."""
    return " ".join(
        (
            f"files={view.files};;;0",
            f"versions={view.versions}c;;;0",
            f"alarms={view.open_by_severity.get('alarm', 0)};;0;0",
            f"incidents={view.open_incidents};;;0",
            f"degraded={len(view.degraded)};0;;0",
            f"journal={view.journal_bytes}B;;;0",
            f"pending={view.pending};;;0",
        )
    )

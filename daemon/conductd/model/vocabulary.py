"""What the product speaks of: roles, modes, event classes, actions, actors, what a path held. Plain values."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Role(StrEnum):
    """What a protected file is for; decides the default actions."""

    CURATED = "curated"
    DAILY = "daily"
    TOPIC = "topic"
    INSTRUCTIONS = "instructions"
    REPLACEABLE = "replaceable"


class Mode(StrEnum):
    """Whether the daemon may write into a workspace."""

    PROTECT = "protect"
    OBSERVE = "observe"


class Severity(StrEnum):
    """How loud an event is; only an alarm interrupts a person."""

    INFO = "info"
    NOTICE = "notice"
    ALARM = "alarm"


class Action(StrEnum):
    """What a verdict asks for."""

    RECORD = "record"
    PROPOSE = "propose"
    MERGE = "merge"
    REVERT = "revert"
    HOLD = "hold"


class EventClass(StrEnum):
    """What we call a thing that happened. Classes judged by later parts are named here too,
    so that a journal written by a newer judge stays readable."""

    APPEND = "append"
    EDIT = "edit"
    FORMAT = "format"
    ENCODING_CHANGE = "encoding_change"
    MOVE = "move"
    RENAME = "rename"
    OVERWRITE = "overwrite"
    SHRINK = "shrink"
    EROSION = "erosion"
    PINNED_LOSS = "pinned_loss"
    PLACEHOLDER = "placeholder"
    FRONTMATTER_LOSS = "frontmatter_loss"
    LOST_UPDATE = "lost_update"
    PARTIAL_WRITE = "partial_write"
    CONFLICT_MARKERS = "conflict_markers"
    CONFLICT_COPY = "conflict_copy"
    DELETION = "deletion"
    MASS_LOSS = "mass_loss"
    EXTERNAL_RESET = "external_reset"
    SYMLINK_CHANGE = "symlink_change"
    SPLIT_FILES = "split_files"
    NEAR_LIMIT = "near_limit"
    LOAD_TRUNCATION = "load_truncation"
    NOT_LOADED = "not_loaded"
    PIN_HIDDEN = "pin_hidden"
    SECRET_SEEN = "secret_seen"  # noqa: S105 - the name of an event class
    SUSPECT_ADDITION = "suspect_addition"
    WATCHER_DEGRADED = "watcher_degraded"
    STORE_DAMAGE = "store_damage"
    STORE_UNAVAILABLE = "store_unavailable"
    RESTORE_REFUSED = "restore_refused"
    CLOCK_JUMP = "clock_jump"
    JOB_FAILED = "job_failed"
    REPORT = "report"
    # not judgements of a change:
    FIRST_SIGHT = "first_sight"
    OVERSIZE = "oversize"
    DECISION = "decision"


class FileState(StrEnum):
    """What stood at a path when it was looked at."""

    FILE = "file"  # regular, read whole; digest and body are set
    ABSENT = "absent"
    UNREADABLE = "unreadable"  # `reason` names the errno; never an empty version
    SYMLINK = "symlink"  # `link_target` is set; never followed
    OVERSIZE = "oversize"  # regular, over the size limit: digest and size, no body
    SPECIAL = "special"  # FIFO, device, socket, directory: never opened for reading


class Cause(StrEnum):
    """Why a version came to be recorded."""

    FIRST_SIGHT = "first_sight"
    OFFLINE = "offline"  # found at start: it changed while the daemon was down
    CHANGE = "change"  # somebody wrote
    REPAIR = "repair"  # the daemon: revert or merge after a verdict
    RESTORE = "restore"  # the daemon: a person asked (restore, undo, accept)
    SWAPPED_OUT = "swapped_out"  # bytes an exchange took out of place, or a late writer left there


class Frozen(msgspec.Struct, frozen=True, forbid_unknown_fields=False, omit_defaults=True):
    """Base of the values here: immutable, cheap, unknown fields of newer writers are ignored."""


class Actor(Frozen, frozen=True):
    """Who wrote, how sure we are (0..1), and what says so.

    ``name`` is ``agent:<session>``, ``cron:<job>``, ``human:<editor>``, ``git``,
    ``sync:<client>``, ``conductd`` or ``unknown``.
    """

    name: str = "unknown"
    confidence: float = 0.0
    evidence: tuple[str, ...] = ()


UNKNOWN = Actor()
DAEMON = Actor("conductd", 1.0, ("own write",))


class FileStat(Frozen, frozen=True):
    """What ``lstat``/``fstat`` said; (inode, size, mtime_ns, ctime_ns) is the rescan key."""

    device: int
    inode: int
    mode: int
    uid: int
    gid: int
    nlink: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @property
    def key(self) -> tuple[int, int, int, int]:
        return (self.inode, self.size, self.mtime_ns, self.ctime_ns)

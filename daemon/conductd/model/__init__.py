"""The nouns of the product: frozen values that every layer shares.

Owns the vocabulary of the design (roles, event classes, actions, actors) and the
payload of every journal record kind. Never does anything: no I/O, no clock, no
threads, no defaults that depend on the machine. Everybody imports it.

Times are ``*_ns``: integer nanoseconds since the epoch (wall clock) unless the name
says ``mono``. Paths are ``bytes`` relative to the workspace root, with ``/`` between
parts, exactly as the file system gave them. Digests are the 32 raw bytes of SHA-256.
"""

from __future__ import annotations

from conductd.model.records import (
    NO_FALSE_ALARM,
    RECORD_TYPES,
    UNDONE,
    ChangeRecord,
    CheckpointRecord,
    DecisionRecord,
    ErasureRecord,
    EventRecord,
    EvidenceRecord,
    ForgetRecord,
    IncidentRecord,
    JobRunRecord,
    Literal,
    NoticeRecord,
    Record,
    RepairDoneRecord,
    RepairPlanRecord,
    RequestRecord,
    Stored,
    VersionRecord,
    WorkspaceRecord,
)
from conductd.model.verdicts import Booking, Change, PinSet, Relocated, SmallLoss, Span, Verdict
from conductd.model.vocabulary import (
    DAEMON,
    UNKNOWN,
    Action,
    Actor,
    Cause,
    EventClass,
    FileStat,
    FileState,
    Frozen,
    Mode,
    Role,
    Severity,
)

__all__ = [
    "DAEMON",
    "NO_FALSE_ALARM",
    "RECORD_TYPES",
    "UNDONE",
    "UNKNOWN",
    "Action",
    "Actor",
    "Booking",
    "Cause",
    "Change",
    "ChangeRecord",
    "CheckpointRecord",
    "DecisionRecord",
    "ErasureRecord",
    "EventClass",
    "EventRecord",
    "EvidenceRecord",
    "FileStat",
    "FileState",
    "ForgetRecord",
    "Frozen",
    "IncidentRecord",
    "JobRunRecord",
    "Literal",
    "Mode",
    "NoticeRecord",
    "PinSet",
    "Record",
    "Relocated",
    "RepairDoneRecord",
    "RepairPlanRecord",
    "RequestRecord",
    "Role",
    "Severity",
    "SmallLoss",
    "Span",
    "Stored",
    "Verdict",
    "VersionRecord",
    "WorkspaceRecord",
]

"""What happened to a file, in words a person reads: one phrase for every event class, a closer one for some rules.

Completes "MEMORY.md …". Plain language; never content. Pure; called by `notices`.
"""

from __future__ import annotations

from conductd.model import EventClass

CLASSES: dict[EventClass, str] = {
    EventClass.APPEND: "was added to",
    EventClass.EDIT: "was edited",
    EventClass.FORMAT: "was laid out anew",
    EventClass.ENCODING_CHANGE: "was written in another encoding",
    EventClass.MOVE: "had entries moved elsewhere",
    EventClass.RENAME: "was renamed",
    EventClass.OVERWRITE: "was overwritten",
    EventClass.SHRINK: "shrank",
    EventClass.EROSION: "is eroding",
    EventClass.PINNED_LOSS: "lost pinned entries",
    EventClass.PLACEHOLDER: "has a stand-in where text was",
    EventClass.FRONTMATTER_LOSS: "lost front matter",
    EventClass.LOST_UPDATE: "was written from a stale copy",
    EventClass.PARTIAL_WRITE: "was cut short",
    EventClass.CONFLICT_MARKERS: "holds conflict marks",
    EventClass.CONFLICT_COPY: "is a sync client's copy with entries that the file lacks",
    EventClass.DELETION: "was deleted",
    EventClass.MASS_LOSS: "was lost with others",
    EventClass.EXTERNAL_RESET: "was changed by git",
    EventClass.SYMLINK_CHANGE: "was made a link, or is none any more",
    EventClass.SPLIT_FILES: "stands beside a file whose name differs only in case",
    EventClass.NEAR_LIMIT: "is close to what its agent reads of it",
    EventClass.LOAD_TRUNCATION: "is longer than what its agent reads of it",
    EventClass.NOT_LOADED: "is there and not loaded by its agent",
    EventClass.PIN_HIDDEN: "has pinned entries that do not reach its agent",
    EventClass.SECRET_SEEN: "holds a secret",
    EventClass.SUSPECT_ADDITION: "was given what looks like an instruction from outside",
    EventClass.WATCHER_DEGRADED: "cannot be watched well",
    EventClass.STORE_DAMAGE: "has versions that cannot be read any more",
    EventClass.STORE_UNAVAILABLE: "cannot be recorded now",
    EventClass.RESTORE_REFUSED: "could not be put back",
    EventClass.CLOCK_JUMP: "was written around a change of the clock",
    EventClass.JOB_FAILED: "has a job of the night that failed",
    EventClass.REPORT: "has a report of the night",
    EventClass.FIRST_SIGHT: "was seen for the first time",
    EventClass.OVERSIZE: "is over the size limit",
    EventClass.DECISION: "was decided about",
}

RULES: dict[str, str] = {
    "section-lost": "lost a whole section",
    "stand-in": "was replaced by text that says nothing",
    "error-text": "was replaced by an error message",
    "refusal-text": "was replaced by an assistant's refusal",
    "tool-report": "was replaced by what a tool says when it is done",
    "html-page": "was replaced by a web page",
    "patch-text": "was replaced by a patch",
    "json-text": "was replaced by a tool call or a service's answer",
    "pointer-file": "was replaced by a pointer to a file kept elsewhere",
    "zero-filled": "holds zeros alone",
    "template": "was replaced by a template to be filled in",
    "wrapped": "was put whole into something else",
    "other-values": "has another value in nearly every field",
    "redaction": "has marks over values that stood there",
    "mojibake": "went through a wrong encoding",
    "letters-lost": "lost letters to a wrong encoding",
    "pin-altered": "has pinned entries that may mean something else now",
    "link-hides": "was replaced by a link",
    "special-file": "was replaced by something that is no file",
    "deleted-with-parent": "went with its directory",
}


def said(event_class: EventClass, rule: str = "") -> str:
    return RULES.get(rule) or CLASSES[event_class]

"""The rules of the judgement by name.

A verdict's ``rule`` is one of these names; `conductd explain` prints the sentence, and
docs/judgement.md describes each (a test holds the two together). Names are stable: they are in
the journal.
"""

from __future__ import annotations

RULES: dict[str, str] = {
    "first-sight": "The file is seen for the first time; what it holds becomes its baseline, unproven.",
    "unreadable": "What stands there could not be read, so nothing can be said about it yet.",
    "oversize": "The file is over the size limit and is recorded by digest and size only.",
    "link-hides": "A link stands where the file was, and what it held is nowhere in the workspace: it is offered.",
    "special-file": "Something that is no regular file stands where the file was; the old content is offered.",
    "link-changed": "A symbolic link was made, removed, or replaced by a file; links are never followed.",
    "too-large": "The file is too large to be judged here: nothing is written, what it held before is offered.",
    "replaceable": "The file is made to be replaced (hand-off, task, heartbeat): it is only recorded.",
    "conflict-marks": "A merge is unfinished and the text holds conflict marks: nothing is done until it is over.",
    "git-at-work": "Entries went while git was at work in the workspace: offered, never written under git's feet.",
    "human": "A person made the change: it is recorded and left.",
    "lease": "A person is editing this file (lease): changes are recorded and left.",
    "accepted": "A person accepted the loss of these entries: it is recorded and left.",
    "cut-off": "The new text is the old one cut inside a line or at a multiple of 4,096 bytes: an unfinished write.",
    "stale-copy": "A writer with an older copy brought it back; what was written since is merged with it.",
    "elision": "A line stands for text that is gone (\"rest unchanged\"): what it stood for is put in its place.",
    "mostly-lost": "At least 80 % of the weight is nowhere in the workspace any more.",
    "stand-in": "The new text only stands in for content and says nothing itself; the old text is lost.",
    "large-loss": "15 % to 80 % of the weight is nowhere in the workspace any more.",
    "section-lost": "A whole section of three or more entries is nowhere in the workspace any more.",
    "pin-lost": "An entry that is pinned went: it is put back whatever the size of the loss, the rest is offered.",
    "pin-altered": "A pinned entry may mean something else now, or left for another file: its old wording is offered.",
    "small-losses": "Small losses of the last 14 days, each too small for a rule of its own, have become a large one.",
    "deleted": "The file was deleted and its entries are nowhere else.",
    "deleted-empty": "The file was deleted and held no entries.",
    "deleted-by-retention": "The file was deleted by a configured retention job.",
    "deleted-again": "The file was deleted again within 24 hours of being restored: it was meant.",
    "deleted-with-parent": "The file went with its directory, which the daemon never makes again: offered.",
    "consolidator": "A known consolidator rewrote the file: it is asked about, not fought.",
    "provenance": "The agent records who wrote this file; a write by the daemon would do harm: offered, with an alarm.",
    "moved": "The entries that are gone from here stand elsewhere in the workspace.",
    "renamed": "The file was renamed inside the workspace.",
    "encoding": "The encoding or byte order mark changed.",
    "layout": "Only layout changed: white space, list markers, line ends.",
    "only-added": "Entries were added after the old ones; nothing went.",
    "edited": "Entries were added, reworded or removed in small measure.",
    "same-bytes": "The bytes are the same as before.",
}

"""Git made the change, or is at work: its own rules, asked before any other rule is answered.

Who made a version is evidence (`engine.gathering.witness`): git is named only when it rewrote files in that moment and
had these very bytes before. A `commit`, `add` or `fetch` near somebody's overwrite excuses nothing. Pure.
"""

from __future__ import annotations

from conductd.core.judging.charge import known
from conductd.core.judging.finding import Evidence
from conductd.model import Action, Actor

GITS = 0.8  # as sure as a person must be known


def is_git(actor: Actor) -> bool:
    return actor.name == "git" and actor.confidence >= GITS


def git_at_work(e: Evidence) -> bool:
    """Git took the entries away; or it is in the middle of something, and nobody else is known to have done it."""
    if is_git(e.charges.main.actor):
        return True
    return unfinished(e) and not known(e.charges.main.actor)


def unfinished(e: Evidence) -> bool:
    """A write now would come under git's feet."""
    return e.case.git.index_lock or e.case.git.merge_head


def answer_to_git(e: Evidence) -> tuple[str, Action | None]:
    """The rule, and the action where it is not the configured one: what git itself had put there is in git, and
    comes and goes with the branches. What was written by others and is in a commit is offered once, in silence."""
    if is_git(e.charges.main.actor) and is_git(e.baseline.actor):
        return "git-keeps-it", Action.RECORD
    return "git-at-work", None

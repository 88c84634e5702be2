"""What a replay found: the object that `conductd replay --json` prints, field for field (docs/cli.md)."""

from __future__ import annotations

from conductd.views import View


class ReplayedVerdictView(View, frozen=True):
    event_class: str
    action: str
    severity: str
    rule: str
    lost: int  # entries
    lost_share: float
    facts: dict[str, object]
    judge_version: int


class ReplayDifferenceView(View, frozen=True):
    """A verdict that would be another one now. ``figures_only``: class, action, severity and rule are the same."""

    seq: int  # of the verdict
    at: str
    at_ns: int
    workspace: str
    root: str
    path: str
    path_b64: str
    version_seq: int
    incident: int | None
    figures_only: bool
    recorded: ReplayedVerdictView
    replayed: ReplayedVerdictView


class ReplayTurnView(View, frozen=True):
    """How many verdicts of this class and action would have this class and action now."""

    event_class: str
    action: str
    now_class: str
    now_action: str
    count: int


class ReplayView(View, frozen=True):
    """``same`` + ``different`` + ``figures`` + ``not_replayable`` = ``verdicts``."""

    verdicts: int  # looked at
    same: int
    different: int  # another class, action, severity or rule
    figures: int  # the same decision with other figures
    not_replayable: int
    reasons: dict[str, int]  # why not, and how many
    assumed: int  # of the same: nothing was kept of what stood around the file, and nothing special was taken to
    given: int  # verdicts that rest on files nobody records: taken as it was found then
    judge_version: int
    judge_versions: dict[str, int]  # which judge made the recorded verdicts, and how many
    turns: list[ReplayTurnView]
    differences: list[ReplayDifferenceView]
    unlisted: int  # differences beyond those
    seconds: float

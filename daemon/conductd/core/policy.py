"""The judge's figures and the table of default actions, as data.

Every figure is a config key (`config.example.toml`); the defaults are those of docs/judgement.md and
are proven on the corpus. Owns nothing else; pure.
"""

from __future__ import annotations

import msgspec

from conductd.model import Action, EventClass, Frozen, Role, Severity


class Waits(Frozen, frozen=True):
    """How long a file must be left alone before it is judged, in milliseconds."""

    quiet_ms: int = 250
    longest_quiet_ms: int = 10_000  # a file that is written without a pause is judged at last
    save_ms: int = 2_000
    cut_ms: int = 30_000
    git_ms: int = 10_000  # a step of git's this close to a write may have made it


class Thresholds(Frozen, frozen=True):
    """Shares are fractions of the baseline's weight."""

    overwrite_share: float = 0.80
    shrink_share: float = 0.15
    section_entries: int = 3
    erosion_entries: int = 4
    erosion_share: float = 0.09
    erosion_writes: int = 2
    lost_update_share: float = 0.15
    lost_update_recent_ms: int = 10_000
    cut_keep_entries: int = 3
    cut_keep_share: float = 0.05
    cut_added_share: float = 0.05
    reworded_similarity: float = 0.72
    new_entry_tokens: int = 3
    new_entry_cjk: int = 4
    mass_window_ms: int = 10_000
    mass_files: int = 3
    mass_small_files: int = 2
    mass_small_share: float = 0.30
    mass_small_workspace: int = 5
    deleted_again_ms: int = 24 * 3_600_000


class Fights(Frozen, frozen=True):
    """Rounds answered at once, then the back-off, then stand-down."""

    at_once: int = 2
    backoff_minutes: tuple[int, ...] = (1, 5, 10, 15, 60)
    per_day: int = 12


class Search(Frozen, frozen=True):
    """Where lost entries are looked for beyond the protected files."""

    recent_ms: int = 600_000
    files: int = 2_000
    total_bytes: int = 20 * 1024 * 1024
    budget_ms: int = 200


Table = dict[EventClass, dict[Role, Action]]


def _row(curated: Action, daily: Action, instructions: Action, replaceable: Action) -> dict[Role, Action]:
    return {
        Role.CURATED: curated,
        Role.TOPIC: curated,
        Role.DAILY: daily,
        Role.INSTRUCTIONS: instructions,
        Role.REPLACEABLE: replaceable,
    }


_M, _R, _P, _REC, _H = Action.MERGE, Action.REVERT, Action.PROPOSE, Action.RECORD, Action.HOLD

# Refinements that need the content (merge only with new entries, retention jobs, missing parents,
# append-only writers) are the judge's; this is the table of docs/judgement.md.
DEFAULT_ACTIONS: Table = {
    EventClass.OVERWRITE: _row(_M, _M, _R, _REC),
    EventClass.SHRINK: _row(_P, _P, _P, _REC),
    EventClass.EROSION: _row(_P, _P, _P, _REC),
    EventClass.PINNED_LOSS: _row(_M, _M, _M, _M),
    EventClass.LOST_UPDATE: _row(_M, _M, _M, _REC),
    EventClass.PLACEHOLDER: _row(_M, _M, _M, _REC),
    EventClass.DELETION: _row(_R, _R, _R, _REC),
    EventClass.MASS_LOSS: _row(_R, _R, _R, _REC),
    EventClass.FRONTMATTER_LOSS: _row(_P, _P, _P, _REC),
    EventClass.CONFLICT_COPY: _row(_P, _P, _P, _REC),
    EventClass.SUSPECT_ADDITION: _row(_P, _P, _P, _REC),
    EventClass.SPLIT_FILES: _row(_P, _P, _P, _REC),
    EventClass.PARTIAL_WRITE: _row(_R, _R, _R, _R),
    EventClass.EXTERNAL_RESET: _row(_P, _P, _P, _P),
    EventClass.CONFLICT_MARKERS: _row(_H, _H, _H, _H),
}


class ActionRule(Frozen, frozen=True):
    """One ``[[rules]]`` of the configuration: what is done, or how loud it is told, where it fits.

    ``match`` is a glob of the file (`core.globs`), ``actor`` one of the writer's name; what is not given fits
    everything. Of all rules that fit, the first with an action decides the action and the first with a
    severity how loud it is.
    """

    match: str = ""
    actor: str = ""
    event_class: EventClass | None = msgspec.field(default=None, name="class")
    role: Role | None = None
    action: Action | None = None
    severity: Severity | None = None


class Policy(Frozen, frozen=True):
    """Everything the judge is told from outside."""

    waits: Waits = Waits()
    thresholds: Thresholds = Thresholds()
    fights: Fights = Fights()
    search: Search = Search()
    provenance_repair: bool = False  # `provenance = "repair"` opts out of the ratchet rule
    # overrides: "overwrite" or "overwrite.daily" -> action
    actions: dict[str, str] = msgspec.field(default_factory=dict)
    rules: tuple[ActionRule, ...] = ()  # asked before `actions`

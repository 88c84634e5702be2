"""What a judgement is made of: plain values in, one `Verdict` out.

Owns the input types of `core.judging.judge`. The engine gathers them; replay gathers them again from
the journal and must get the same verdict. No text in a verdict, only places and fingerprints.
"""

from __future__ import annotations

from conductd.model import Actor, FileState, Frozen, Mode, Role, Span


class Text(Frozen, frozen=True):
    """One whole content state of the file under judgement."""

    seq: int
    digest: bytes
    data: bytes
    at_ns: int
    actor: Actor
    destructive: bool = False  # it was itself judged destructive: no base for a lost update
    damaged: bool = False  # something was offered back, or told, when it came: what cures it is no loss
    copied: bool = False  # one side of a lost update: the daemon merged it with what it dropped


class Write(Frozen, frozen=True):
    """A version that came after the baseline. ``data`` is None unless state is FILE."""

    seq: int
    state: FileState
    at_ns: int
    actor: Actor
    data: bytes | None = None
    digest: bytes | None = None
    size: int = 0
    link_target: bytes | None = None
    offline: bool = False
    leased: bool = False  # it was written while a lease of the file stood


class Elsewhere(Frozen, frozen=True):
    """Another text file of the workspace as it is now (protected or only searched). ``stood``: fingerprints of the
    entries that it held before the time that is searched: only word for word are they what is missed here."""

    path: bytes
    digest: bytes
    data: bytes
    stood: frozenset[bytes] = frozenset()
    changed_ns: int = 0  # of a file that nobody records: by its own time stamps
    inode: int = 0  # of the same


class Git(Frozen, frozen=True):
    """What the workspace's git directory says (all false where there is none)."""

    index_lock: bool = False
    merge_head: bool = False  # a merge, rebase, cherry-pick, revert or am is unfinished
    committed: bool = False  # the file as it was before git changed it is in the commit that HEAD was at


class Provenance(Frozen, frozen=True):
    """The agent's own record of who wrote this file (OpenClaw ≥ 2026.8.1), if it keeps one."""

    origin_class: str
    digest: bytes


class LedgerLine(Frozen, frozen=True):
    """A change seen earlier on this file that nothing was done about (the ledger of small losses). ``lost``
    and ``added`` count entries; ``spans`` are the lost ones by place in version ``base_seq``, ``gained``
    fingerprints of the added ones."""

    at_ns: int
    actor: str
    lost: int
    added: int
    weight_lost: int
    weight_before: int
    seq: int = 0  # the version that is charged
    base_seq: int = 0
    spans: tuple[Span, ...] = ()
    gained: tuple[bytes, ...] = ()
    weight_gained: int = 0
    entries_before: int = 0


class Neighbour(Frozen, frozen=True):
    """Another file of the workspace that the same writer took something from lately: its ledger, what it
    holds now (None: it is gone), and the versions in which the entries stood."""

    file: int
    path: bytes
    ledger: tuple[LedgerLine, ...]
    data: bytes | None = None
    bases: tuple[Text, ...] = ()


class Case(Frozen, frozen=True):
    """One file, ready to be judged. ``versions[-1]`` is what stands on disk.

    ``baseline`` None: first sight (verdict `first_sight`, action record).
    ``earlier``: older baselines of this file, newest first, without the current one.
    ``accepted``: fingerprints of entries whose loss a person accepted.
    ``renamed_from``: path this content was moved from in one rename, if it was.
    ``renamed_to``: path the whole file was moved to (inside the workspace), if it was.
    """

    path: bytes
    role: Role
    mode: Mode
    now_ns: int
    key: bytes  # fingerprint key of the journal
    versions: tuple[Write, ...]
    baseline: Text | None = None
    earlier: tuple[Text, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    git: Git = Git()
    provenance: Provenance | None = None
    accepted: frozenset[bytes] = frozenset()
    leased: bool = False  # every version is excused by a lease (`charge.is_leased`)
    retention: bool = False  # a configured retention job deletes files like this one
    consolidator: bool = False  # the writer is a known consolidator: asked about, never fought
    append_only_writer: bool = False  # flush, cron: a loss in a daily log is merged back
    restored_ns: int | None = None  # when a deletion of this file was last restored
    parent_missing: bool = False  # root or parent directory is gone
    baseline_is_link: bytes | None = None  # link target, when the baseline was a symlink
    renamed_from: bytes | None = None
    renamed_to: bytes | None = None
    ledger: tuple[LedgerLine, ...] = ()
    pins: frozenset[bytes] = frozenset()  # fingerprints of entries that a person pinned
    pinned: tuple[str, ...] = ()  # configured: headings of this file whose entries are pinned; "" the whole file
    bases: tuple[Text, ...] = ()  # the versions that the ledger's lost entries stood in
    neighbours: tuple[Neighbour, ...] = ()  # by the writer of this change
    first_sight: bool = False  # nobody wrote the baseline while we looked: its pin marks are a person's
    max_net_loss: float | None = None  # of a configured consolidator: the share that may go without a question
    copy_of: tuple[Elsewhere, ...] = ()  # by its name: the file it may be a sync client's copy of, now and before
    copies: tuple[Elsewhere, ...] = ()  # sync clients' copies of this file: no home for what was moved
    dehydrated: bool = False  # a cloud client's stub stands where the file was
    told: frozenset[bytes] = frozenset()  # fingerprints of entries told as a secret or suspect: never merged back
    as_of: int = 0  # the newest record that was known; what came after it is not in this case
    brought: frozenset[bytes] = frozenset()  # of what came lately: fingerprints of what stood in another file before
    gone: tuple[bytes, ...] = ()  # files that the baseline names and that are not there any more
    rolled_back: int = 0  # other files that stand again, byte for byte, as they once did: since the same moment
    spare: tuple[bytes, ...] = ()  # files that held all of it before it was overwritten: no home for what went

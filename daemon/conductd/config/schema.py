"""Every configuration key, its type and its default, as frozen values.

Owns nothing else: reading is `load`, checking is `check`. A new key belongs here, in
`config.example.toml` and in `docs/config.md`; tests hold the three together.
"""

from __future__ import annotations

import os
from typing import Annotated, Literal

import msgspec

from conductd.config.agents import AGENT_NAME, AgentConfig
from conductd.config.jobs import JobsConfig, WorkspaceJobs
from conductd.core.globs import any_matches, first_match, matches
from conductd.core.load.known_chains import CHAINS
from conductd.core.policy import ActionRule, Fights, Policy, Search, Thresholds, Waits
from conductd.core.retention import Schedule
from conductd.model import Mode, Role, Severity

# The names `agents.profiles` knows; a test holds the two together. Those of [[agents]] are accepted as well.
PROFILES = (
    *("generic", "openclaw", "claude-code", "claude-home", "claude-memory", "codex", "codex-home", "codex-memory"),
    *("hermes", "hermes-memory", "gemini-home", "gemini-memory", "opencode-home", "cursor-home", "windsurf-memory"),
    *("copilot-home", *(each.name for each in CHAINS)),
)
# The agents whose loading is known without a description; a test holds them to `agents.loading`.
LOADED_AGENTS = ("openclaw", "claude-code", "codex", "hermes", *(each.name for each in CHAINS))
ReadBy = Annotated[
    str, msgspec.Meta(pattern="^[a-z0-9][a-z0-9-]*(@[^@\\s]+)?$", description="the name of an agent, or name@version")
]
Fingerprint = Annotated[
    str, msgspec.Meta(pattern="^[0-9a-f]{16}$", description="16 hexadecimal digits, as the notice has them")
]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


MAX_FILE_BYTES = 60 * 1024 * 1024  # what a record of the journal can hold


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the tables of the file: immutable, unknown keys refused."""


class WorkspaceConfig(Section, frozen=True):
    """One ``[[workspaces]]``: a directory the user named."""

    root: str  # absolute once loaded
    mode: Mode | None = None  # None: the top-level `mode`
    profile: str | None = None  # None: as it was, else by what the directory looks like
    extra: tuple[str, ...] = ()  # globs of further files to protect
    roles: dict[str, Role] = {}  # glob -> role; the first that fits decides
    file_modes: dict[str, Mode] = {}  # glob -> mode; the first that fits decides
    agents: tuple[ReadBy, ...] = ()  # who reads it; (): the profile's agent, else the one it looks like
    agent_version: str = ""  # of those without one of their own; "": the installed, else the newest known
    session: Literal["main", "group", "subagent", "cron", "light"] = "main"
    rotate: bool | None = None  # None: as `[rotate] automatic` says
    bootcard: str = ""  # a file that its boot card is kept in; "": as `[bootcard]` says
    jobs: WorkspaceJobs | None = None  # None: as `[jobs]` says

    @property
    def root_bytes(self) -> bytes:
        return os.fsencode(self.root)


class RetentionJob(Section, frozen=True):
    """A job that is allowed to delete files."""

    match: str
    actor: str = "*"


class Consolidator(Section, frozen=True):
    """A writer that rewrites memory on purpose: asked about, never fought."""

    actor: str
    max_net_loss: Share = 0.0  # share of a file's weight that may go without a question


class People(Section, frozen=True):
    """How long what people decide, or are asked, stands."""

    request_days: Annotated[int, msgspec.Meta(ge=1, le=365)] = 7
    lease_minutes: Annotated[int, msgspec.Meta(ge=1, le=1_440)] = 20  # granted without a question
    ask_role_after: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 2


class Forget(Section, frozen=True):
    """How long what is forgotten is hidden before it is erased."""

    erase_after_hours: Annotated[int, msgspec.Meta(ge=0, le=720)] = 24


class Retention(Section, frozen=True):
    """How long the content of versions is kept, once `conductd gc` is run, and how large the journal may get."""

    keep_days: Annotated[int, msgspec.Meta(ge=1, le=36_500)] = 90
    hourly_days: Annotated[int, msgspec.Meta(ge=0, le=36_500)] = 180  # from `keep_days` to here one an hour
    daily_days: Annotated[int, msgspec.Meta(ge=0, le=36_500)] = 730  # then one a day; after that one a week
    keep_last: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 20  # of every file, whatever their age
    incident_days: Annotated[int, msgspec.Meta(ge=0, le=36_500)] = 365  # what a closed incident refers to
    automatic: bool = False  # once a day, when the daemon is idle
    max_bytes: Annotated[int, msgspec.Meta(ge=0)] = 2 * 1024**3  # you are told long before; 0: no limit

    def schedule(self) -> Schedule:
        return Schedule(self.keep_days, self.hourly_days, self.daily_days, self.keep_last, self.incident_days)


class Bootcard(Section, frozen=True):
    """The boot card: its limits, and whether a file of it is kept current for every workspace."""

    lines: Annotated[int, msgspec.Meta(ge=1, le=500)] = 20
    tokens: Annotated[int, msgspec.Meta(ge=60, le=100_000)] = 500  # the upper end of the estimate
    keep: bool = False
    directory: str = ""  # absolute or ~/…; "": `bootcards` in the state directory


class Secrets(Section, frozen=True):
    """Whether additions are looked through for secrets."""

    scan: bool = True
    ignore: tuple[Fingerprint, ...] = ()  # of entries that are no secret


class Rotate(Section, frozen=True):
    """Whether what an agent does not load of a file is moved out of it unasked."""

    automatic: bool = False
    files: tuple[str, ...] = ("MEMORY.md",)  # globs
    quiet_minutes: Annotated[int, msgspec.Meta(ge=1, le=1_440)] = 10  # nothing in the workspace was written for so long
    until_percent: Annotated[int, msgspec.Meta(ge=10, le=95)] = 80


SPAN = msgspec.Meta(
    pattern="^(|([01]?[0-9]|2[0-3]):[0-5][0-9]-([01]?[0-9]|2[0-3]):[0-5][0-9])$", description='times as "22:00-07:00"'
)
TIME = msgspec.Meta(pattern="^(|([01]?[0-9]|2[0-3]):[0-5][0-9])$", description='a time of day as "09:00"')


class ChannelConfig(Section, frozen=True):
    """One ``[[channels]]``: where notices go. A `$NAME` in `url` and `secret` is filled in from the environment, or
    from `notify.env_file`."""

    name: Annotated[str, AGENT_NAME]
    url: str  # "desktop", "webhook+https://…", or a URL of apprise
    secret: str = ""  # what a webhook is signed with
    severity: Severity = Severity.NOTICE  # the quietest it takes
    quiet: Annotated[str, SPAN] | None = None  # None: as `notify.quiet`
    urgent: bool = True  # alarms come in quiet hours, too
    digest: Annotated[str, TIME] = ""  # when all but alarms come, together; "": at once
    an_hour: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 20
    include_excerpt: bool = False  # the first lines of what was lost go along


class Notify(Section, frozen=True):
    """What holds for all channels."""

    env_file: str = ""  # lines NAME=value, mode 0600
    quiet: Annotated[str, SPAN] = ""  # local time


class Heartbeat(Section, frozen=True):
    """A URL that is asked for while the daemon lives and records. A `$NAME` is filled in as in ``[[channels]]``."""

    url: str = ""  # "": none
    every_minutes: Annotated[int, msgspec.Meta(ge=1, le=1_440)] = 5
    fail_url: str = ""  # asked for instead while the daemon is degraded; "": none


class Log(Section, frozen=True):
    format: Literal["auto", "json", "human"] = "auto"  # auto: human on a terminal
    level: Literal["debug", "info", "warning", "error"] = "info"


class Config(Section, frozen=True):
    """The whole configuration. Paths are absolute once loaded; ``source`` is the file read, if any."""

    mode: Mode = Mode.PROTECT  # workspaces the user named
    found_mode: Mode = Mode.OBSERVE  # workspaces found by themselves
    state_dir: str = ""
    socket: str = ""
    provenance: Literal["respect", "repair"] = "respect"
    max_file_bytes: Annotated[int, msgspec.Meta(ge=1, le=MAX_FILE_BYTES)] = 16 * 1024 * 1024
    rescan_seconds: Annotated[int, msgspec.Meta(ge=1, le=86_400)] = 60
    poll_ms: Annotated[int, msgspec.Meta(ge=100, le=3_600_000)] = 2_000
    replaceable: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()  # "glob" or "glob#heading"
    in_place: tuple[str, ...] = ()
    append_only_writers: tuple[str, ...] = ("agent:flush", "cron:*")
    file_modes: dict[str, Mode] = {}
    workspaces: tuple[WorkspaceConfig, ...] = ()
    retention_jobs: tuple[RetentionJob, ...] = ()
    consolidators: tuple[Consolidator, ...] = ()
    actions: dict[str, str] = {}  # "class" or "class.role" -> action
    rules: tuple[ActionRule, ...] = ()  # asked before `actions`
    agents: tuple[AgentConfig, ...] = ()  # further ones
    waits: Waits = Waits()
    thresholds: Thresholds = Thresholds()
    fights: Fights = Fights()
    search: Search = Search()
    people: People = People()
    forget: Forget = Forget()
    retention: Retention = Retention()
    secrets: Secrets = Secrets()
    bootcard: Bootcard = Bootcard()
    rotate: Rotate = Rotate()
    jobs: JobsConfig = JobsConfig()
    notify: Notify = Notify()
    channels: tuple[ChannelConfig, ...] = ()
    heartbeat: Heartbeat = Heartbeat()
    log: Log = Log()

    def policy(self) -> Policy:
        """The judge's figures as this file sets them."""
        return Policy(
            waits=self.waits,
            thresholds=self.thresholds,
            fights=self.fights,
            search=self.search,
            provenance_repair=self.provenance == "repair",
            actions=dict(self.actions),
            rules=self.rules,
        )

    def with_real_roots(self) -> Config:
        """The same, with links in the roots of workspaces resolved: a root is opened following none."""
        tables = tuple(msgspec.structs.replace(t, root=os.path.realpath(t.root)) for t in self.workspaces)
        return msgspec.structs.replace(self, workspaces=tables)

    def workspace(self, root: bytes) -> WorkspaceConfig | None:
        """The table for the directory, compared as written after normalising."""
        return next((each for each in self.workspaces if each.root_bytes == root), None)

    def mode_of(self, root: bytes, *, found: bool) -> Mode:
        """The mode a workspace starts in; `found`: nobody named it."""
        table = self.workspace(root)
        if table is not None:
            return table.mode or self.mode
        return self.found_mode if found else self.mode

    def file_mode(self, root: bytes, path: bytes, workspace_mode: Mode) -> Mode:
        """The mode of one file: its workspace's globs, then the general ones, then the workspace's mode."""
        table = self.workspace(root)
        own = first_match(table.file_modes, path) if table else None
        return own or first_match(self.file_modes, path) or workspace_mode

    def pinned_in(self, path: bytes) -> tuple[str, ...]:
        """Headings whose entries are pinned in the file; "" all of it."""
        parts = (each.partition("#") for each in self.pinned)
        return tuple(heading.strip() for glob, _, heading in parts if matches(glob, path))

    def is_extra(self, root: bytes, path: bytes) -> bool:
        table = self.workspace(root)
        return table is not None and any_matches(table.extra, path)

    def rotates(self, root: bytes) -> bool:
        """Whether files of the workspace are rotated unasked."""
        table = self.workspace(root)
        own = table.rotate if table else None
        return self.rotate.automatic if own is None else own

    def jobs_of(self, root: bytes) -> JobsConfig:
        """When the jobs of the night run for the workspace, and what they may write."""
        table = self.workspace(root)
        return table.jobs.over(self.jobs) if table is not None and table.jobs is not None else self.jobs

    def role(self, root: bytes, path: bytes) -> Role | None:
        """The role the user gave the file, if any; the profile decides otherwise."""
        table = self.workspace(root)
        own = first_match(table.roles, path) if table else None
        if own is None and any_matches(self.replaceable, path):
            return Role.REPLACEABLE
        return own

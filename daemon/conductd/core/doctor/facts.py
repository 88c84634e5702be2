"""What `conductd doctor` gathers before it judges: values, nothing else. None is "could not be found out".

Made by `conductd.doctor`, read by the checks beside this module.
"""

from __future__ import annotations

from enum import StrEnum

from conductd.core.load.loaded import Load
from conductd.core.provenance import Standing
from conductd.model import Frozen, Role

Value = str | int | float | bool | tuple[str, ...] | None


class Kind(StrEnum):
    FILE = "file"
    DIRECTORY = "directory"
    LINK = "link"
    OTHER = "other"  # FIFO, device, socket


class Leads(StrEnum):
    """Where a symbolic link ends."""

    FILE = "file"
    DIRECTORY = "directory"
    OTHER = "other"
    NOWHERE = "nowhere"


class Entry(Frozen, frozen=True):
    """One name in a workspace, as it stands in its directory. ``role`` None: no file that is protected. Of a link,
    ``target`` is what it says, ``leads`` where it ends, ``inside`` whether that is in the workspace, and ``real``
    that path in it. ``readable`` and ``writable``: by us. ``others``: further names of the same file in the
    workspace."""

    path: bytes
    kind: Kind
    role: Role | None = None
    size: int = 0
    mode: int = 0
    owner: int = 0
    nlink: int = 1
    device: int = 0
    inode: int = 0
    mtime_ns: int = 0
    target: bytes = b""
    leads: Leads | None = None
    inside: bool = True
    real: bytes = b""
    readable: bool = True
    writable: bool = True
    others: tuple[bytes, ...] = ()


class GitFacts(Frozen, frozen=True):
    """``top``: the directory of the work tree. ``ignored``: memory files that git does not see; None where git's rules
    could not be read. ``not_given``: those whose bytes git was never given; None where that was not looked for.
    ``unfinished``: an operation that was not ended. ``holds_memory``: the ``.git`` lies inside of
    the workspace's memory."""

    top: bytes = b""
    ignored: tuple[bytes, ...] | None = None
    unfinished: str = ""
    holds_memory: bool = False
    not_given: tuple[bytes, ...] | None = ()


class AgentFacts(Frozen, frozen=True):
    """One agent that reads a workspace. ``exact``: the files it loads by name, relative paths; ``by_listing``:
    those it takes only when the directory itself spells them so. ``values``: its settings, flat (`a.b.c`).
    ``attested_ns``: when it last saw the workspace whole, 0 never; ``legacy_state``: state of an older release lies
    there. ``templates``: files that still are the template it made. ``pins``: how many entries of the workspace are
    pinned. ``sandboxes``: copies of the workspace that sessions work in. ``gate``: files that it may leave out of
    the prompt for who wrote them. ``unread``: files of its configuration that say nothing that is understood."""

    name: str
    display: str
    version: str = ""
    is_installed: bool | None = None
    newest: str = ""
    load: Load | None = None
    problem: str = ""
    exact: tuple[str, ...] = ()
    by_listing: tuple[str, ...] = ()
    values: dict[str, Value] | None = None
    source: str = ""
    sandboxes: tuple[bytes, ...] | None = ()
    attested_ns: int | None = 0
    legacy_state: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    now_ns: int = 0
    pins: int | None = None
    gate: tuple[Standing, ...] | None = ()
    unread: tuple[str, ...] = ()


class Workspace(Frozen, frozen=True):
    """One directory. ``known``: it is the daemon's (None: no daemon answers, and no journal tells). ``recorded``:
    the device and inode that stand in the journal, (0, 0) none. ``stands``: those of the directory there now.
    ``entries`` None: it cannot be listed. ``directories``: how many of it are watched. ``is_cut``: there are more
    than were looked at."""

    root: bytes
    exists: bool = True
    is_directory: bool = True
    known: bool | None = None
    mode: str | None = None
    state: str | None = None
    watched: str | None = None
    recorded: tuple[int, int] | None = None
    stands: tuple[int, int] | None = None
    entries: tuple[Entry, ...] | None = None
    is_cut: bool = False
    case_insensitive: bool | None = None
    root_writable: bool | None = None
    fs_type: str | None = None
    polls_because: str = ""
    is_read_only: bool | None = None
    free_bytes: int | None = None
    free_files: int | None = None
    synced: bytes | None = b""
    git: GitFacts | None = None
    now_ns: int | None = None
    user: int = 0
    agents: tuple[AgentFacts, ...] = ()
    directories: int | None = None
    capabilities: tuple[str, ...] = ()

    def entry(self, path: bytes) -> Entry | None:
        return next((each for each in self.entries or () if each.path == path), None)


class Degraded(Frozen, frozen=True):
    reason: str
    message: str
    hint: str


class Running(Frozen, frozen=True):
    """The daemon. ``answers`` None: something is there that is not ours to ask. ``holder``: the process that holds
    the state directory though nobody answers, 0 none."""

    answers: bool | None = None
    holder: int = 0
    why_not: str = ""
    version: str | None = None
    own_version: str = ""
    api: int | None = None
    own_api: int = 0
    degraded: tuple[Degraded, ...] | None = None
    observing: bool = False


class Place(Frozen, frozen=True):
    """A directory or file of our own. ``mode`` None: it is not there."""

    path: str
    mode: int | None = None
    owner: int | None = None
    is_link: bool = False


class Store(Frozen, frozen=True):
    """Where the journal is. ``inside``: the workspaces that hold it. ``synced``: the synced folder around it."""

    path: str
    exists: bool | None = None
    fs_type: str | None = None
    synced: bytes | None = None
    inside: tuple[bytes, ...] | None = None
    places: tuple[Place, ...] | None = None
    user: int | None = None
    free_bytes: int | None = None
    free_files: int | None = None
    journal_bytes: int | None = None
    sqlite: tuple[int, int, int] | None = None
    index_writers: int = 1


class Clock(Frozen, frozen=True):
    """``journal_ns``: when the last record was written, by the clock then. ``released_ns``: no clock that is right
    shows an earlier time. ``zone``: what TZ names, "" nothing; ``zone_known``: whether the system knows it.
    ``hardware_local``: the hardware clock is kept in local time."""

    now_ns: int | None = None
    journal_ns: int | None = None
    journal_exists: bool | None = None
    released_ns: int = 0
    zone: str | None = None
    zone_known: bool | None = None
    hardware_local: bool | None = None


class Watches(Frozen, frozen=True):
    """Inotify's limits of the user, what others take of them, and what is needed. ``supported``: the system has it."""

    supported: bool | None = None
    max_watches: int | None = None
    max_instances: int | None = None
    used_watches: int | None = None
    used_instances: int | None = None
    needed: int | None = None
    daemon_runs: bool = False


class ConfiguredRoot(Frozen, frozen=True):
    """``shared``: other roots of the configuration, named before it, with which it has files in common."""

    root: str
    exists: bool
    is_directory: bool
    known: bool | None = None
    shared: tuple[str, ...] = ()


class ConfiguredChannel(Frozen, frozen=True):
    """``unusable``: why nothing can ever be sent there; ``lacks``: what is not there for whoever asks (a variable, a
    file), and may be for the daemon."""

    name: str
    unusable: str = ""
    lacks: str = ""


class Configured(Frozen, frozen=True):
    """conductd's own configuration. ``faults`` None: it could not be read. ``weak``: (key, what it says, what is
    better)."""

    path: str = ""
    exists: bool = False
    faults: tuple[str, ...] | None = None
    roots: tuple[ConfiguredRoot, ...] | None = None
    weak: tuple[tuple[str, str, str], ...] | None = None
    channels: tuple[ConfiguredChannel, ...] | None = None


class Found(Frozen, frozen=True):
    """Memory of an agent that was found on this machine."""

    root: bytes
    why: str
    mode: str = ""  # "" when it is not watched


class Protected(Frozen, frozen=True):
    """``found`` None: they could not be looked for; ``known`` False: nobody tells which are watched. ``homeless``:
    agents that are installed and of which no memory was found."""

    found: tuple[Found, ...] | None = None
    known: bool | None = None
    homeless: tuple[str, ...] = ()


class Facts(Frozen, frozen=True):
    running: Running = Running()
    store: Store = Store("")
    clock: Clock = Clock()
    watches: Watches = Watches()
    configured: Configured = Configured()
    protected: Protected = Protected()
    workspaces: tuple[Workspace, ...] = ()

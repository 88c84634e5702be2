"""What each check says of which facts: a table a check, and that nothing that is missing is ever called well."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from conductd.core.doctor import checks
from conductd.core.doctor.checks import ALL, examine
from conductd.core.doctor.facts import (
    AgentFacts,
    Clock,
    Configured,
    ConfiguredChannel,
    ConfiguredRoot,
    Degraded,
    Entry,
    Facts,
    Found,
    GitFacts,
    Kind,
    Leads,
    Place,
    Protected,
    Running,
    Store,
    Watches,
    Workspace,
)
from conductd.core.doctor.finding import ORDER, Finding, Result, asked, worst
from conductd.core.load.loaded import Cause, Load, LoadedFile, Unit, Why
from conductd.model import Role

NOW = 1_790_000_000 * 10**9
OK, WARN, FAIL, UNKNOWN = Result.OK, Result.WARN, Result.FAIL, Result.UNKNOWN

RUNNING = Running(True, 0, "", "0.1.0", "0.1.0", 1, 1, ())
STORE = Store("/s", True, "ext4", b"", (), (), 1000, 10**11, 10**6, None, (3, 51, 3))
CLOCK = Clock(NOW, NOW - 10**9, True, 0, "", True, False)
WATCHES = Watches(True, 100_000, 128, 10, 2, 20, True)
CONFIGURED = Configured("/c.toml", True, (), (), (), (ConfiguredChannel("desk"),))
PROTECTED = Protected((), True)


def entry(path: bytes, kind: Kind = Kind.FILE, role: Role | None = Role.TOPIC, **more: Any) -> Entry:
    return Entry(path, kind, role, owner=1000, mtime_ns=NOW, **more)


def load(*files: LoadedFile, left_out: tuple[LoadedFile, ...] = (), limit: int | None = None) -> Load:
    return Load("openclaw", "2026.9.6", "main", Unit.UTF16, files, limit, (), left_out)


def loaded(name: str, **more: Any) -> LoadedFile:
    return LoadedFile(name, f"/w/{name}", **{"raw": 10, "injected": 10, "text": "x", "source": "x", **more})


GOOD_LOAD = load(loaded("AGENTS.md"), loaded("MEMORY.md"))
AGENT = AgentFacts(
    "openclaw",
    "OpenClaw",
    "2026.9.6",
    True,
    "2026.9.6",
    GOOD_LOAD,
    "",
    ("AGENTS.md", "USER.md", "MEMORY.md", "memory"),
    ("MEMORY.md",),
    {},
    "/h/.openclaw/openclaw.json",
    (),
    NOW,
    now_ns=NOW,
    pins=3,
)
WORKSPACE = Workspace(
    b"/w",
    True,
    True,
    True,
    "protect",
    "ok",
    "events",
    (5, 7),
    (5, 7),
    (
        entry(b"MEMORY.md", role=Role.CURATED),
        entry(b"AGENTS.md", role=Role.INSTRUCTIONS),
        entry(b"memory", Kind.DIRECTORY, None),
    ),
    False,
    False,
    True,
    "ext4",
    "",
    False,
    10**11,
    10**6,
    b"",
    GitFacts(b"/w", ()),
    NOW,
    1000,
    (AGENT,),
)
GOOD = Facts(RUNNING, STORE, CLOCK, WATCHES, CONFIGURED, PROTECTED, (WORKSPACE,))


def of(name: str, facts: object) -> list[Finding]:
    check = next(each for each in ALL if each.name == name)
    return asked(check, facts)


def results(name: str, facts: object) -> set[Result]:
    return {each.result for each in of(name, facts)}


def with_entries(*entries: Entry, **more: Any) -> Workspace:
    return replace(WORKSPACE, entries=entries, **more)


def test_all_is_well_where_all_is_well() -> None:
    found = examine(GOOD)
    assert {each.result for each in found} == {OK}, [each for each in found if each.result is not OK]
    assert {each.check for each in found} == {each.name for each in ALL}
    assert worst(found) is OK


CASES: list[tuple[str, object, Result]] = [
    ("daemon", replace(RUNNING, answers=False), FAIL),
    ("daemon", replace(RUNNING, answers=False, holder=7), FAIL),
    ("daemon", replace(RUNNING, answers=None), UNKNOWN),
    ("daemon", replace(RUNNING, observing=True), WARN),
    ("daemon_version", replace(RUNNING, version="0.2.0"), WARN),
    ("daemon_version", replace(RUNNING, version=None), UNKNOWN),
    ("daemon_health", replace(RUNNING, degraded=(Degraded("polling", "slow", ""),)), WARN),
    ("daemon_health", replace(RUNNING, degraded=(Degraded("store", "full", "make room"),)), FAIL),
    ("daemon_health", replace(RUNNING, degraded=None), UNKNOWN),
    ("config", replace(CONFIGURED, faults=("line 3: unknown key",)), FAIL),
    ("config", replace(CONFIGURED, faults=None), UNKNOWN),
    ("channels", replace(CONFIGURED, channels=(ConfiguredChannel("a"), ConfiguredChannel("b", "no such"))), FAIL),
    ("channels", replace(CONFIGURED, channels=(ConfiguredChannel("a", lacks="A is not set"),)), UNKNOWN),
    ("channels", replace(CONFIGURED, channels=None), UNKNOWN),
    ("config_workspaces", replace(CONFIGURED, roots=(ConfiguredRoot("/gone", False, False),)), FAIL),
    ("config_workspaces", replace(CONFIGURED, roots=(ConfiguredRoot("/file", True, False),)), FAIL),
    ("config_workspaces", replace(CONFIGURED, roots=(ConfiguredRoot("/a", True, True, False),)), WARN),
    (
        "config_workspaces",
        replace(
            CONFIGURED, roots=(ConfiguredRoot("/a", True, True), ConfiguredRoot("/a/b", True, True, None, ("/a",)))
        ),
        FAIL,
    ),
    (
        "config_workspaces",
        replace(CONFIGURED, roots=(ConfiguredRoot("/a", True, True), ConfiguredRoot("/a/b", True, True))),
        OK,
    ),
    (
        "config_workspaces",
        replace(CONFIGURED, roots=(ConfiguredRoot("/a", True, True), ConfiguredRoot("/ab", True, True))),
        OK,
    ),
    ("config_weak", replace(CONFIGURED, weak=(("mode", "protect -> observe", ""),)), WARN),
    ("config_weak", replace(CONFIGURED, weak=None), UNKNOWN),
    ("unprotected", Protected((Found(b"/w", "OpenClaw's default"),), True), WARN),
    ("unprotected", Protected((Found(b"/w", "OpenClaw's default", "observe"),), True), WARN),
    ("unprotected", Protected((Found(b"/w", "OpenClaw's default", "protect"),), True), OK),
    ("unprotected", Protected((Found(b"/w", "OpenClaw's default"),), False), UNKNOWN),
    ("unprotected", Protected(None, True), UNKNOWN),
    ("unprotected", Protected((), True, ("OpenClaw 2026.9.6",)), UNKNOWN),
    ("state_place", replace(STORE, inside=(b"/w",)), FAIL),
    ("state_place", replace(STORE, synced=b"/h/Dropbox"), FAIL),
    ("state_place", replace(STORE, fs_type="tmpfs"), FAIL),
    ("state_place", replace(STORE, fs_type="nfs4"), WARN),
    ("state_place", replace(STORE, fs_type=""), UNKNOWN),
    ("state_place", replace(STORE, exists=False), OK),
    ("state_private", replace(STORE, places=(Place("/s", 0o040777, 1000),)), FAIL),
    ("state_private", replace(STORE, places=(Place("/s", 0o040755, 1000),)), WARN),
    ("state_private", replace(STORE, places=(Place("/s", 0o040700, 1000),)), OK),
    ("state_private", replace(STORE, places=(Place("/s", 0o040700, 1),)), FAIL),
    ("state_private", replace(STORE, places=(Place("/s"),)), OK),
    ("state_room", replace(STORE, free_bytes=10**6), FAIL),
    ("state_room", replace(STORE, free_bytes=500 * 2**20), WARN),
    ("state_room", replace(STORE, free_files=5), FAIL),
    ("state_room", replace(STORE, free_files=-1), OK),
    ("state_room", replace(STORE, free_bytes=None), UNKNOWN),
    ("sqlite", replace(STORE, sqlite=(3, 40, 1)), OK),
    ("sqlite", replace(STORE, sqlite=(3, 40, 1), index_writers=2), FAIL),
    ("sqlite", replace(STORE, sqlite=(3, 51, 3), index_writers=2), OK),
    ("sqlite", replace(STORE, sqlite=(3, 36, 0)), FAIL),
    ("sqlite", replace(STORE, sqlite=None), UNKNOWN),
    ("clock", replace(CLOCK, journal_ns=NOW + 3600 * 10**9), FAIL),
    ("clock", replace(CLOCK, journal_ns=NOW + 10**9), OK),
    ("clock", replace(CLOCK, released_ns=NOW + 1), FAIL),
    ("clock", replace(CLOCK, journal_ns=None), UNKNOWN),
    ("clock", replace(CLOCK, journal_ns=None, journal_exists=False), OK),
    ("clock", replace(CLOCK, zone="Middle/Earth", zone_known=False), WARN),
    ("clock", replace(CLOCK, zone_known=None), UNKNOWN),
    ("clock", replace(CLOCK, hardware_local=True), WARN),
    ("watch_limits", replace(WATCHES, max_watches=15), FAIL),
    ("watch_limits", replace(WATCHES, used_watches=99_990, daemon_runs=False), FAIL),
    ("watch_limits", replace(WATCHES, used_watches=90_000), WARN),
    ("watch_limits", replace(WATCHES, max_watches=None), UNKNOWN),
    ("watch_limits", replace(WATCHES, needed=None), UNKNOWN),
    ("watch_limits", replace(WATCHES, used_instances=None), UNKNOWN),
    ("watch_limits", replace(WATCHES, used_instances=128, daemon_runs=False), FAIL),
    ("workspace", replace(WORKSPACE, exists=False), FAIL),
    ("workspace", replace(WORKSPACE, is_directory=False), FAIL),
    ("workspace", replace(WORKSPACE, known=False), WARN),
    ("workspace", replace(WORKSPACE, known=None), UNKNOWN),
    ("workspace", replace(WORKSPACE, mode="observe"), WARN),
    ("workspace", replace(WORKSPACE, state="locked by process 7"), WARN),
    ("workspace", replace(WORKSPACE, state="missing"), FAIL),
    ("identity", replace(WORKSPACE, stands=(5, 8)), FAIL),
    ("identity", replace(WORKSPACE, stands=(6, 7)), FAIL),
    ("identity", replace(WORKSPACE, recorded=(0, 0)), OK),
    ("identity", replace(WORKSPACE, recorded=None), UNKNOWN),
    ("writable", replace(WORKSPACE, is_read_only=True), FAIL),
    ("writable", replace(WORKSPACE, root_writable=False), FAIL),
    ("writable", with_entries(entry(b"MEMORY.md", readable=False)), FAIL),
    ("writable", with_entries(entry(b"MEMORY.md", writable=False)), WARN),
    ("writable", with_entries(entry(b"memory/a", Kind.DIRECTORY, None, writable=False)), FAIL),
    ("writable", with_entries(replace(entry(b"MEMORY.md"), owner=0)), WARN),
    ("writable", with_entries(entry(b"MEMORY.md", mode=0o666)), WARN),
    ("writable", with_entries(entry(b"other.bin", role=None, readable=False)), OK),
    ("writable", replace(WORKSPACE, is_read_only=None), UNKNOWN),
    ("workspace_room", replace(WORKSPACE, free_bytes=10), FAIL),
    ("workspace_room", replace(WORKSPACE, free_bytes=None), UNKNOWN),
    ("file_times", with_entries(replace(entry(b"MEMORY.md"), mtime_ns=NOW + 10**13)), WARN),
    ("file_times", with_entries(replace(entry(b"MEMORY.md"), mtime_ns=NOW + 10**9)), OK),
    ("git", replace(WORKSPACE, git=GitFacts()), OK),
    ("git", replace(WORKSPACE, git=GitFacts(b"/w", (b"MEMORY.md",))), OK),
    ("git", replace(WORKSPACE, git=GitFacts(b"/w", None)), UNKNOWN),
    ("git", replace(WORKSPACE, git=GitFacts(b"/w", (), "rebase")), WARN),
    ("git", replace(WORKSPACE, git=GitFacts(b"/w", (), "", True)), WARN),
    ("git", replace(WORKSPACE, git=GitFacts(b"/w", (), not_given=None)), UNKNOWN),
    ("git", replace(WORKSPACE, git=GitFacts(b"/w", (), not_given=(b"MEMORY.md",))), OK),
    ("git", replace(WORKSPACE, git=None), UNKNOWN),
    ("workspace_place", replace(WORKSPACE, polls_because="changes on nfs send no events"), WARN),
    ("workspace_place", replace(WORKSPACE, watched="polling"), WARN),
    ("workspace_place", replace(WORKSPACE, fs_type="tmpfs"), WARN),
    ("workspace_place", replace(WORKSPACE, synced=b"/h/Dropbox"), OK),
    ("workspace_place", replace(WORKSPACE, fs_type=None), UNKNOWN),
    ("split_files", with_entries(entry(b"MEMORY.md", role=Role.CURATED), entry(b"memory.md", role=Role.CURATED)), FAIL),
    ("split_files", with_entries(entry(b"USER.md", role=Role.CURATED), entry(b"user.md", role=Role.CURATED)), FAIL),
    ("split_files", replace(WORKSPACE, entries=None), UNKNOWN),
    ("wrong_case", with_entries(entry(b"Memory.md")), FAIL),
    ("wrong_case", with_entries(entry(b"agents.MD")), FAIL),
    ("wrong_case", with_entries(entry(b"Memory", Kind.DIRECTORY, None)), FAIL),
    ("wrong_case", with_entries(entry(b"Agents.md"), case_insensitive=True), WARN),
    ("wrong_case", with_entries(entry(b"Memory.md"), case_insensitive=True), FAIL),
    ("wrong_case", with_entries(entry(b"Memory.md"), case_insensitive=None), UNKNOWN),
    ("wrong_case", with_entries(entry(b"memory/2026-01-01.MD")), WARN),
    ("wrong_case", with_entries(entry(b"notes.md"), entry(b"ME MORY.md")), OK),
    ("file_names", with_entries(entry(b"memory/caf\xe9.md")), WARN),
    ("file_names", with_entries(entry(b"memory/a\nb.md")), WARN),
    ("file_names", with_entries(entry(b"memory/ a.md")), OK),
    ("file_names", with_entries(entry("memory/日記.md".encode())), OK),
    ("file_names", replace(WORKSPACE, is_cut=True), UNKNOWN),
    ("links", with_entries(entry(b"MEMORY.md", Kind.LINK, target=b"x.md", leads=Leads.FILE)), FAIL),
    ("links", with_entries(entry(b"MEMORY.md", Kind.LINK, target=b"x.md", leads=Leads.NOWHERE)), FAIL),
    ("links", with_entries(entry(b"MEMORY.md", Kind.LINK, target=b"x", leads=Leads.OTHER)), FAIL),
    ("links", with_entries(entry(b"memory/a.md", Kind.LINK, target=b"x", leads=Leads.DIRECTORY)), WARN),
    ("links", with_entries(entry(b"memory/old", Kind.LINK, None, target=b"/x", leads=Leads.DIRECTORY)), WARN),
    ("links", with_entries(entry(b"node", Kind.LINK, None, target=b"x", leads=Leads.FILE)), OK),
    ("hard_links", with_entries(entry(b"MEMORY.md", nlink=2)), FAIL),
    ("hard_links", with_entries(entry(b"a.bin", role=None, nlink=2)), OK),
    ("memory_directory", with_entries(entry(b"memory", Kind.LINK, None, leads=Leads.DIRECTORY)), FAIL),
    ("memory_directory", with_entries(entry(b"memory", Kind.FILE, None)), FAIL),
    ("memory_directory", with_entries(entry(b"memory", Kind.DIRECTORY, None, readable=False)), FAIL),
    ("memory_directory", with_entries(), OK),
    ("agent_release", replace(AGENT, is_installed=False), UNKNOWN),
    ("agent_release", replace(AGENT, version="2027.1.1"), WARN),
    ("agent_release", replace(AGENT, problem="it cannot be read"), UNKNOWN),
    ("agent_release", replace(AGENT, version=""), UNKNOWN),
    ("attested", replace(AGENT, attested_ns=0), OK),
    ("attested", replace(AGENT, attested_ns=None), UNKNOWN),
    ("attested", replace(AGENT, load=load()), FAIL),
    ("attested", replace(AGENT, load=None), UNKNOWN),
    ("attested", replace(AGENT, legacy_state=("openclaw-workspace-state.json",)), FAIL),
    ("attested", replace(AGENT, version="2026.7.1", legacy_state=("openclaw-workspace-state.json",)), OK),
    ("attested", replace(AGENT, templates=("AGENTS.md", "MEMORY.md")), WARN),
    ("attested", replace(AGENT, templates=("AGENTS.md",)), OK),
    ("sandboxes", replace(AGENT, values={"agents.defaults.sandbox.mode": "all"}), WARN),
    (
        "sandboxes",
        replace(AGENT, values={"agent.sandbox.mode": "non-main", "agent.sandbox.workspaceAccess": "ro"}),
        WARN,
    ),
    ("sandboxes", replace(AGENT, values={"agent.sandbox.mode": "all", "agent.sandbox.workspaceAccess": "rw"}), OK),
    ("sandboxes", replace(AGENT, sandboxes=(b"/h/.openclaw/sandboxes/a",)), WARN),
    ("sandboxes", replace(AGENT, sandboxes=None), UNKNOWN),
    ("load_cut", replace(AGENT, load=load(loaded("MEMORY.md", causes=(Cause.PER_FILE,), own_limit=5))), FAIL),
    ("load_cut", replace(AGENT, load=None), UNKNOWN),
    ("load_near", replace(AGENT, load=load(loaded("MEMORY.md", raw=90, own_limit=100))), WARN),
    ("load_near", replace(AGENT, load=load(loaded("MEMORY.md", raw=84, own_limit=100))), OK),
    ("load_near", replace(AGENT, load=load(loaded("MEMORY.md", injected=90), limit=100)), WARN),
    ("load_near", replace(AGENT, load=load(loaded("MEMORY.md", lines=190, lines_limit=200))), WARN),
    ("load_total", replace(AGENT, load=load(loaded("MEMORY.md", causes=(Cause.TOTAL,), text=None), limit=9)), FAIL),
    ("load_total", replace(AGENT, load=load(loaded("MEMORY.md", why=Why.NO_ROOM, text=None), limit=9)), FAIL),
    ("load_size", replace(AGENT, load=load(left_out=(loaded("CLAUDE.md", why=Why.TOO_LARGE),))), FAIL),
    ("not_loaded", replace(AGENT, load=load(left_out=(loaded("TOOLS.md", why=Why.RETIRED),))), WARN),
    ("not_loaded", replace(AGENT, load=load(left_out=(loaded("AGENTS.md", why=Why.OTHER_FILE),))), WARN),
    ("not_loaded", replace(AGENT, load=load(left_out=(loaded("MEMORY.md", why=Why.SYMLINK),))), FAIL),
    ("not_loaded", replace(AGENT, load=load(loaded("MEMORY.md", why=Why.EMPTY))), WARN),
    ("not_loaded", replace(AGENT, load=load(left_out=(loaded("r.md", why=Why.SCOPED),))), OK),
    ("missing_files", replace(AGENT, load=load(loaded("SOUL.md", why=Why.MISSING), loaded("MEMORY.md"))), WARN),
    ("missing_files", replace(AGENT, load=load(loaded("BOOTSTRAP.md", why=Why.MISSING), loaded("MEMORY.md"))), OK),
    ("missing_files", replace(AGENT, load=load()), WARN),
    ("agent_settings", replace(AGENT, values=None), UNKNOWN),
]


@pytest.mark.parametrize(("name", "facts", "expected"), CASES, ids=lambda each: each if isinstance(each, str) else "")
def test_a_check_says_what_the_facts_say(name: str, facts: object, expected: Result) -> None:
    found = of(name, facts)
    assert expected in {each.result for each in found}, found
    if expected is OK:
        assert {each.result for each in found} == {OK}, found


def test_every_check_has_a_case_that_is_not_well() -> None:
    not_well = {name for name, _, expected in CASES if expected is not OK}
    assert {each.name for each in ALL} - not_well <= {"provenance"}  # has tests of its own


SETTINGS: list[tuple[str, str, dict[str, Any], Result]] = [
    ("openclaw", "2026.9.6", {"agents.defaults.compaction.memoryFlush.enabled": False}, WARN),
    ("openclaw", "2026.9.6", {"agents.defaults.compaction.memoryFlush.enabled": True}, OK),
    # The agent's own entry counts before the defaults.
    (
        "openclaw",
        "2026.9.6",
        {"agents.defaults.contextInjection": "never", "agent.contextInjection": "always"},
        OK,
    ),
    ("openclaw", "2026.9.6", {"agent.contextInjection": "never"}, FAIL),
    # By release: another key, a key that is gone, a default that changed.
    ("openclaw", "2026.7.1", {"agents.defaults.memorySearch.enabled": False}, WARN),
    ("openclaw", "2026.9.6", {"agents.defaults.memorySearch.enabled": False}, OK),
    ("openclaw", "2026.9.6", {"memory.search.enabled": False}, WARN),
    ("openclaw", "2026.7.1", {"agents.defaults.bootstrapPromptTruncationWarning": "off"}, WARN),
    ("openclaw", "2026.9.6", {"agents.defaults.bootstrapPromptTruncationWarning": "off"}, OK),
    ("openclaw", "2026.9.6", {"agents.defaults.bootstrapMaxChars": 15_000}, WARN),
    ("openclaw", "2026.4.15", {"agents.defaults.bootstrapMaxChars": 15_000}, OK),
    ("openclaw", "2026.9.6", {"agents.defaults.bootstrapTotalMaxChars": 10_000}, WARN),
    ("openclaw", "2026.9.6", {"agents.defaults.contextPruning.mode": "cache-ttl"}, WARN),
    ("openclaw", "2026.9.6", {"agents.defaults.compaction.mode": "default"}, WARN),
    ("openclaw", "2026.9.6", {"agents.defaults.skipBootstrap": True}, WARN),
    ("openclaw", "2026.9.6", {"plugins.slots.memory": "none"}, FAIL),
    ("openclaw", "2026.9.6", {"plugins.slots.memory": "other"}, UNKNOWN),
    ("openclaw", "2026.9.6", {"plugins.enabled": False}, WARN),
    ("openclaw", "2026.9.6", {"plugins.deny": ("voice", "memory-core")}, FAIL),
    ("openclaw", "2026.9.6", {"plugins.deny": ("voice",)}, OK),
    ("openclaw", "2026.9.6", {"memory.backend": "qmd"}, WARN),
    ("openclaw", "2026.5.28", {"memory.backend": "qmd"}, OK),
    # Garbage is no setting.
    ("openclaw", "2026.9.6", {"agents.defaults.compaction.memoryFlush.enabled": "maybe"}, OK),
    ("openclaw", "2026.9.6", {"agents.defaults.bootstrapMaxChars": True}, OK),
    ("claude-code", "2.1.300", {"autoMemoryEnabled": False}, WARN),
    ("claude-code", "2.1.300", {"env.CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}, WARN),
    ("claude-code", "2.1.300", {"env.CLAUDE_CODE_DISABLE_CLAUDE_MDS": "true"}, FAIL),
    ("claude-code", "2.1.300", {"cleanupPeriodDays": 7}, WARN),
    ("claude-code", "2.1.300", {"cleanupPeriodDays": 90}, OK),
    ("claude-code", "2.1.300", {"claudeMdExcludes": ("**/CLAUDE.md",)}, WARN),
    ("claude-code", "2.1.300", {"claudeMdExcludes": ()}, OK),
    ("claude-code", "2.1.300", {"instructionFiles": "managed-only"}, FAIL),
    ("codex", "", {"project_doc_max_bytes": 0}, FAIL),
    ("codex", "", {"project_doc_max_bytes": 1_000}, WARN),
    ("codex", "", {"project_doc_max_bytes": 100_000}, OK),
    ("codex", "", {"features.memories": False}, WARN),
    ("codex", "", {"memories.use_memories": False}, WARN),
    ("hermes", "", {"memory.memory_enabled": False}, FAIL),
    ("hermes", "", {"memory.memory_char_limit": 500}, WARN),
    ("gemini-cli", "", {"context.fileName": ("AGENTS.md",)}, WARN),
    ("gemini-cli", "", {"context.fileName": ("AGENTS.md", "GEMINI.md")}, OK),
    ("gemini-cli", "", {"context.fileName": "CONTEXT.md"}, WARN),
]


@pytest.mark.parametrize(("agent", "version", "values", "expected"), SETTINGS)
def test_settings_that_weaken_memory(agent: str, version: str, values: dict[str, Any], expected: Result) -> None:
    facts = replace(AGENT, name=agent, version=version, values=values)
    found = of("agent_settings", facts)
    assert worst(found) is expected, found


@pytest.mark.parametrize(
    ("version", "said", "pins", "expected"),
    [
        ("2026.9.6", None, 0, WARN),  # on by default
        ("2026.9.6", None, 2, OK),
        ("2026.9.6", None, None, UNKNOWN),
        ("2026.9.6", False, 0, OK),
        ("2026.7.1", None, 0, OK),  # off by default
        ("2026.7.1", True, 0, WARN),
    ],
)
def test_dreaming_without_pins(version: str, said: bool | None, pins: int | None, expected: Result) -> None:
    values = {} if said is None else {"plugins.entries.memory-core.config.dreaming.enabled": said}
    found = of("agent_settings", replace(AGENT, version=version, values=values, pins=pins))
    assert worst(found) is expected, found


def test_a_workspace_whose_agent_nobody_knows_gets_the_general_checks() -> None:
    facts = replace(WORKSPACE, agents=(), entries=(entry(b"claude.md"), entry(b"MEMORY.md", nlink=3)))
    found = [*checks.examine_workspace(facts)]
    assert {each.check for each in found if each.result is FAIL} == {"wrong_case", "hard_links"}
    assert all(not each.agent for each in found)


# ------------------------------------------------------------------ nothing that is missing is well

_PARTS: list[tuple[str, Any]] = [
    ("running", RUNNING),
    ("store", STORE),
    ("clock", CLOCK),
    ("watches", WATCHES),
    ("configured", CONFIGURED),
    ("protected", PROTECTED),
]


def _optional(struct: Any) -> list[str]:
    """Fields that may be None."""
    return [name for name, kind in type(struct).__annotations__.items() if "None" in str(kind)]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_check_is_well_without_the_facts_it_needs(data: st.DataObject) -> None:
    for check in ALL:
        for facts in (RUNNING, STORE, CLOCK, WATCHES, CONFIGURED, PROTECTED, WORKSPACE, AGENT):
            if not all(hasattr(facts, need) for need in check.needs) or not _is_of(check, facts):
                continue
            gone = data.draw(st.sets(st.sampled_from(_optional(facts)))) if _optional(facts) else set()
            found = asked(check, replace(facts, **dict.fromkeys(gone)))
            if set(check.needs) & gone:
                assert {each.result for each in found} <= {UNKNOWN}, (check.name, gone)


def _is_of(check: Any, facts: object) -> bool:
    kinds: list[tuple[Any, type]] = [
        (checks.running.CHECKS, Running),
        (checks.store.CHECKS, Store),
        (checks.store.CLOCK, Clock),
        (checks.watching.CHECKS, Watches),
        (checks.configured.CHECKS, Configured),
        (checks.configured.PROTECTED, Protected),
        (checks.WORKSPACE, Workspace),
        (checks.AGENT, AgentFacts),
    ]
    return any(check in those and isinstance(facts, kind) for those, kind in kinds)


def test_with_nothing_known_nothing_is_well_but_what_is_known() -> None:
    """Every fact that can be missing is: what is still called well needed none of them."""
    bare = Facts(
        *(replace(part, **dict.fromkeys(_optional(part))) for _, part in _PARTS),
        (
            replace(
                WORKSPACE,
                **dict.fromkeys(_optional(WORKSPACE)),
                agents=(replace(AGENT, **dict.fromkeys(_optional(AGENT))),),
            ),
        ),
    )
    well = {each.check for each in examine(bare) if each.result is OK}
    assert not well


def test_each_finding_that_is_not_well_says_why_it_matters() -> None:
    for name, facts, _ in CASES:
        for found in of(name, facts):
            assert found.what
            assert bool(found.why) is (found.result is not OK)


def test_the_worst_decides() -> None:
    several = [Finding("x", each, "") for each in ORDER]
    assert worst(several) is FAIL
    assert worst(several[1:]) is WARN
    assert worst(several[2:]) is UNKNOWN
    assert worst([]) is OK

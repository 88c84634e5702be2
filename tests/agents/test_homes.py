"""What every agent keeps below a person's home is found by its own variables, and nothing else there is looked at."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from conductd.agents.discover import find, unread
from conductd.agents.homes import HOMES
from conductd.agents.profiles import PROFILES, known_profiles, profile_named
from conductd.agents.profiles.profile import covers, is_apart
from conductd.agents.recognised import recognised
from conductd.config.load import parse
from conductd.core.load.known_chains import CHAINS
from conductd.core.roles import classify
from conductd.watch.watched import watched


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made.resolve()


def write(home: Path, *names: str) -> None:
    for name in names:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("- a note\n")


def search(home: Path, **env: str) -> dict[str, str]:
    found = find({"HOME": str(home)} | env)
    return {os.path.relpath(os.fsdecode(each.root), home): each.profile for each in found}


@pytest.mark.parametrize(
    ("file", "root", "profile"),
    [
        (".claude/CLAUDE.md", ".claude", "claude-home"),
        (".claude/rules/style.md", ".claude", "claude-home"),
        (".claude/agent-memory/reviewer/MEMORY.md", ".claude", "claude-home"),
        (".claude/projects/-p/memory/MEMORY.md", ".claude/projects/-p/memory", "claude-memory"),
        (".codex/AGENTS.md", ".codex", "codex-home"),
        (".codex/AGENTS.override.md", ".codex", "codex-home"),
        (".codex/memories/memory_summary.md", ".codex", "codex-home"),
        (".hermes/memories/USER.md", ".hermes", "hermes"),
        (".hermes/SOUL.md", ".hermes", "hermes"),
        (".hermes/profiles/work/memories/MEMORY.md", ".hermes/profiles/work", "hermes"),
        (".gemini/GEMINI.md", ".gemini", "gemini-home"),
        (".gemini/tmp/a1/memory/MEMORY.md", ".gemini/tmp/a1/memory", "gemini-memory"),
        (".config/opencode/AGENTS.md", ".config/opencode", "opencode-home"),
        (".cursor/rules/mine.mdc", ".cursor", "cursor-home"),
        (".codeium/windsurf/memories/global_rules.md", ".codeium/windsurf/memories", "windsurf-memory"),
        (".copilot/copilot-instructions.md", ".copilot", "copilot-home"),
        (".copilot/instructions/a.instructions.md", ".copilot", "copilot-home"),
        (".letta/agents/a-1/memory/system/persona.md", ".letta/agents/a-1/memory", "letta-code"),
        (".nanobot/workspace/memory/MEMORY.md", ".nanobot/workspace", "nanobot"),
    ],
)
def test_each_agents_memory_is_found_and_protected(home: Path, file: str, root: str, profile: str) -> None:
    write(home, file)
    assert search(home) == {root: profile}
    below = os.path.relpath(file, root).encode()
    known = profile_named(profile)
    assert classify(below, profile=known.roles) is not None
    assert watched(known).watches(os.path.dirname(below))
    assert recognised(os.fsencode(home / root), {"HOME": str(home)}) == profile


@pytest.mark.parametrize(
    ("env", "file", "root"),
    [
        ({"CLAUDE_CONFIG_DIR": "{home}/conf"}, "conf/CLAUDE.md", "conf"),
        ({"CODEX_HOME": "~/conf"}, "conf/AGENTS.md", "conf"),
        ({"HERMES_HOME": "{home}/conf"}, "conf/memories/MEMORY.md", "conf"),
        ({"GEMINI_CLI_HOME": "{home}/conf"}, "conf/.gemini/GEMINI.md", "conf/.gemini"),
        ({"XDG_CONFIG_HOME": "{home}/conf"}, "conf/opencode/AGENTS.md", "conf/opencode"),
        ({"OPENCODE_CONFIG_DIR": "{home}/conf"}, "conf/AGENTS.md", "conf"),
        ({"COPILOT_HOME": "{home}/conf"}, "conf/copilot-instructions.md", "conf"),
        ({"OPENCLAW_STATE_DIR": "{home}/conf"}, "conf/workspace/MEMORY.md", "conf/workspace"),
    ],
)
def test_a_variable_moves_it(home: Path, env: dict[str, str], file: str, root: str) -> None:
    write(home, file)
    assert list(search(home, **{name: value.format(home=home) for name, value in env.items()})) == [root]
    assert search(home) == {}


def test_a_variable_that_names_nothing_finds_nothing(home: Path) -> None:
    write(home, ".codex/AGENTS.md", ".hermes/SOUL.md")
    for value in ("/nowhere", "relative", "\udcff", "~"):
        assert search(home, CODEX_HOME=value, HERMES_HOME=value) == {}


def test_a_program_that_was_only_started_is_no_find(home: Path) -> None:
    write(home, ".codex/history.jsonl", ".claude/settings.json", ".gemini/oauth.json", ".hermes/state.db")
    (home / ".codex/memories").mkdir()
    assert search(home) == {}


def test_links_below_a_home_are_not_followed(home: Path, tmp_path: Path) -> None:
    write(tmp_path, "away/memories/MEMORY.md")
    (home / ".hermes/profiles").mkdir(parents=True)
    (home / ".hermes/profiles/x").symlink_to(tmp_path / "away")
    (home / ".codeium/windsurf").mkdir(parents=True)
    (home / ".codeium/windsurf/memories").symlink_to(tmp_path / "away/memories")
    assert search(home) == {}


def test_the_memory_directory_of_claudes_settings(home: Path) -> None:
    write(home, "notes/MEMORY.md")
    (home / ".claude").mkdir()
    for named in ("~/notes", str(home / "notes")):
        (home / ".claude/settings.json").write_text(f'{{"autoMemoryDirectory": "{named}"}}')
        assert search(home) == {"notes": "claude-memory"}
    for garbage in ("{", "[]", '{"autoMemoryDirectory": 3}', '{"autoMemoryDirectory": "notes"}', "[" * 100_000,
                    '{"autoMemoryDirectory": "~/"}', '{"autoMemoryDirectory": "/\\ud800"}'):  # fmt: skip
        (home / ".claude/settings.json").write_text(garbage)
        assert search(home) == {}


def test_a_directory_with_a_hundred_thousand_transcripts_costs_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, ".claude/CLAUDE.md", ".codex/AGENTS.md", ".hermes/SOUL.md", ".gemini/GEMINI.md")
    busy = (".claude/projects/-p", ".claude/file-history", ".codex/sessions", ".hermes/sessions", ".gemini/tmp/a/chats")
    for name in busy:
        (home / name).mkdir(parents=True)
        for number in range(500):
            (home / name / f"{number}.jsonl").touch()
    looked: list[str] = []
    real = os.scandir

    def scandir(path: str | None = None) -> object:
        looked.append(os.fspath(path or "."))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    begun = time.monotonic()
    assert len(search(home)) == 4
    assert time.monotonic() - begun < 2
    assert not any(place == str(home / name) for place in looked for name in busy)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every directory")
def test_a_directory_that_cannot_be_looked_into_is_named(home: Path) -> None:
    (home / ".claude/projects").mkdir(parents=True)
    (home / ".claude/projects").chmod(0)
    try:
        assert unread({"HOME": str(home)}) == (str(home / ".claude/projects"),)
    finally:
        (home / ".claude/projects").chmod(0o700)
    assert unread({"HOME": str(home)}) == ()


@pytest.mark.parametrize("variable", ["", "OPENCLAW_CONFIG_PATH"])
def test_a_configuration_that_says_nothing_is_named(home: Path, variable: str) -> None:
    (home / ".openclaw").mkdir()
    path = home / ("elsewhere.json" if variable else ".openclaw/openclaw.json")
    env = {"HOME": str(home)} | ({variable: str(path)} if variable else {})
    assert unread(env) == ()
    for text in ("{", "3", "[" * 100_000):
        path.write_text(text)
        assert unread(env) == (str(path),)
    path.write_text("{agents: {},}")
    assert unread(env) == ()


def test_what_lies_in_another_find_is_one_workspace(home: Path) -> None:
    write(home, ".codex/AGENTS.md", ".codex/memories/MEMORY.md", ".hermes/memories/MEMORY.md")
    assert search(home) == {".codex": "codex-home", ".hermes": "hermes"}


def test_what_is_configured_is_found_first(home: Path) -> None:
    write(home, "a/x/.rules", "a/y/.rules", ".openclaw/workspace/MEMORY.md")
    (home / "a/z").write_text("a file")
    (agent,) = parse(
        '[[agents]]\nname = "zed2"\nfind = ["~/a/*", "~/.openclaw/workspace", "~", "/"]\n'
        'steps = [{ names = [".rules"] }]\n'.replace('"~", ', '"~/", ')
    ).agents
    found = find({"HOME": str(home)}, chains=[agent.chain()])
    assert [os.path.relpath(os.fsdecode(each.root), home) for each in found] == ["a/x", "a/y", ".openclaw/workspace"]
    assert {each.profile for each in found} == {"zed2"}


# ------------------------------------------------------------------ recognising


@pytest.mark.parametrize(
    ("files", "profile"),
    [
        ((), "generic"),
        (("MEMORY.md",), "generic"),
        (("memory/2026-01-01.md", "USER.md"), "generic"),
        (("MEMORY.md", "AGENTS.md"), "generic"),
        (("AGENTS.md",), "agents-md"),
        (("SOUL.md", "MEMORY.md"), "openclaw"),
        (("HEARTBEAT.md", "CLAUDE.md"), "openclaw"),
        (("CLAUDE.md", "AGENTS.md"), "claude-code"),
        ((".claude/rules/a.md",), "claude-code"),
        (("AGENTS.override.md",), "codex"),
        (("memories/MEMORY.md",), "hermes"),
        (("GEMINI.md",), "gemini-cli"),
        ((".cursor/rules/a.mdc",), "cursor"),
        ((".windsurfrules",), "windsurf"),
        ((".github/copilot-instructions.md", "README.md"), "copilot"),
        (("opencode.json", "AGENTS.md"), "opencode"),
    ],
)
def test_a_directory_is_recognised_by_what_stands_in_it(home: Path, files: tuple[str, ...], profile: str) -> None:
    (home / "dir").mkdir()
    write(home / "dir", *files)
    assert recognised(os.fsencode(home / "dir"), {"HOME": str(home)}) == profile


def test_memories_alone_are_recognised_by_their_place(home: Path) -> None:
    for place, profile in (
        (".codex/memories", "codex-memory"),
        (".hermes/memories", "hermes-memory"),
        (".hermes/profiles/x/memories", "hermes-memory"),
        (".claude/projects/-p/memory", "claude-memory"),
        (".claude", "claude-home"),
    ):
        (home / place).mkdir(parents=True, exist_ok=True)
        assert recognised(os.fsencode(home / place), {"HOME": str(home)}) == profile


def test_a_home_is_not_what_lies_in_it(home: Path) -> None:
    write(home, ".codex/AGENTS.md", ".gemini/GEMINI.md", ".cursor/rules/a.mdc", "CLAUDE.md")
    assert recognised(os.fsencode(home), {"HOME": str(home)}) == "generic"
    assert recognised(b"/", {"HOME": str(home)}) == "generic"


def test_a_directory_that_is_not_there_is_recognised_as_nothing_in_particular(home: Path) -> None:
    assert recognised(os.fsencode(home / "away"), {"HOME": str(home)}) == "generic"
    assert recognised(os.fsencode(home) + b"/\xff", {"HOME": str(home)}) == "generic"


# ------------------------------------------------------------------ profiles


@pytest.mark.parametrize("path", [
    b"sessions/2026/x.md", b"history.jsonl", b"projects/-p/s.jsonl", b"file-history/a/CLAUDE.md", b"plans/x.md",
    b"memories/MEMORY.md.lock", b"memories/.git/HEAD", b"cache/a.md", b"skills/x/SKILL.md", b"logs/a.md",
    b"agents/x.md", b"commands/y.md", b"todos/z.md", b"node_modules/a/AGENTS.md", b"MEMORY.md.bak.1767225600",
])  # fmt: skip
@pytest.mark.parametrize("name", sorted(name for name, each in PROFILES.items() if each.home))
def test_what_is_no_memory_is_not_protected_in_an_agents_own_directory(name: str, path: bytes) -> None:
    known = PROFILES[name]
    is_role = classify(path, profile=known.roles) is not None
    assert not (is_role and watched(known).watches(os.path.dirname(path)))


def test_every_role_of_a_profile_lies_where_it_is_watched() -> None:
    for known in PROFILES.values():
        for pattern, _ in known.roles:
            example = pattern.lstrip("/").replace("**/", "").replace("*", "x").encode()
            if "/" in pattern.lstrip("/"):
                assert watched(known).watches(os.path.dirname(example)), (known.name, pattern)


def test_every_profile_names_its_loader_and_where_its_limits_are() -> None:
    from conductd.agents.loading import LOADERS

    loaders = {each.name for each in LOADERS}
    assert {each.loader for each in PROFILES.values()} - {""} == loaders
    assert loaders <= set(PROFILES)
    assert all(each.limits for each in PROFILES.values() if each.loader)
    assert all(place.profile in PROFILES for each in HOMES for place in each.places)


def test_what_every_known_chain_loads_is_protected() -> None:
    for chain in CHAINS:
        known = PROFILES[chain.name]
        for step in chain.steps:
            for name in step.names if step.where.value not in ("home", "system") else ():
                example = name.replace("**/", "").replace("*", "x").encode()
                assert classify(example, profile=known.roles) is not None, (chain.name, name)
                assert watched(known).watches(os.path.dirname(example)), (chain.name, name)


def test_a_configured_agent_keeps_what_the_one_it_replaces_says() -> None:
    (agent,) = parse('[[agents]]\nname = "openclaw"\nsteps = [{ names = ["EXTRA.md"] }]\n').agents
    known = known_profiles([agent.chain()])["openclaw"]
    for path in (b"HEARTBEAT.md", b"users/a/USER.md", b"MEMORY.md"):
        assert classify(path, profile=known.roles) == classify(path, profile=PROFILES["openclaw"].roles)
    assert classify(b"EXTRA.md", profile=known.roles) is not None
    assert PROFILES["openclaw"].trees == known.trees


def test_a_configured_tree_is_watched_and_protected_whole() -> None:
    (agent,) = parse(
        '[[agents]]\nname = "x"\ntrees = ["notes/", "."]\nroles = { "notes/log-*.md" = "daily" }\n'
        'steps = [{ names = [".x/rules/*.md", ".x/main.md"] }]\n'
    ).agents
    known = known_profiles([agent.chain()])["x"]
    assert known.trees[:2] == (b"notes", b"")
    assert classify(b"notes/log-1.md", profile=known.roles) == "daily"
    assert classify(b"notes/deep/er/a.txt", profile=known.roles) == "topic"
    assert classify(b"notes/a.png", profile=known.roles) is None
    assert b".x/rules" in (*known.trees, *known.directories)
    assert b".x" in known.directories


def test_what_lies_apart() -> None:
    claude = PROFILES["claude-home"]
    assert is_apart(claude, b"projects/-p/memory")
    assert is_apart(claude, b"projects/-p/memory/deep")
    assert not is_apart(claude, b"projects/-p")
    assert not is_apart(claude, b"rules")
    assert covers(claude, b"rules/x")
    assert not covers(claude, b"projects/-p/memory")
    assert covers(PROFILES["claude-memory"], b"anything")

"""Settings of an agent that weaken its memory: a table of keys by agent and release, and the check on it. Pure.

Sources: the agents' pages on configuration and memory. Keys of OpenClaw's `agents.defaults` are looked up in the
agent's own entry first (`agent.…`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from conductd.core.doctor.facts import AgentFacts, Value
from conductd.core.doctor.finding import Check, Result, Seen, ok
from conductd.core.load.codex import PROJECT_BYTES
from conductd.core.load.hermes import HERMES_CONTEXT, HERMES_MEMORY, HERMES_USER
from conductd.core.load.openclaw_versions import limits, parse_version

Release = tuple[int, ...]
Weak = Callable[[Value], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """``key`` (a `*` in front: an agent's own entry, then the defaults) with a value that is ``weak`` means ``says``.
    ``since`` and ``before``: the releases that know the key."""

    agent: str
    key: str
    weak: Weak
    says: str
    fix: str
    result: Result = Result.WARN
    since: Release = ()
    before: Release = ()


def _is(*wanted: Value) -> Weak:
    return lambda value: any(value is each or (value == each and type(value) is type(each)) for each in wanted)


def _off(value: Value) -> bool:
    return value is False


def _on(value: Value) -> bool:
    return value is True or (isinstance(value, str) and value.lower() in ("1", "true", "yes", "on"))


def _below(least: int) -> Weak:
    return lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value < least


def _some(value: Value) -> bool:
    return bool(value) and not isinstance(value, bool)


def _other_than(*usual: str) -> Weak:
    return lambda value: isinstance(value, str) and value not in ("", *usual)


def _has(name: str) -> Weak:
    return lambda value: isinstance(value, tuple) and name in value


def _lacks(name: str) -> Weak:
    return lambda value: (isinstance(value, str) and value != name) or (isinstance(value, tuple) and name not in value)


_SQLITE: Release = (2026, 8, 1)
_UNTIL: Release = (2026, 8, 1)

RULES: tuple[Rule, ...] = (
    Rule("openclaw", "*compaction.memoryFlush.enabled", _off,
         "before a compaction nothing is saved to memory", "remove the key, or set it to true", since=(2026, 1, 11)),
    Rule("openclaw", "*compaction.memoryFlush.forceFlushTranscriptBytes", _is(0),
         "a long transcript alone does not lead to a save", "remove the key", since=(2026, 2, 27)),
    Rule("openclaw", "*memorySearch.enabled", _off,
         "the agent cannot search its memory: daily notes and topics are not found", "set it to true", before=_UNTIL),
    Rule("openclaw", "memory.search.enabled", _off,
         "the agent cannot search its memory: daily notes and topics are not found", "set it to true", since=_SQLITE),
    Rule("openclaw", "plugins.slots.memory", _is("none", "off", ""),
         "no memory plugin is active: neither search nor flush", "set it to memory-core", Result.FAIL),
    Rule("openclaw", "plugins.slots.memory", _other_than("memory-core", "none", "off"),
         "another memory plugin is active: whether it classifies the writers of MEMORY.md and USER.md, without which "
         "both are left out of the prompt, is not known", "look for `excluding automatic memory context` in its log",
         Result.UNKNOWN, since=_SQLITE),
    Rule("openclaw", "plugins.entries.memory-core.enabled", _off,
         "the memory plugin is off: neither search nor flush", "set it to true", Result.FAIL),
    Rule("openclaw", "plugins.enabled", _off,
         "plugins are off, the memory plugin with them: neither search nor flush", "set it to true"),
    Rule("openclaw", "plugins.deny", _has("memory-core"),
         "the memory plugin is denied: neither search nor flush", "take memory-core out of it", Result.FAIL),
    Rule("openclaw", "plugins.slots.contextEngine", _other_than("legacy"),
         "another context engine is active: one that owns compaction runs no memory flush", "ask its documentation",
         Result.UNKNOWN),
    Rule("openclaw", "*contextInjection", _is("never"),
         "no file is put into the prompt, MEMORY.md included", 'set it to "always"', Result.FAIL),
    Rule("openclaw", "*contextInjection", _is("continuation-skip"),
         "in a session that goes on files may be left out of the prompt", 'set it to "always"'),
    Rule("openclaw", "*contextPruning.mode", _is("cache-ttl"),
         "a memory file that was read earlier in the session vanishes from the context", 'set it to "off"'),
    Rule("openclaw", "*compaction.mode", _is("default"),
         "a compaction keeps less of what was said than in the mode safeguard", 'remove the key, or set "safeguard"'),
    Rule("openclaw", "*compaction.reserveTokensFloor", _below(20_000),
         "too little room is kept: the save before a compaction may find no place", "set it to 20000 or more",
         before=_UNTIL),
    Rule("openclaw", "*compaction.qualityGuard.enabled", _off,
         "summaries of a compaction are not checked", "remove the key", since=(2026, 4, 24)),
    Rule("openclaw", "*compaction.identifierPolicy", _is("off"),
         "a summary may drop identifiers: paths, numbers, names", 'set it to "strict"'),
    Rule("openclaw", "*skipBootstrap", _on,
         "missing bootstrap files are not made", "remove the key, or make the files yourself"),
    Rule("openclaw", "*startupContext.enabled", _off,
         "after /new and /reset the last days' notes are not given to the agent", "remove the key"),
    Rule("openclaw", "*startupContext.dailyMemoryDays", _is(0),
         "after /new and /reset the last days' notes are not given to the agent", "remove the key"),
    Rule("openclaw", "*bootstrapPromptTruncationWarning", _is("off"),
         "the agent is not told that a file was cut", 'set it to "always"', since=(2026, 3, 7), before=_UNTIL),
    Rule("openclaw", "memory.backend", _is("qmd"),
         "this release has no QMD backend any more", "openclaw doctor --fix moves its paths", since=_SQLITE),
    Rule("claude-code", "env.CLAUDE_CODE_DISABLE_AUTO_MEMORY", _on,
         "auto memory is off: nothing is remembered, and what was is not loaded", "unset the variable"),
    Rule("claude-code", "autoMemoryEnabled", _off,
         "auto memory is off: nothing is remembered, and what was is not loaded", "set it to true"),
    Rule("claude-code", "env.CLAUDE_CODE_DISABLE_CLAUDE_MDS", _on,
         "no CLAUDE.md is loaded", "unset the variable", Result.FAIL),
    Rule("claude-code", "claudeMdExcludes", _some,
         "files that fit these patterns are not loaded", "remove the patterns that fit your memory"),
    Rule("claude-code", "instructionFiles", _is("managed-only"),
         "only the organisation's instructions are loaded", "choose another value", Result.FAIL, since=(2, 1, 277)),
    Rule("claude-code", "cleanupPeriodDays", _below(30),
         "transcripts are deleted after so many days, and with them what a compaction dropped", "30 or more"),
    Rule("claude-code", "disableAllHooks", _on,
         "no hook runs, also none that guards memory", "remove the key"),
    Rule("codex", "project_doc_max_bytes", _is(0),
         "no AGENTS.md of the project is loaded", "remove the key", Result.FAIL),
    Rule("codex", "project_doc_max_bytes", lambda value: value != 0 and _below(PROJECT_BYTES)(value),
         "less than the usual 32,768 bytes of all AGENTS.md together are loaded", "remove the key"),
    Rule("codex", "features.memories", _off, "memories are off: nothing is remembered", "set it to true"),
    Rule("codex", "memories.use_memories", _off, "memories are made and not loaded", "set it to true"),
    Rule("codex", "history.persistence", _is("none"), "no history is kept", 'set it to "save-all"'),
    Rule("hermes", "memory.memory_enabled", _off,
         "MEMORY.md is neither written nor loaded", "set it to true", Result.FAIL),
    Rule("hermes", "memory.user_profile_enabled", _off, "USER.md is neither written nor loaded", "set it to true"),
    Rule("hermes", "memory.memory_char_limit", _below(HERMES_MEMORY),
         "MEMORY.md takes less than the usual 2,200 characters", "remove the key"),
    Rule("hermes", "memory.user_char_limit", _below(HERMES_USER),
         "USER.md takes less than the usual 1,375 characters", "remove the key"),
    Rule("hermes", "context_file_max_chars", _below(HERMES_CONTEXT),
         "less than the usual 20,000 characters of a context file are loaded", "remove the key"),
    Rule("gemini-cli", "context.fileName", _lacks("GEMINI.md"),
         "GEMINI.md is not among the names that are loaded", 'add "GEMINI.md"'),
)  # fmt: skip

AGENTS = frozenset(rule.agent for rule in RULES)


def value_of(values: dict[str, Value], key: str) -> Value:
    """None where it is not set."""
    if not key.startswith("*"):
        return values.get(key)
    own = values.get(f"agent.{key[1:]}")
    return own if own is not None else values.get(f"agents.defaults.{key[1:]}")


def _settings(agent: AgentFacts) -> Iterator[Seen]:
    values, release = agent.values or {}, _release(agent.version)
    for rule in RULES:
        if rule.agent != agent.name or not _knows(rule, release):
            continue
        value = value_of(values, rule.key)
        if value is not None and rule.weak(value):
            key = rule.key.removeprefix("*").removeprefix("env.")
            yield Seen(rule.result, f"{key} is {_shown(value)}: {rule.says}", rule.fix)
    if agent.name == "openclaw":
        yield from _openclaw_limits(agent, values)
        yield from _dreaming(agent, values)
    if agent.name == "claude-code" and isinstance(values.get("autoMemoryDirectory"), str):
        yield ok("autoMemoryDirectory names another place for its memory: protect that one")


def _openclaw_limits(agent: AgentFacts, values: dict[str, Value]) -> Iterator[Seen]:
    version = parse_version(agent.version)
    if version is None:
        return
    usual = limits(version)
    for key, least in (("bootstrapMaxChars", usual.file), ("bootstrapTotalMaxChars", usual.total)):
        value = value_of(values, f"*{key}")
        if least and value is not None and _below(least)(value):
            yield Seen(
                Result.WARN,
                f"{key} is {_shown(value)}, less than the usual {least:,} of this release: more is cut out",
                "remove the key",
            )


def _dreaming(agent: AgentFacts, values: dict[str, Value]) -> Iterator[Seen]:
    """The nightly rewriting of MEMORY.md: what must not go has to be pinned."""
    said = values.get("plugins.entries.memory-core.config.dreaming.enabled")
    is_on = said is True or (said is None and (_release(agent.version) or _SQLITE) >= _SQLITE)
    if not is_on:
        return
    if agent.pins is None:
        yield Seen(
            Result.UNKNOWN,
            "dreaming is on and rewrites MEMORY.md at night; whether anything is pinned is not known",
            "conductd pins",
        )
    elif not agent.pins:
        yield Seen(
            Result.WARN,
            "dreaming is on and rewrites MEMORY.md at night, and nothing is pinned",
            "conductd pin FILE:LINE for what must not go, or set dreaming.enabled to false",
        )


def _knows(rule: Rule, release: Release) -> bool:
    return not release or (release >= rule.since and not (rule.before and release >= rule.before))


def _release(version: str) -> Release:
    found = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?", version)
    return tuple(int(part or 0) for part in found.groups()) if found else ()


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"{len(value)} items"
    text = "".join(each if each.isprintable() else " " for each in str(value))[:60]
    return f'"{text}"' if isinstance(value, str) else text


CHECKS: tuple[Check[AgentFacts], ...] = (
    Check(
        "agent_settings",
        "settings of the agent that weaken its memory, by release",
        "An agent's own switch can undo what its memory files promise.",
        "no setting weakens its memory",
        _settings,
        ("values",),
        lambda agent: agent.name in AGENTS,
    ),
)

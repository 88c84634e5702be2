"""The programs that agents run as, so that a process can be told from a person's.

Data and two questions about a name; looking at processes is `watch.ancestry`'s. A program can be
renamed: a name that is not here proves nothing, one that is here is enough to ask a person.
Names as their installers put them on the path, with the former names of OpenClaw.
"""

from __future__ import annotations

import itertools
import re

# Sources: the install pages of each agent, and the program names that their releases carry.
AGENTS = frozenset(
    {
        *("openclaw", "clawdbot", "moltbot", "moldbot", "nanobot", "picoclaw", "zeroclaw", "nanoclaw", "ironclaw"),
        *("claude", "claude-code", "claude-agent-acp", "claude-code-acp", "codex", "codex-acp"),
        *("gemini", "gemini-cli", "agy", "antigravity", "qwen", "qwen-code"),
        *("hermes", "hermes-agent", "letta", "letta-code", "opencode", "crush", "goose", "goosed", "amp", "aider"),
        *("cursor-agent", "cline", "kilo", "kilocode", "kiro-cli", "kiro-cli-chat", "qchat", "droid"),
        *("copilot", "copilot-agent", "auggie", "junie", "kimi", "kimi-cli", "rovodev", "devin", "openhands"),
        *("plandex", "mini-swe-agent", "sweagent", "open-interpreter", "interpreter", "gptme", "cn", "codebuff"),
        *("pi-coding-agent", "grok-cli", "vibe", "forge-code", "oh-my-pi", "amazon-q", "trae-cli"),
    }
)

# The directory an agent's package lies in, where its script has a name that everybody uses ("cli.js").
_PACKAGES = frozenset(
    {
        *("claude-code", "codex", "gemini-cli", "qwen-code", "openclaw", "clawdbot", "moltbot", "opencode-ai"),
        *("pi-coding-agent", "letta-code", "amp", "copilot", "kilocode", "cline", "codebuff", "auggie"),
    }
)
_EXTENSION = re.compile(r"\.(?:[cm]?js|ts|py|pyz|exe|bin|appimage|sh)$", re.I)
# What a release hangs on to a name: openclaw-gateway, codex-x86_64-unknown-linux-musl, aider-chat, hermes_cli.main.
_PARTS = re.compile(
    r"[-_.](?:gateway|node|agent|cli|tui|server|daemon|worker|app|main|code|chat|acp|"
    r"x86_64|x64|arm64|aarch64|linux|darwin|unknown|musl|gnu|apple|windows|msvc|baseline|v?\d+(?:\.\d+)*)$",
    re.I,
)


_VERSION = re.compile(r"v?\d+(?:\.\d+)+(?:[-+.][0-9a-z.+-]*)?", re.I)
_PLACES = frozenset({"versions", "version", "releases", "release", "bin", "current", "dist", "libexec"})
_SCRIPT = re.compile(r"\.(?:[cm]?js|ts|py|sh)$", re.I)
# What a person may well call a script of their own; as a program it is the agent.
_EVERYBODYS = frozenset({"cn", "amp", "agy", "vibe", "crush", "goose", "droid", "copilot", "interpreter", "hermes"})


def is_agent(program_name: str) -> bool:
    """Whether a program's name (`watch.ancestry.Process.name`: the program, with its script for an
    interpreter: "node openclaw.mjs", "python -m aider") is that of a known agent."""
    return any(_is_known(word) for word in program_name.split())


def package_of(script: str) -> str:
    """The agent's package that a script lies in ("…/node_modules/@anthropic-ai/claude-code/cli.js"), or ""."""
    parts = script.replace("\\", "/").split("/")
    for above, name in itertools.pairwise(parts):
        if name in _PACKAGES and (above in ("node_modules", "site-packages", "dist-packages") or above[:1] == "@"):
            return name
    return ""


def program_of(path: str) -> str:
    """The name of a program at a path: its last part, or, of one that is called by its version
    ("…/claude/versions/2.1.3"), what that is a version of."""
    parts = [part for part in path.split("/") if part]
    named = (part for part in reversed(parts) if not _VERSION.fullmatch(part) and part not in _PLACES)
    last = parts[-1] if parts else ""
    return next(named, last) if _VERSION.fullmatch(last) else last


def _is_known(word: str) -> bool:
    whole = word.rpartition("/")[2].strip("()[]:,").lower()
    name = _EXTENSION.sub("", whole)
    is_script = name != whole and _SCRIPT.search(whole) is not None
    while name:
        if is_script and name in _EVERYBODYS:
            return False
        if name in AGENTS or name.replace("_", "-") in AGENTS:
            return True
        shorter = _PARTS.sub("", name)
        if shorter == name:
            return False
        name = shorter
    return False

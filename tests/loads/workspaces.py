"""A few directories as agents leave them: by name, relative path (`~/`: below the home) and bytes. Deterministic."""

from __future__ import annotations

from collections.abc import Callable

Files = dict[bytes, bytes]

_SENTENCE = "the gateway answers on the second port when the first is taken and says so in its log"
_WORDS = _SENTENCE.split()


def _line(number: int) -> str:
    return "- " + " ".join(_WORDS[(number * 7 + place * 3) % len(_WORDS)] for place in range(6 + number % 5))


def notes(title: str, sections: int, lines: int, year: int = 2026) -> str:
    """Dated sections of list items."""
    parts = [f"# {title}\n"]
    for number in range(sections):
        parts.append(f"## {year}-{number % 12 + 1:02}-{number % 27 + 1:02} note {number}\n")
        parts.append("\n".join(_line(number * lines + each) for each in range(lines)) + "\n")
    return "\n".join(parts)


def rules(sections: int) -> str:
    """Instructions with policy lines between plain ones."""
    parts = ["# Rules\n"]
    for number in range(sections):
        parts.append(f"## Part {number}\n\nPlain words about part {number} that nobody is bound by:\n")
        parts.append(f"Never push part {number} without a test.\n")
        parts.append("\n".join(_WORDS[(number + each) % len(_WORDS)] * 9 for each in range(12)) + "\n")
    return "\n".join(parts)


_NAMES = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md")


def _all(**texts: str) -> Files:
    """Every file that OpenClaw asks for, so that no marker names the directory."""
    return {name.encode(): texts.get(name[:-3], f"# {name}\n\nshort\n").encode() for name in _NAMES}


def tiny() -> Files:
    return {b"MEMORY.md": b"- one fact\n", b"AGENTS.md": b"Be brief.\n", b"CLAUDE.md": b"Be brief.\n"}


def typical() -> Files:
    files = _all(AGENTS=rules(8), SOUL="# Soul\n\nKind.\n", USER=notes("User", 2, 6), MEMORY=notes("Memory", 9, 12))
    files[b"CLAUDE.md"] = b"# Project\n\nSee @docs/style.md\n<!-- for people -->\n"
    files[b"docs/style.md"] = b"# Style\n"
    files[b"GEMINI.md"] = b"# Project\n"
    files[b".cursor/rules/all.mdc"] = b"---\nalwaysApply: true\n---\nShort names.\n"
    files[b".windsurf/rules/all.md"] = b"---\ntrigger: always_on\n---\nShort names.\n"
    files[b".github/copilot-instructions.md"] = b"Short names.\n"
    files[b"memories/MEMORY.md"] = "one\n§\ntwo\n".encode()
    files[b"memory/2026-01-01.md"] = b"- a day\n"
    files[b"~/.claude/CLAUDE.md"] = b"# Mine\n"
    files[b"~/.codex/AGENTS.md"] = b"# Mine\n"
    files[b"~/.gemini/GEMINI.md"] = b"# Mine\n"
    files[b"~/.own/deep/rules.md"] = b"See @more.md\n"
    files[b"~/.own/deep/more.md"] = b"More\n"
    return files


def others() -> Files:
    """What agents load that only look for files: rules by front matter, imports, names that a configuration gives."""
    files: Files = {b"AGENTS.md": b"# Rules\n\nSee @docs/style.md and @../outside.md\n", b"docs/style.md": b"# Style\n"}
    files |= {b"QWEN.md": b"@docs/style.md\n", b"GEMINI.md": b"gemini\n", b"CONTEXT.md": b"named\n"}
    files |= {b".gemini/settings.json": b'{"context": {"fileName": ["CONTEXT.md"]}, /* ours */}'}
    files |= {b"opencode.jsonc": b'{"instructions": ["docs/*.md", "https://example.org/x.md",],}'}
    for place in (b".agents/rules", b".agent/rules", b".devin/rules", b".windsurf/rules"):
        for trigger in (b"always_on", b"manual", b"glob"):
            files[place + b"/" + trigger + b".md"] = b"---\ntrigger: " + trigger + b"\n---\n" + b"word " * 2_500
    files |= {b".clinerules/a.md": b"---\npaths: src/**\n---\nx\n", b".clinerules/b.txt": b"x\n"}
    files |= {b".goosehints": b"@docs/style.md\n", b".goose/memory/work.txt": b"x\n", b".rules": b"zed\n"}
    files |= {b".github/instructions/all.instructions.md": b'---\napplyTo: "**"\n---\nx\n'}
    files |= {b".github/instructions/src.instructions.md": b"---\napplyTo: src/**\n---\nx\n"}
    files |= {b"system/human.md": b"---\ndescription: who\n---\nx\n", b"system/deep/x.md": b"x\n"}
    files |= {b"AGENT.md": b"pico\n", b"memory/MEMORY.md": notes("Memory", 40, 14).encode()}
    files |= {b"~/.copilot/copilot-instructions.md": b"mine\n", b"~/.config/goose/AGENTS.md": b"mine\n"}
    files |= {b"~/.config/amp/AGENTS.md": b"mine\n", b"~/.agents/AGENTS.md": b"mine\n", b"../outside.md": b"x\n"}
    files |= {b"~/.codeium/windsurf/memories/global_rules.md": "🚀".encode() * 6_001}
    return files


def people() -> Files:
    """OpenClaw with a hook that adds files, and the file of a person."""
    config = b'{hooks: {internal: {entries: {"bootstrap-extra-files": {paths: ["packages/*/*.md", "TOOLS.md"]}}}}}'
    files = _all(MEMORY=notes("Memory", 30, 14))
    files |= {b"../openclaw.json": config, b"users/ana/USER.md": notes("Ana", 12, 12).encode()}
    files |= {
        b"packages/a/AGENTS.md": rules(120).encode(),
        b"packages/b/NOTES.md": b"x\n",
        b"packages/b/SOUL.md": b"x\n",
    }
    return files


def oversize() -> Files:
    files = _all(AGENTS=rules(150), USER=notes("User", 12, 12), MEMORY=notes("Memory", 60, 14))
    files[b"CLAUDE.md"] = notes("Claude", 50, 20).encode()
    files[b".windsurfrules"] = rules(120).encode()
    files[b".cursorrules"] = rules(120).encode()
    files[b"memories/MEMORY.md"] = ("\n§\n".join(_line(each) for each in range(60))).encode()
    files[b"memories/USER.md"] = b"x" * 1_400
    return files


def starved() -> Files:
    long = {name: notes(name, 40, 11) for name in ("SOUL", "IDENTITY", "TOOLS")}
    return _all(AGENTS=rules(60), MEMORY=notes("Memory", 20, 10), **long)


_RULES = (
    *("Tone", "Deploys", "Reviews", "Secrets", "On call", "Databases", "Branches", "Releases", "Customers", "Invoices"),
    *("Names", "Errors", "Logging", "Tests", "Time zones", "Backups", "Accounts", "Tickets", "Meetings", "Languages"),
)
_NOTES = (
    *(
        "mail provider moved",
        "staging database renamed",
        "no deploys on Fridays",
        "invoice numbers",
        "port of the gateway",
    ),
    *("who is on call", "certificate renewed", "backups are weekly", "new office", "the flaky test", "tax rates"),
)


def pictured() -> Files:
    """What the readme shows: long rules, and a memory that gets what is left."""
    agents = "".join(
        f"## {name}\n\n" + "\n".join(map(_line, range(n, n + 34))) + "\n\n" for n, name in enumerate(_RULES)
    )
    notes_ = "".join(
        f"## 2026-{n % 9 + 1:02}-{n % 27 + 1:02} {_NOTES[n % len(_NOTES)]}\n\n"
        + "\n".join(map(_line, range(n, n + 14)))
        + "\n\n"
        for n in range(33)
    )
    return _all(
        AGENTS=f"# How we work\n\n{agents}",
        SOUL=notes("Who I am", 26, 13),
        IDENTITY=notes("Names", 19, 13),
        USER=notes("User", 5, 9),
        MEMORY=f"# Memory\n\n{notes_}",
    )


def wide() -> Files:
    """Chinese, Japanese, Arabic, emoji: characters of two units and of three and four bytes."""
    line = "- 网关在第二个端口应答 🚀 ゲートウェイは応答する البوابة تجيب 👩‍👩‍👧 é\n"
    memory = "# 记忆\n\n" + "".join(f"## 2026年{n % 12 + 1}月{n % 27 + 1}日 🚀\n\n{line * 9}\n" for n in range(40))
    agents = "# 规则\n\n" + "".join(f"第{n}条\n🔴 禁止在此子树使用共享账号 {n}\n普通的话\n\n" for n in range(900))
    files = _all(AGENTS=agents, MEMORY=memory)
    files[b"CLAUDE.md"] = memory.encode()
    files[b".windsurfrules"] = memory.encode()
    files[b"memories/MEMORY.md"] = memory.encode()
    return files


def windows() -> Files:
    """Line ends of Windows, a byte order mark, white space at the end, bytes that are no UTF-8."""
    memory = "\ufeff" + notes("Memory", 30, 14).replace("\n", "\r\n") + "\r\n \u00a0\u3000\r\n"
    files = _all(MEMORY=memory, AGENTS=rules(70).replace("\n", "\r\n"))
    files[b"USER.md"] = b"\xff\xfe caf\xe9 \xe2\x82 end\r\n"
    files[b"CLAUDE.md"] = memory.encode()
    return files


def frontmatter() -> Files:
    front = "---\ntype: project\nmodified: 2026-03-04\n---\n"
    files = _all(MEMORY=front + "<!-- kept by hand\nfor people -->\n" + notes("Memory", 20, 12))
    files[b"CLAUDE.md"] = (front + "<!-- secret -->\nRules\n").encode()
    files[b".claude/rules/a.md"] = b"---\npaths: src/**\n---\nscoped\n"
    files[b".claude/rules/b.md"] = b"---\ndescription: all\n---\nunscoped\n"
    files[b".cursor/rules/a.mdc"] = b"---\nglobs: src/**\nalwaysApply: false\n---\nscoped\n"
    return files


def hostile() -> Files:
    """Names that are nearly right, names that are no text, and headings that would steer a terminal."""
    files = _all(MEMORY="# \x1b[31mred\n\n## `$(reboot)` <script>\n\n" + notes("Memory", 50, 14))
    files.pop(b"SOUL.md")
    files |= {b"Soul.md": b"x\n", b"memory.md": b"old\n", b"MEMORY.md ": b"x\n", b"AGENTS.md\n": b"x\n"}
    files |= {b"caf\xe9.md": b"x\n", b".claude/rules/caf\xe9.md": b"x\n", b"CLAUDE.md": b"@caf\xc3\xa9.md\n"}
    files[b".cursor/rules/\xff\xfe.mdc"] = b"---\nalwaysApply: true\n---\nx\n"
    return files


WORKSPACES: dict[str, Callable[[], Files]] = {
    each.__name__: each
    for each in (tiny, typical, others, people, oversize, starved, pictured, wide, windows, frontmatter, hostile)
}

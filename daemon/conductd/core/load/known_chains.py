"""The agents that are known and whose loading is a chain of files with limits: as data.

Sources, as published between August and November 2026: the pages of Gemini CLI, Antigravity, Qwen Code, opencode,
Cursor, Windsurf, GitHub Copilot and VS Code, Cline, goose, Amp, Zed and Letta Code on instruction files, rules and
memory; the sources of zeroclaw, nanobot and picoclaw; the AGENTS.md standard. What a page does not say is a note.
"""

from __future__ import annotations

from conductd.core.load.chains import Chain, Moved, Setting, Step, When, Where
from conductd.core.load.limits import Limits
from conductd.model import Role

_NONE = "none is documented"
_IMPORTED = "what is imported stands in the place of its `@file`: it is shown after the file that names it"
_PERSONALITY = (
    *("SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md"),
    *("TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md"),
)
# The clones of OpenClaw keep its names, and mean the same by them.
_CLONES = (
    ("/HEARTBEAT.md", Role.REPLACEABLE),
    ("/BOOTSTRAP.md", Role.REPLACEABLE),
    ("/MEMORY.md", Role.CURATED),
    ("/USER.md", Role.CURATED),
    ("memory/MEMORY.md", Role.CURATED),
)


def _of_gemini(name: str, display: str, file: str, folder: str, program: str, package: str, *own: Step) -> Chain:
    settings = (f"{folder}/settings.json", f"~/{folder}/settings.json")
    return Chain(
        name,
        display,
        (file, folder),
        (
            Step(Where.HOME, (f"{folder}/{file}",), setting=Setting(settings, "context.fileName", below=f"{folder}/")),
            Step(Where.DOWN, (file,), setting=Setting(settings, "context.fileName")),
            *own,
        ),
        program=program,
        packages=(package,),
        limits=Limits(imports=5),
        notes=(
            "no limit is known",
            _IMPORTED,
            "files of directories below are loaded when a tool works there; extensions, and for a project its private"
            " memory, are not looked at",
        ),
        moved=(Moved(".gemini", "GEMINI_CLI_HOME", ".gemini"),),
        configured=_NONE,
    )


CHAINS: tuple[Chain, ...] = (
    _of_gemini(
        *("gemini-cli", "Gemini CLI", "GEMINI.md", ".gemini", "gemini", "@google/gemini-cli"),
        Step(Where.ROOT, ("MEMORY.md",), only="~/.gemini/tmp/*/memory", note="the private memory of a project"),
    ),
    _of_gemini("qwen-code", "Qwen Code", "QWEN.md", ".qwen", "qwen", "@qwen-code/qwen-code"),
    Chain(
        "antigravity",
        "Antigravity",
        (".agents/rules", ".agent/rules"),
        (
            Step(Where.HOME, (".gemini/GEMINI.md",)),
            Step(Where.ROOT, (".agents/rules/*.md",), when=When.WINDSURF),
            Step(Where.ROOT, (".agent/rules/*.md",), when=When.WINDSURF),
        ),
        limits=Limits(12_000),
        notes=(
            "12,000 characters a file; what becomes of more is not documented: it is shown as cut at the end",
            "how a rule says when it is loaded is not documented: it is read as in Windsurf (`trigger`)",
        ),
        configured="none: 12,000 characters of a file are fixed",
    ),
    Chain(
        "opencode",
        "opencode",
        ("opencode.json", "opencode.jsonc", ".opencode"),
        (
            Step(Where.UP, ("AGENTS.md", "CLAUDE.md"), first=True, once=True),
            Step(Where.HOME, (".config/opencode/AGENTS.md", ".claude/CLAUDE.md"), first=True, once=True),
            Step(
                Where.UP,
                (),
                setting=Setting(
                    (
                        *("~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc"),
                        *("opencode.json", "opencode.jsonc"),
                    ),
                    "instructions",
                    all=True,
                ),
            ),
        ),
        program="opencode",
        packages=("opencode-ai",),
        notes=(
            "no limit is documented; releases differ in whether one AGENTS.md is loaded or each of those above as well:"
            " the nearest is shown",
        ),
        moved=(
            Moved(".config/opencode", "OPENCODE_CONFIG_DIR", beside=True),
            Moved(".config/opencode", "XDG_CONFIG_HOME", "opencode"),
        ),
        configured=_NONE,
    ),
    Chain(
        "cursor",
        "Cursor",
        (".cursor/rules", ".cursorrules"),
        (
            Step(Where.ROOT, (".cursor/rules/**/*.mdc",), when=When.CURSOR),
            Step(Where.ROOT, (".cursorrules",)),
            Step(Where.ROOT, ("AGENTS.md",)),
            Step(Where.ROOT, ("CLAUDE.md",)),
            Step(Where.HOME, (".cursor/rules/**/*.mdc",), when=When.CURSOR),
        ),
        notes=(
            "under 500 lines a rule are advised, no limit is documented; team and account rules are no files",
            "an AGENTS.md of a directory below is combined with these when its files are worked on",
        ),
        configured=_NONE,
    ),
    Chain(
        "windsurf",
        "Windsurf",
        (".windsurf/rules", ".devin/rules", ".windsurfrules"),
        (
            Step(Where.SYSTEM, ("etc/devin/rules/*.md", "etc/windsurf/rules/*.md"), when=When.WINDSURF),
            Step(Where.HOME, (".codeium/windsurf/memories/global_rules.md",), limits=Limits(6_000)),
            Step(Where.DOWN, (".devin/rules/*.md",), when=When.WINDSURF),
            Step(Where.DOWN, (".windsurf/rules/*.md",), when=When.WINDSURF),
            Step(Where.ROOT, (".windsurfrules",)),
            Step(Where.ROOT, ("AGENTS.md",)),
        ),
        limits=Limits(12_000),
        notes=("memories made by Cascade are retrieved when they seem to fit, and are not counted here",),
        configured="none: 6,000 characters of the global rules and 12,000 of a rule are fixed",
    ),
    Chain(
        "copilot",
        "GitHub Copilot",
        (".github/copilot-instructions.md", ".github/instructions"),
        (
            Step(Where.HOME, (".copilot/copilot-instructions.md",)),
            Step(Where.ROOT, (".github/copilot-instructions.md",)),
            Step(Where.ROOT, (".github/instructions/**/*.instructions.md",), when=When.COPILOT),
            Step(Where.HOME, (".copilot/instructions/*.instructions.md",), when=When.COPILOT),
            Step(Where.ROOT, ("AGENTS.md",)),
            Step(Where.ROOT, ("CLAUDE.md",)),
            Step(Where.ROOT, ("GEMINI.md",)),
        ),
        program="copilot",
        packages=("@github/copilot",),
        limits=Limits(imports=5),
        notes=(
            "all of them are combined, none wins; no limit is documented, and not how deep `@file` imports go; a code"
            " review was once said to read the first 4,000 characters of a file",
            "not looked at: directories that COPILOT_CUSTOM_INSTRUCTIONS_DIRS names; what VS Code adds"
            " (.claude/rules, .claude/CLAUDE.md, CLAUDE.local.md, its own memory, of which 200 lines are loaded)",
        ),
        moved=(Moved(".copilot", "COPILOT_HOME"),),
        configured=_NONE,
    ),
    Chain(
        "cline",
        "Cline",
        (".clinerules", ".cline/rules"),
        (
            Step(Where.HOME, ("Documents/Cline/Rules/*.md", "Documents/Cline/Rules/*.txt"), when=When.CLINE),
            Step(Where.HOME, (".cline/rules/*.md", ".cline/rules/*.txt", ".agents/AGENTS.md"), when=When.CLINE),
            Step(Where.ROOT, (".clinerules", ".clinerules/*.md", ".clinerules/*.txt"), when=When.CLINE),
            Step(Where.ROOT, (".cline/rules/*.md", ".cline/rules/*.txt"), when=When.CLINE),
            Step(Where.ROOT, (".cursorrules",)),
            Step(Where.ROOT, (".windsurfrules",)),
            Step(Where.ROOT, ("AGENTS.md",)),
        ),
        program="cline",
        packages=("cline",),
        notes=(
            "no limit is documented, nor the order; rules can be switched off in Cline, which is not looked at",
            "the files of memory-bank/ are read by the model when it is told to, and are not loaded by themselves",
        ),
        roles=(("memory-bank/**/*.md", Role.TOPIC),),
        trees=("memory-bank",),
        configured=_NONE,
    ),
    Chain(
        "goose",
        "goose",
        (".goosehints", ".goose"),
        (
            Step(
                Where.HOME,
                (".config/goose/AGENTS.md", ".config/goose/.goosehints"),
                setting=Setting(variable="CONTEXT_FILE_NAMES", below=".config/goose/"),
            ),
            Step(Where.DOWN, ("AGENTS.md", ".goosehints"), setting=Setting(variable="CONTEXT_FILE_NAMES")),
            Step(Where.HOME, (".config/goose/memory/*.txt",), limits=Limits(), note="when the memory extension is on"),
            Step(Where.ROOT, (".goose/memory/*.txt",), limits=Limits(), note="when the memory extension is on"),
        ),
        limits=Limits(imports=3),
        notes=(
            "no limit is stated",
            _IMPORTED,
            "files of directories below are loaded when one there is touched",
        ),
        roles=((".goose/memory/*.txt", Role.TOPIC),),
        trees=(".goose/memory",),
        moved=(Moved(".config/goose", "XDG_CONFIG_HOME", "goose"),),
        configured=_NONE,
    ),
    Chain(
        "amp",
        "Amp",
        (".amp",),
        (
            Step(Where.HOME, (".config/amp/AGENTS.md",)),
            Step(Where.FROM_HOME, ("AGENTS.md", "CLAUDE.md"), first=True),
        ),
        program="amp",
        packages=("@sourcegraph/amp", "@ampcode/cli"),
        notes=(
            "whether there is a limit is not documented; files that are mentioned with @, and those of directories"
            " below, are not looked at",
        ),
        configured=_NONE,
    ),
    Chain(
        "zed",
        "Zed",
        (".rules", ".zed"),
        (
            Step(
                Where.ROOT,
                (
                    *(".rules", ".cursorrules", ".windsurfrules", ".clinerules", ".github/copilot-instructions.md"),
                    *("AGENT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"),
                ),
                first=True,
            ),
        ),
        notes=("no limit is documented; rules of the library of rules are no files of the project",),
        configured=_NONE,
    ),
    Chain(
        "letta-code",
        "Letta Code",
        (),
        (Step(Where.ROOT, ("system/**/*.md",)),),
        notes=(
            "only what is committed counts: shown is what lies in the directory",
            "of reference/ and skills/ the model sees the list, and reads them when it needs them",
        ),
        roles=(("system/**/*.md", Role.CURATED), ("reference/**/*.md", Role.TOPIC)),
        trees=("system", "reference"),
        find=("~/.letta/agents/*/memory",),
        configured="none: no limit of a file; /doctor warns of the tokens of all",
    ),
    Chain(
        "zeroclaw",
        "zeroclaw",
        (),
        (Step(Where.ROOT, _PERSONALITY),),
        limits=Limits(
            20_000,
            trim_start=True,
            trim_end=True,
            marker="\n\n[... {name} truncated at {limit} chars — use `read {name}` for full file]\n\n",
        ),
        notes=(
            "daily notes are recalled, not loaded; where memory lies in a database, MEMORY.md is not what is recalled",
            "a configured list of files (`bootstrap_files`) is not looked at",
        ),
        roles=_CLONES,
        find=("~/.zeroclaw/workspace",),
        configured="none: 20,000 characters of a file are fixed",
    ),
    Chain(
        "nanobot",
        "nanobot",
        (),
        (Step(Where.ROOT, ("AGENTS.md", "SOUL.md", "USER.md", "memory/MEMORY.md")),),
        program="nanobot",
        notes=(
            "nothing is cut; memory/history.jsonl (at most 50 entries, 8,000 tokens) is not counted",
            "not looked at: whether a file still is the template it was made from, which nanobot leaves out; newer"
            " sources load MEMORY.md only when it is recalled",
            "its nightly rewriting sees 8,000 characters of a file",
        ),
        roles=_CLONES,
        find=("~/.nanobot/workspace",),
        configured="none: files are loaded whole",
    ),
    Chain(
        "picoclaw",
        "picoclaw",
        (),
        (
            Step(Where.ROOT, ("AGENT.md", "AGENTS.md"), first=True),
            Step(Where.ROOT, ("SOUL.md", "USER.md", "IDENTITY.md", "memory/MEMORY.md")),
        ),
        program="picoclaw",
        notes=("nothing is cut; the daily notes of the last three days are loaded as well, and are not counted here",),
        roles=(*_CLONES, ("memory/*/*.md", Role.DAILY)),
        find=("~/.picoclaw/workspace",),
        configured="none: files are loaded whole",
    ),
    Chain(
        "agents-md",
        "AGENTS.md",
        ("AGENTS.md",),
        (Step(Where.DOWN, ("AGENTS.md",)),),
        notes=(
            "the standard has no limit; Codex takes 32,768 bytes of all together, or what its config.toml says: "
            "--agent codex",
        ),
        configured="none in the standard",
    ),
)

"""What the other agents load of a directory: Claude Code, Codex, Hermes, and those described as chains."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conductd.agents import loading
from conductd.core.load.loaded import Cause, Load, LoadedFile, Why
from conductd.core.load.openclaw_versions import Session


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.fixture
def root(home: Path) -> Path:
    made = home / "code" / "app"
    made.mkdir(parents=True)
    (home / "code" / ".git").mkdir()
    return made


def asked(agent: str, root: Path, home: Path, version: str = "", session: Session = Session.MAIN, **env: str) -> Load:
    loader = loading.named(agent)
    what = loading.Asked(str(root), version or loader.newest, session, {"HOME": str(home), **env}, str(home))
    return loader.load(what)


def put(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def loaded(found: Load) -> list[str]:
    """Without the directories of what is the person's own, not the project's."""
    own = (".codex/", ".hermes/", "/projects/", "/notes/")
    return [each.path.rpartition("/")[2] if any(o in each.path for o in own) else each.name for each in found.files]


def left(found: Load) -> dict[str, Why]:
    return {each.name.rpartition("/.codex/")[2]: each.why for each in found.left_out}


def of(found: Load, name: str) -> LoadedFile:
    return next(each for each in found.files if each.name == name or each.name.endswith(f"/memories/{name}"))


# ------------------------------------------------------------------ Claude Code


def memory_of(home: Path, root: Path, text: str) -> Path:
    name = "".join(c if c.isalnum() else "-" for c in str(root.parent))
    return put(home / ".claude" / "projects" / name / "memory" / "MEMORY.md", text)


def test_claude_code_loads_from_the_top_down(home: Path, root: Path) -> None:
    user = put(home / ".claude" / "CLAUDE.md", "user")
    above = put(root.parent / "CLAUDE.md", "above")
    for name in ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", ".claude/rules/b/a.md"):
        put(root / name, name)
    put(root / ".claude" / "rules" / "scoped.md", "---\npaths: src/**\n---\nx")
    memory_of(home, root, "- fact\n")
    found = asked("claude-code", root, home)
    names = [str(user), str(above), "CLAUDE.md", ".claude/CLAUDE.md", ".claude/rules/b/a.md", "CLAUDE.local.md"]
    assert loaded(found) == [*names, "MEMORY.md"]
    assert left(found) == {".claude/rules/scoped.md": Why.SCOPED}
    assert loaded(asked("claude-code", root, home, session=Session.SUBAGENT)) == names
    assert loaded(asked("claude-code", root, home, CLAUDE_CODE_DISABLE_AUTO_MEMORY="1")) == names
    assert loaded(asked("claude-code", root, home, CLAUDE_CODE_DISABLE_CLAUDE_MDS="1")) == ["MEMORY.md"]


def test_imports_go_four_hops(home: Path, root: Path) -> None:
    put(root / "CLAUDE.md", "@docs/1.md `@no.md`")
    put(root / "no.md", "x")
    for number in range(1, 7):
        put(root / "docs" / f"{number}.md", f"@{number + 1}.md @1.md")
    assert loaded(asked("claude-code", root, home)) == ["CLAUDE.md", *(f"docs/{n}.md" for n in range(1, 5))]


def test_an_import_from_outside_needs_approval(home: Path, root: Path) -> None:
    put(root / "CLAUDE.md", "@~/mine.md")
    outside = str(put(home / "mine.md", "x"))
    assert left(asked("claude-code", root, home)) == {outside: Why.OUTSIDE}
    put(home / ".claude.json", json.dumps({"projects": {str(root): {"hasClaudeMdExternalIncludesApproved": True}}}))
    assert loaded(asked("claude-code", root, home)) == ["CLAUDE.md", outside]


def test_a_file_over_four_mebibytes_is_skipped(home: Path, root: Path) -> None:
    put(root / "CLAUDE.md", b"x" * (4 * 1024 * 1024 + 1))
    assert left(asked("claude-code", root, home)) == {"CLAUDE.md": Why.TOO_LARGE}


@pytest.mark.parametrize(
    ("version", "has_other", "is_loaded"),
    [("2.1.276", False, False), ("2.1.277", False, True), ("2.1.277", True, False)],
)
def test_agents_md_stands_in_from_2_1_277_on(
    home: Path, root: Path, version: str, has_other: bool, is_loaded: bool
) -> None:
    put(root / "AGENTS.md", "x")
    if has_other:
        put(root / "CLAUDE.md", "x")
    assert ("AGENTS.md" in loaded(asked("claude-code", root, home, version))) is is_loaded


def test_the_memory_directory_itself_is_its_index(home: Path, root: Path) -> None:
    index = memory_of(home, root, "\n".join(f"- {n}" for n in range(300)))
    put(root / "CLAUDE.md", "x")
    found = asked("claude-code", index.parent, home)
    assert loaded(found) == ["MEMORY.md"]
    assert (found.files[0].causes, found.files[0].lines) == ((Cause.PER_FILE,), 300)
    ((loader, by), *_) = loading.guessed(str(index.parent), {}, str(home))
    assert (loader.name, by) == ("claude-code", "place")


def test_settings_move_and_exclude(home: Path, root: Path) -> None:
    put(root / "CLAUDE.md", "x")
    put(home / "notes" / "MEMORY.md", "- moved")
    settings = {"autoMemoryDirectory": "~/notes", "claudeMdExcludes": ["**/app/CLAUDE.md"]}
    put(root / ".claude" / "settings.json", json.dumps(settings))
    found = asked("claude-code", root, home)
    assert (loaded(found), left(found)) == (["MEMORY.md"], {"CLAUDE.md": Why.OTHER_FILE})


# ------------------------------------------------------------------ Codex


def test_codex_takes_one_file_of_each_directory(home: Path, root: Path) -> None:
    put(home / ".codex" / "AGENTS.md", "global " * 10_000)
    put(root.parent / "AGENTS.md", "root")
    put(root / "AGENTS.md", "shadowed")
    put(root / "AGENTS.override.md", "x" * 40_000)
    put(home / "AGENTS.md", "outside of the repository")
    found = asked("codex", root, home)
    assert loaded(found) == ["AGENTS.md", "../AGENTS.md", "AGENTS.override.md"]
    assert left(found) == {"AGENTS.md": Why.OTHER_FILE}
    assert (found.spent, found.limit) == (32_768, 32_768)
    assert of(found, "AGENTS.override.md").causes == (Cause.TOTAL,)


def test_codexs_own_instructions_take_nothing_of_a_projects_budget(home: Path) -> None:
    put(home / ".codex" / "AGENTS.md", "global " * 10_000)
    found = asked("codex", home / ".codex", home)
    assert [(Path(each.path).name, each.truncated, each.is_counted) for each in found.files] == [
        ("AGENTS.md", False, False)
    ]
    assert found.spent == 0


def test_codex_is_configured(home: Path, root: Path) -> None:
    put(root / "TEAM.md", "team")
    config = 'project_doc_max_bytes = 2\nproject_doc_fallback_filenames = ["TEAM.md"]\n[features]\nmemories = true\n'
    put(home / ".codex" / "config.toml", config)
    put(home / ".codex" / "memories" / "memory_summary.md", "v1\nsummary")
    found = asked("codex", root, home)
    assert [(each.name, each.text) for each in found.files] == [
        ("TEAM.md", "te"),
        (str(home / ".codex" / "memories" / "memory_summary.md"), "v1\nsummary"),
    ]
    put(home / ".codex" / "config.toml", "project_doc_max_bytes = 0")
    found = asked("codex", root, home)
    assert (loaded(found), left(found)) == ([], {"memories/memory_summary.md": Why.RETIRED})


# ------------------------------------------------------------------ Hermes


def test_hermes_loads_its_home_and_the_directory(home: Path, root: Path) -> None:
    put(home / ".hermes" / "SOUL.md", "soul")
    put(home / ".hermes" / "memories" / "MEMORY.md", "one\n§\n" + "x" * 2_300)
    put(home / ".hermes" / "config.yaml", "memory:\n  memory_char_limit: 2400 # more\n")
    put(root / "AGENTS.md", "y" * 20_001)
    put(root / ".cursor" / "rules" / "a.mdc", "rule")
    found = asked("hermes", root, home)
    assert loaded(found) == ["SOUL.md", "AGENTS.md", ".cursor/rules/a.mdc", "MEMORY.md"]
    assert of(found, "AGENTS.md").truncated
    assert (of(found, "MEMORY.md").own_limit, of(found, "MEMORY.md").note) == (2_400, "")
    alone = asked("hermes", home / ".hermes" / "memories", home)
    assert loaded(alone) == ["SOUL.md", "MEMORY.md"]


# ------------------------------------------------------------------ chains


@pytest.mark.parametrize(
    ("agent", "files", "names", "out"),
    [
        ("gemini-cli", ("GEMINI.md", "../GEMINI.md", "~/.gemini/GEMINI.md"), 3, {}),
        ("opencode", ("AGENTS.md", "CLAUDE.md", "../AGENTS.md"), 1, {Why.OTHER_FILE}),
        ("opencode", ("~/.config/opencode/AGENTS.md", "~/.claude/CLAUDE.md"), 1, {Why.OTHER_FILE}),
        ("cursor", (".cursor/rules/a.mdc", ".cursor/rules/b.md", ".cursorrules", "AGENTS.md"), 2, {Why.SCOPED}),
        ("windsurf", (".windsurf/rules/a.md", "AGENTS.md", "../.devin/rules/b.md"), 3, {}),
        ("copilot", (".github/copilot-instructions.md", ".github/instructions/x/a.instructions.md"), 1, {Why.SCOPED}),
        ("agents-md", ("AGENTS.md", "../AGENTS.md"), 2, {}),
    ],
)
def test_the_others_load_what_their_pages_say(
    home: Path, root: Path, agent: str, files: tuple[str, ...], names: int, out: set[Why]
) -> None:
    for name in files:
        put(home / name[2:] if name.startswith("~/") else root / name, "text")
    found = asked(agent, root, home)
    assert len(found.files) == names
    assert set(left(found).values()) == set(out)


def test_rules_say_when_they_are_loaded(home: Path, root: Path) -> None:
    put(root / ".cursor/rules/a.mdc", "---\nalwaysApply: true\n---\nx")
    assert loaded(asked("cursor", root, home)) == [".cursor/rules/a.mdc"]
    put(root / ".windsurf/rules/a.md", "---\ntrigger: manual\n---\nx")
    assert left(asked("windsurf", root, home)) == {".windsurf/rules/a.md": Why.SCOPED}
    put(root / ".github/instructions/a.instructions.md", '---\napplyTo: "**"\n---\nx')
    assert loaded(asked("copilot", root, home)) == [".github/instructions/a.instructions.md"]


def test_windsurf_cuts_at_the_end(home: Path, root: Path) -> None:
    put(root / ".windsurfrules", "x" * 12_001)
    put(home / ".codeium/windsurf/memories/global_rules.md", "😀" * 6_001)
    found = asked("windsurf", root, home)
    assert [each.injected for each in found.files] == [6_000, 12_000]
    assert all(each.causes == (Cause.PER_FILE,) for each in found.files)


@pytest.mark.parametrize(
    ("files", "agent"),
    [
        (("SOUL.md", "CLAUDE.md"), "openclaw"),
        (("MEMORY.md", "AGENTS.md"), "openclaw"),
        (("MEMORY.md", "CLAUDE.md"), "claude-code"),
        (("memories/MEMORY.md", "SOUL.md"), "hermes"),
        (("AGENTS.md",), "agents-md"),
        (("AGENTS.override.md", "AGENTS.md"), "codex"),
        (("GEMINI.md",), "gemini-cli"),
        ((".cursor/rules/a.mdc",), "cursor"),
        (("README.md",), None),
    ],
)
def test_an_agent_is_told_by_its_directory(home: Path, root: Path, files: tuple[str, ...], agent: str | None) -> None:
    for name in files:
        put(root / name, "x")
    found = loading.guessed(str(root), {}, str(home))
    assert (found[0][0].name if found else None) == agent


@pytest.mark.parametrize("loader", loading.LOADERS, ids=lambda each: each.name)
def test_hostile_directories_raise_nothing(loader: loading.Loader, home: Path, root: Path) -> None:
    for name in ("CLAUDE.md", "AGENTS.md", "MEMORY.md", "GEMINI.md", ".cursorrules", "SOUL.md", ".windsurfrules"):
        (root / name).symlink_to(name)
    for name in (".cursor", ".claude", ".github", ".windsurf"):
        (root / name).symlink_to("..")
    put(home / ".codex" / "config.toml", b"\xff[[")
    put(home / ".claude" / "settings.json", b"[[[")
    put(home / ".openclaw" / "openclaw.json", b"\0{")
    assert asked(loader.name, root, home).injected >= 0
    assert asked(loader.name, root / "nowhere", home).injected >= 0

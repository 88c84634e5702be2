"""Which files are protected, and what for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.roles import classify, is_throw_away
from conductd.model import Role


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("MEMORY.md", Role.CURATED),
        ("memory.md", Role.CURATED),
        ("Memory.MD", Role.CURATED),
        ("USER.md", Role.CURATED),
        ("memory/MEMORY.md", Role.CURATED),
        ("memory/2026-03-08.md", Role.DAILY),
        ("memory/2026-03-08-deploy.md", Role.DAILY),
        ("memory/archive/2025-10/2025-10-01.md", Role.DAILY),
        ("memory/20260308.md", Role.TOPIC),
        ("memory/preferences.md", Role.TOPIC),
        ("memory/人々.md", Role.TOPIC),
        ("memory/deep/er/notes.md", Role.TOPIC),
        ("AGENTS.md", Role.INSTRUCTIONS),
        ("CLAUDE.md", Role.INSTRUCTIONS),
        ("CLAUDE.local.md", Role.INSTRUCTIONS),
        (".claude/CLAUDE.md", Role.INSTRUCTIONS),
        (".claude/rules/tests.md", Role.INSTRUCTIONS),
        (".github/copilot-instructions.md", Role.INSTRUCTIONS),
        (".cursor/rules/style.mdc", Role.INSTRUCTIONS),
        ("SOUL.md", Role.INSTRUCTIONS),
        ("IDENTITY.md", Role.INSTRUCTIONS),
        ("TOOLS.md", Role.INSTRUCTIONS),
        ("GEMINI.md", Role.INSTRUCTIONS),
        ("HEARTBEAT.md", Role.REPLACEABLE),
        ("BOOTSTRAP.md", Role.REPLACEABLE),
        ("SESSION_HANDOFF.md", Role.REPLACEABLE),
        ("TASKS.md", Role.REPLACEABLE),
        ("TODO.md", Role.REPLACEABLE),
        ("README.md", None),
        ("draft.md", None),
        ("src/main.py", None),
        ("pkg/AGENTS.md", None),
        ("memory/data.json", None),
        ("memory", None),
        (".#MEMORY.md", None),
        ("MEMORY.md~", None),
        ("memory/.#2026-03-08.md", None),
        ("memory/notes.md.swp", None),
        (".MEMORY.md.swp", None),
        (".goutputstream-Q7X2TZ", None),
        ("4913", None),
        ("MEMORY.md.tmp-4711", None),
        ("memory/x.tmp.md", None),
        (".git/MEMORY.md", None),
        ("memory/.git/x.md", None),
        (".openclaw-repair/root-memory/memory.md", None),
        ("", None),
    ],
)
def test_the_general_table(path: str, role: Role | None) -> None:
    assert classify(path.encode()) is role


def test_configured_globs_come_first_then_the_profile() -> None:
    profile = (("/MEMORY.md", Role.CURATED), ("**/*.md", Role.TOPIC))
    extra = (("memory_summary.md", Role.REPLACEABLE),)
    assert classify(b"notes.md", profile) is Role.TOPIC
    assert classify(b"MEMORY.md", profile) is Role.CURATED
    assert classify(b"memory/memory_summary.md", profile, extra) is Role.REPLACEABLE
    assert classify(b"docs/claude/one.md", (), (("docs/**/*.md", Role.INSTRUCTIONS),)) is Role.INSTRUCTIONS


def test_nothing_makes_a_passing_file_protected() -> None:
    everything = (("**", Role.CURATED),)
    for path in (b"MEMORY.md~", b".git/config.md", b".#MEMORY.md", b"memory/.openclaw-repair/x.md"):
        assert classify(path, everything, everything) is None


@given(st.binary(max_size=40))
def test_any_bytes_are_a_path(path: bytes) -> None:
    classify(path)
    classify(b"memory/" + path + b".md")


@pytest.mark.parametrize(
    "path",
    [
        "MEMORY.md.bak",
        "MEMORY.md~",
        "MEMORY.bak.md",
        "MEMORY.md.old",
        "MEMORY.md.bak.2",
        "MEMORY.md.bak-20260301",
        "MEMORY_backup.md",
        "MEMORY.md.orig",
        "old/MEMORY.md.save",
        "tmp/notes.md",
        ".trash/MEMORY.md",
        "tmp.txt",
        "temp-notes.md",
        "notes.tmp",
        "backups/a.md",
        "MEMORY.md.1",
        "MEMORY.md.2026-03-01",
        "MEMORY(1).md",
        "MEMORY-old.md",
        "#MEMORY.md#",
        "node_modules/a.md",
        "memory/MEMORY - Copy.md",
        "MEMORY - Copy (2).md",
        "MEMORY - Kopie.md",
        "MEMORY – Kopie (3).md",
        "MEMORY - Copie.md",
        "MEMORY - copia.md",
        "MEMORY - C\u00f3pia.md",
        "MEMORY - Co\u0301pia.md",
        "MEMORY - Kopia.md",
        "MEMORY - Kopi.md",
        "MEMORY - Копия.md",
        "MEMORY - コピー.md",
        "MEMORYのコピー 2.md",
        "MEMORY - 副本.md",
        "MEMORY 拷贝.md",
        "MEMORY - 복사본.md",
        "MEMORY - نسخة.md",
        "MEMORY - עותק.md",
        "MEMORY (Kopie).md",
        "MEMORY (weitere Kopie).md",
        "MEMORY (3rd copy).md",
        "MEMORY（副本）.md",
        "Kopie von MEMORY.md",
        "Copia de MEMORY.md",
        "Копия MEMORY.md",
    ],
)
def test_a_copy_kept_for_a_while_is_no_home(path: str) -> None:
    assert is_throw_away(path.encode())


@pytest.mark.parametrize(
    "path",
    [
        "archive.md",
        "memory/2026-03-01.md",
        "notes.txt",
        "archive/2026.md",
        "old/notes.md",
        "MEMORY-2026.md",
        "template.md",
        "temperature.md",
        "household.md",
        "backup-plan.txt",
        "copyright.md",
        "attempt.md",
        "contemporary/notes.md",
        "USER.md",
        "v1.2.md",
        "kopi.md",
        "kedai-kopi.md",
        "kopia setup.md",
        "copywriting.md",
        "photocopy.md",
        "notes-on-copy-editing.md",
        "コピー機.md",
        "副本.md",
        "副本攻略.md",
        "копирование.md",
    ],
)
def test_another_text_is_a_home(path: str) -> None:
    assert not is_throw_away(path.encode())

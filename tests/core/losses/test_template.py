"""Templates over content, content over templates, and sheets of fields."""

from __future__ import annotations

import pytest

from conductd.model import Action, EventClass
from scenarios.texts import memory
from support.cases import judged

OLD = memory(3, 4, 29)
USER = """# About your human

_Learn about the person you're helping. Update this as you go._

- **Name:**
- **What to call them:**
- **Pronouns:** _(optional)_
- **Timezone:**

## Context

_(What do they care about? Build this over time.)_

---

The more you know, the better you can help.
"""
IDENTITY = """# Who am I?

_Fill this in during your first conversation. Make it yours._

- **Name:**
  _(pick something you like)_
- **Vibe:**
  _(how do you come across? sharp? warm? calm?)_
- **Avatar:**
  _(workspace-relative path, http(s) URL, or data URI)_

---

This is the start of figuring out who you are.
"""
TEMPLATES = [
    USER,
    IDENTITY,
    "# Memory bank\n\n<project overview goes here>\n\n<what you are working on>\n\n- [ ] Task 1\n- [ ] Task 2\n",
    "# Notes\n\n> Add notes below this line.\n\n- \n- \n- \n",
    "Name: [your name]\nTimezone: TBD\nLanguage: (language)\n",
    "# Memory\n\nAdd your notes here.\n",
    "# Memory\n\n## People\n[Who matters]\n\n## Work\n[What to remember]\n",
    "# Project\n\n<!-- Describe your project here -->\n\n- Build: `[command]`\n"
    "- Test: `[command]`\n\n## Style\n- [your rules]\n",
    "# Memory\n\n- Name: [your name]\n- City: [your city]\n- Job: TBD\n",
    "# Memory\n\n*Nothing recorded yet. Add what you learn here.*\n",
    "# Speicher\n\nHier deine Notizen eintragen.\n",
    "# Mémoire\n\nAjoutez vos notes ici.\n",
    "# 记忆\n\n在此添加笔记。\n",
    "# メモ\n\nここにメモを追加してください\n",
    "# 메모\n\n여기에 메모를 작성하세요\n",
]


@pytest.mark.parametrize("new", TEMPLATES)
@pytest.mark.parametrize("path", [b"USER.md", b"AGENTS.md", b"memory/2026-03-08.md"])
def test_a_template_over_content_is_taken_back(path: bytes, new: str) -> None:
    verdict = judged(path, OLD, new)
    assert (verdict.event_class, verdict.action) == (EventClass.OVERWRITE, Action.REVERT)
    assert verdict.rule in ("template", "stand-in")


@pytest.mark.parametrize("old", TEMPLATES)
def test_a_template_gives_way_to_anything(old: str) -> None:
    assert judged(b"USER.md", old, OLD).action is Action.RECORD


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            USER,
            "# About your human\n\n- **Name:** Anna Berger\n- **What to call them:** Anna\n- **Pronouns:** she/her\n"
            "- **Timezone:** Europe/Berlin\n\n## Context\n\nShe cares about her garden and the two cats.\n",
        ),
        ("- Name: [your name]\n- City: [your city]\n- Job: TBD\n", "- Name: Kim\n- City: Oslo\n- Job: baker\n"),
        ("Add your notes here.\n", "- Kim likes tea and lives in Oslo\n"),
        (
            "<!-- Describe your project here -->\n\n[your style rules]\n",
            "A small shop for bicycles.\n\nTabs, never spaces.\n",
        ),
        (
            IDENTITY,
            "# Who am I?\n\n- **Name:** Pim\n- **Vibe:** warm and quick\n- **Avatar:** avatars/pim.png\n",
        ),
        ("Name: [your name]\nTimezone: TBD\n", "Name: Kim\nTimezone: Europe/Oslo\n"),
        ("**Name**: ___\n**City**: ___\n", "**Name**: Kim\n**City**: Oslo\n"),
        ("| Field | Value |\n|---|---|\n| Name | [name] |\n", "| Field | Value |\n|---|---|\n| Name | Kim |\n"),
        (
            "- Role: <role, e.g. baker>\n- Notes: <anything else worth knowing>\n",
            "- Role: baker\n- Notes: allergic to nuts\n",
        ),
        ("名前：（未記入）\n住所：（未記入）\n", "名前：田中\n住所：大阪市北区\n"),
        ("- 姓名：（待填写）\n- 城市：[你的城市]\n", "- 姓名：张伟\n- 城市：上海\n"),
    ],
)
def test_filling_in_loses_nothing(old: str, new: str) -> None:
    assert judged(b"USER.md", old, new).action is Action.RECORD


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "- Put the spare key below the pot\n- Write your mother every Sunday\n- Allergy: *peanuts and shellfish*\n",
            "- no\n",
        ),
        ("*Mara is allergic to nuts*\n\n<!-- the door code is kept by Omar and Lena -->\n", "- the weather was fine\n"),
        ("- Backup: (Mara has the key and Chen knows the code)\n- Phone: (555) 0134\n", "- Backup:\n- Phone:\n"),
        ("- [call the bank about the mortgage on Friday]\n- [renew the passport of both kids]\n", "- nothing\n"),
    ],
)
def test_notes_that_look_like_hints_are_lost_when_they_are(old: str, new: str) -> None:
    assert judged(b"MEMORY.md", f"# Notes\n\n{old}", f"# Notes\n\n{new}").action is not Action.RECORD


@pytest.mark.parametrize(
    "new",
    [
        "# Rules\n\n- Write your tests in this directory first\n"
        "- Add a line for every change you make\n- Never edit it by hand\n",
        "# How to work\n\nYou are a careful engineer. You write tests before code.\n\n"
        "You never push without a review.\n",
        "# Notes\n\n*Mara called at noon about the lease*\n\n*Omar is ill until Thursday, ask Lena*\n",
        "# Notes\n\n- Name: Kim Berger\n- City: Oslo in the north\n- Job: [asked twice, no answer]\n",
    ],
)
def test_real_text_is_no_template(new: str) -> None:
    verdict = judged(b"MEMORY.md", OLD, new)
    assert (verdict.action, verdict.rule) == (Action.MERGE, "mostly-lost")


# --------------------------------------------------------------------------- fields

SHEET = "# Kim\n\n- City: Oslo\n- Job: baker\n- Phone: 555 0134\n- Language: Norwegian\n- Pet: cat\n"


@pytest.mark.parametrize(
    "new",
    [
        SHEET.replace("Oslo", "Bergen").replace("baker", "teacher").replace("cat", "two dogs"),
        SHEET.replace("City: Oslo", "City: lives in Bergen by the sea since June"),
        SHEET.replace("- ", "* ").replace("Oslo", "Bergen"),
    ],
)
def test_another_value_is_an_update(new: str) -> None:
    assert judged(b"USER.md", SHEET, new).action is Action.RECORD


def test_other_values_throughout_are_asked_about() -> None:
    new = "# Kim\n\n- City: Bergen\n- Job: teacher\n- Phone: 777 9999\n- Language: English\n- Pet: dog\n"
    verdict = judged(b"USER.md", SHEET, new)
    assert (verdict.action, verdict.rule) == (Action.PROPOSE, "other-values")


def test_a_field_that_is_emptied_or_gone_is_lost() -> None:
    emptied = "# Kim\n\n- City:\n- Job:\n- Phone:\n- Language:\n- Pet:\n"
    for new in (emptied, "# Kim\n\n- City: Oslo\n"):
        assert judged(b"USER.md", SHEET, new).action is not Action.RECORD


# --------------------------------------------------------------------------- hints that made way

FILLED = {
    "en": (
        "# User\n\n_Write down what is worth keeping._\n\n**Name:**\n**City:**\n\n## Notes\n\n"
        "_(What do they care about? Add it over time.)_\n",
        "# User\n\n**Name:** Ingrid Lund\n**City:** Trondheim\n\n## Notes\n\n- Backups go to birch with restic\n",
    ),
    "de": (
        "# Person\n\n_Hier steht, was bleiben soll._\n\n- **Name:**\n- **Ort:**\n\n## Notizen\n\n"
        "_(Was ist ihr wichtig? Nach und nach ergänzen.)_\n",
        "# Person\n\n- **Name:** Käthe\n- **Ort:** Lübeck\n\n## Notizen\n\n- Sicherungen gehen mit restic auf birch\n",
    ),
    "zh": (
        "# 用户\n\n*值得保留的事情记下来。*\n\n- **姓名：**\n- **城市：**\n\n## 笔记\n\n*（在意什么。以后慢慢补充）*\n",
        "# 用户\n\n- **姓名：**王芳\n- **城市：**杭州\n\n## 笔记\n\n- 备份用 restic 存到 birch\n",
    ),
    "ja": (
        "# 利用者\n\n_残したいことを書く。_\n\n- **名前：**\n\n## メモ\n\n_（何を大切にしているか。）_\n",
        "# 利用者\n\n- **名前：**鈴木\n\n## メモ\n\n- バックアップは birch に取る\n",
    ),
    "fr": (
        "# Personne\n\n_Ce qui mérite d'être gardé._\n\nNom :\n\n## Notes\n\n_(Ce qui compte pour elle.)_\n",
        "# Personne\n\nNom : Zoé Petit\n\n## Notes\n\n- Les sauvegardes vont sur birch\n",
    ),
    "hints alone": (
        "# User\n\n_Whatever is worth keeping._\n\n## Notes\n\n_(What do they care about?)_\n",
        "# User\n\n## Notes\n\n- Backups go to birch with restic\n",
    ),
    "table": (
        "# User\n\n<!-- whatever is worth keeping -->\n\n| Name | |\n|---|---|\n| City | |\n\n## Notes\n",
        "# User\n\n| Name | Ingrid |\n|---|---|\n| City | Trondheim |\n\n## Notes\n\n- Backups go to birch\n",
    ),
    "brackets": (
        "# User\n\n[Write down what is worth keeping about them]\n\nName:\nCity:\n\n[What do they care about]\n",
        "# User\n\nName: Ingrid\nCity: Trondheim\n\n- Backups go to birch with restic\n",
    ),
    "partly filled": (
        "# User\n\n- **Name:** Ingrid Lund\n- **City:**\n\n## Notes\n\n_(What do they care about? Add over time.)_\n",
        "# User\n\n- **Name:** Ingrid Lund\n- **City:** Trondheim\n\n## Notes\n\n- Backups go to birch with restic\n",
    ),
}


@pytest.mark.parametrize("name", FILLED)
def test_hints_that_made_way_are_no_loss(name: str) -> None:
    before, after = FILLED[name]
    assert judged(b"USER.md", before, after).action is Action.RECORD


@pytest.mark.parametrize("name", FILLED)
def test_what_was_filled_in_is_a_loss(name: str) -> None:
    before, after = FILLED[name]
    assert judged(b"USER.md", after, before).action is not Action.RECORD


def test_notes_in_italics_are_no_hints() -> None:
    old = "# User\n\n_Never deploy on Friday evening without Anna._\n\n- Tea in the morning\n\n_Backups go to birch._\n"
    assert judged(b"USER.md", old, "# User\n\n- Tea in the morning\n").action is not Action.RECORD

"""A line that stands for the rest: what it stood for comes back where it stands, and what is new stays."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.judging.judge import judge
from conductd.core.losses.elision import is_elision
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.core.reading.entries import entries
from conductd.model import Action, EventClass
from scenarios.texts import ids_of, memory
from support.cases import Bytes, case, judged

RULES = """# Rules

## Build
- run make check first
- never push to main

## Deploy
- the wrapper lives in tools
- deploy on Tuesday only
- ask Mara before release

## People
- Omar owns billing now
- Lena reviews the docs
"""
NEW = "- use the new wrapper today"
LINES = [
    "(... the earlier sections stay as they were ...)",
    "[rest unchanged]",
    "<!-- existing content -->",
    "// ... existing code ...",
    "...",
    "- … (9 more entries)",
    "> same as before",
    "## (other sections unchanged)",
    "*(previous notes omitted for brevity)*",
    "```\n// ... rest of the file ...\n```",
    "<!--\n... keep existing content ...\n-->",
    "| ... | ... |",
    "(… bleibt …)",
    "（其余内容不变）",
    "残りは変更なし",
    "(나머지 내용 동일)",
    "[... المحتوى السابق كما هو ...]",
    "(le reste du fichier est inchangé)",
    "(остальное без изменений)",
    "(kalanı aynı)",
    "(बाकी सामग्री अपरिवर्तित)",
]


def outcome(old: Bytes, new: Bytes, path: bytes = b"MEMORY.md", **more: Any) -> str:
    the_case = case(path, old, new, **more)
    verdict = judge(the_case, Policy())
    assert (verdict.event_class, verdict.action) == (EventClass.PLACEHOLDER, Action.MERGE), verdict
    data = target(the_case, verdict, Policy())
    assert data is not None
    return data.decode()


def kept(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("-")]


# --------------------------------------------------------------------------- where it stands


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("path", [b"MEMORY.md", b"CLAUDE.md", b"memory/2026-03-08.md"])
def test_at_the_end(line: str, path: bytes) -> None:
    assert outcome(RULES, f"# Rules\n\n## Build\n{NEW}\n\n{line}\n", path) == RULES.replace(
        "## Build\n", f"## Build\n{NEW}\n"
    )


@pytest.mark.parametrize("line", LINES)
def test_at_the_beginning(line: str) -> None:
    end = "## Travel\n- the flight leaves at noon\n"
    assert outcome(RULES, f"# Rules\n\n{line}\n\n{end}") == f"{RULES}\n{end}"


@pytest.mark.parametrize("line", LINES)
def test_between_what_was_kept(line: str) -> None:
    start, end = RULES.split("## Deploy")[0], "## People" + RULES.split("## People")[1]
    added = "- Kim joined the team yesterday\n"
    assert outcome(RULES, f"{start}{line}\n\n{end}{added}") == RULES + added


def test_each_of_several_has_its_own_region() -> None:
    new = """# Rules

## Build
- run make check first
- ...

## Deploy
- the wrapper lives in tools
- (rest unchanged)
- rollback needs two people now

## People
…
"""
    merged = outcome(RULES, new)
    assert merged == RULES.replace("Mara before release\n", "Mara before release\n- rollback needs two people now\n")


def test_inside_one_section_it_is_the_rest_of_that_section() -> None:
    new = RULES.replace("- deploy on Tuesday only\n- ask Mara before release\n", "[remaining entries unchanged]\n")
    assert outcome(RULES, new) == RULES


def test_a_neighbour_in_other_words_is_a_neighbour() -> None:
    new = RULES.replace("- run make", "- always run make").replace("- never push to main\n", "[rest unchanged]\n")
    assert outcome(RULES, new) == RULES.replace("- run make", "- always run make")


def test_what_had_another_place_goes_back_there() -> None:
    new = RULES.replace("- never push to main\n", "").replace(
        "- deploy on Tuesday only\n- ask Mara before release\n", "…\n"
    )
    assert outcome(RULES, new) == RULES


def test_a_line_right_below_an_item_is_no_part_of_it() -> None:
    new = f"# Rules\n\n## Build\n{NEW}\n(rest unchanged)\n"
    assert kept(outcome(RULES, new)) == [NEW, *kept(RULES)]


def test_notes_without_markers_are_filled_line_by_line() -> None:
    old = "User likes green tea\nUser lives in Berlin\nUser has two cats\nUser works at night\n"
    new = "User likes green tea\n... (rest unchanged)\nUser works at night\nUser bought a bike\n"
    assert outcome(old, new) == old + "User bought a bike\n"


def test_code_is_filled_line_by_line() -> None:
    old = (
        "# S\n\n```python\ndef a():\n    return 1\n\ndef b():\n    return 2\n\ndef c():\n    return 3\n```\n\n- note\n"
    )
    new = old.replace("    return 1\n\ndef b():\n    return 2\n", "    return 11\n\n# ... existing code ...\n")
    assert outcome(old, new) == old.replace("return 1\n", "return 11\n")


@pytest.mark.parametrize("end", [" (unchanged)", " ...", "（内容不变）", " [restliche Regeln unverändert]"])
def test_a_heading_says_it_for_its_section(end: str) -> None:
    deploy = RULES.partition("## Deploy\n")[2].partition("\n## People")[0]
    merged = outcome(RULES, RULES.replace(f"## Deploy\n{deploy}", f"## Deploy{end}\n"))
    assert kept(merged) == kept(RULES)
    assert "## Deploy\n" in merged


def test_an_item_says_it_for_those_after_it() -> None:
    rest = "- deploy on Tuesday only\n- ask Mara before release\n"
    new = RULES.replace(f"tools\n{rest}", "tools ... (rest unchanged)\n")
    assert outcome(RULES, new) == RULES


def test_a_table_stays_one() -> None:
    old = "# T\n\n| host | port |\n|---|---|\n| alpha | 80 |\n| beta | 81 |\n| gamma | 82 |\n| delta | 83 |\n"
    new = old.replace("| beta | 81 |\n| gamma | 82 |\n", "| ... | ... |\n") + "| epsilon | 84 |\n"
    assert outcome(old, new) == old + "| epsilon | 84 |\n"


def test_line_ends_and_front_matter_stay() -> None:
    head = "---\nname: rules\ntags: [a, b]\n---\n"
    old = (head + RULES).replace("\n", "\r\n")
    new = f"{head}# Rules\n\n(rest unchanged)\n\n{NEW}\n".replace("\n", "\r\n")
    assert outcome(old, new) == old + f"{NEW}\r\n"


# --------------------------------------------------------------------------- when it is none


@pytest.mark.parametrize(
    "new",
    [
        RULES + "- never write `// ... existing code ...` into a file\n",
        RULES + "\n[rest unchanged]\n",
        RULES + "- ...\n",
        RULES.replace("- never push to main\n", "- Rest of the team unchanged: Mara leads\n"),
        RULES.replace("- never push to main\n", "- see existing content in the wiki\n"),
        RULES.replace("- never push to main\n", "") + "\n```js\n// ... existing code ...\nfoo()\n```\n",
        RULES.replace("- never push to main\n", "") + "\n(older entries archived in memory/archive.md)\n",
    ],
)
def test_nothing_is_written(new: str) -> None:
    assert judged(b"MEMORY.md", RULES, new).action in (Action.RECORD, Action.PROPOSE)
    assert judged(b"MEMORY.md", memory(4, 8, 3) + RULES, memory(4, 8, 3) + new).action is Action.RECORD


def test_a_line_that_stood_there_before_stands_for_nothing_now() -> None:
    old = RULES + "\n[rest unchanged]\n"
    assert (
        judged(b"MEMORY.md", old, old.replace("- never push to main\n", "")).event_class is not EventClass.PLACEHOLDER
    )


def test_entries_that_went_to_another_file_stay_there() -> None:
    deploy = RULES.partition("## Deploy\n")[2].partition("\n## People")[0]
    new = RULES.replace(deploy, "- (rest unchanged)\n")
    assert judged(b"MEMORY.md", RULES, new, elsewhere={b"memory/deploy.md": deploy}).action is Action.RECORD


@pytest.mark.parametrize(
    "note", ["(older entries removed)", "[moved to memory/2026.md]", "（旧条目已归档）", "(ältere gelöscht)"]
)
def test_a_note_of_a_removal_is_believed(note: str) -> None:
    old = memory(4, 8, 3)
    new = "\n".join(old.split("\n")[:24]) + f"\n{note}\n"
    assert judged(b"MEMORY.md", old, new).action is Action.PROPOSE


def test_dots_for_one_entry_are_asked_about() -> None:
    old = "# A\n- one two three\n- four five six seven\n- eight nine ten\n"
    verdict = judged(b"MEMORY.md", old, old.replace("- four five six seven\n", "- ...\n"))
    assert (verdict.event_class, verdict.action) == (EventClass.PLACEHOLDER, Action.PROPOSE)


@pytest.mark.parametrize(
    "new", ["# Rules\n\n[rest unchanged]\n", "# Rules\n\n## Build\n(unchanged)\n\n## Deploy\n(unchanged)\n"]
)
def test_a_text_that_only_stands_for_another_is_an_overwrite(new: str) -> None:
    verdict = judged(b"MEMORY.md", RULES, new)
    assert (verdict.event_class, verdict.action) == (EventClass.OVERWRITE, Action.REVERT)


@pytest.mark.parametrize("line", ["- ...", "…", "- etc.", "(continued)"])
def test_dots_beside_a_clean_up_are_asked_about(line: str) -> None:
    old = memory(5, 4, 41)
    cleaned = "\n".join(text for number, text in enumerate(old.split("\n")) if number < 4 or number > 16)
    assert judged(b"MEMORY.md", old, f"{cleaned}{line}\n").action is Action.PROPOSE


def test_a_person_may_write_so() -> None:
    the_case = case(b"MEMORY.md", RULES, f"# Rules\n\n{NEW}\n\n[rest unchanged]\n", leased=True)
    assert judge(the_case, Policy()).action is Action.RECORD


# --------------------------------------------------------------------------- whatever the texts

OLD = memory(5, 4, 17)
STAND_INS = st.sampled_from([line for line in LINES if "```" not in line and "|" not in line and "#" not in line])


@settings(max_examples=60, deadline=None)
@given(
    keep=st.lists(st.booleans(), min_size=26, max_size=26),
    added=st.lists(st.tuples(st.integers(0, 26), st.integers(0, 9)), max_size=3),
    line=STAND_INS,
    crlf=st.booleans(),
)
def test_no_entry_of_either_side_is_lost(keep: list[bool], added: list[tuple[int, int]], line: str, crlf: bool) -> None:
    """Every run of lines that were left out has a stand-in; new entries stand anywhere."""
    old_lines = [text for text in OLD.split("\n") if text]
    new_lines: list[str] = []
    for number, text in enumerate(old_lines):
        if number == 0 or keep[number % 26]:
            new_lines.append(text)
        elif new_lines[-1] != line:
            new_lines.append(line)
    for place, number in added:
        new_lines.insert(
            min(place, len(new_lines)), f"- [m-09{number:02}] an entry that nobody has seen before {number}"
        )
    new = "\n\n".join(new_lines) + "\n"
    old, new = (text.replace("\n", "\r\n") if crlf else text for text in (OLD, new))
    the_case = case(b"MEMORY.md", old, new)
    verdict = judge(the_case, Policy())
    if verdict.event_class is not EventClass.PLACEHOLDER or verdict.action is not Action.MERGE:
        return
    data = target(the_case, verdict, Policy())
    assert data is not None
    there = {entry.text for entry in entries(data, b"")}
    assert {entry.text for entry in entries(old.encode(), b"")} <= there
    assert {entry.text for entry in entries(new.encode(), b"") if not is_elision(entry.text)} <= there
    assert line not in data.decode()
    again = case(b"MEMORY.md", old, data)
    assert judge(again, Policy()).action is Action.RECORD


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(alphabet="qxzvwj #-[]()\n", min_size=5), max_size=6).map("\n".join))
def test_without_a_stand_in_there_is_no_placeholder(after: str) -> None:
    assert judged(b"MEMORY.md", OLD, f"# Memory\n\n{after}\n").event_class is not EventClass.PLACEHOLDER


SAID = {
    "en": ("the database moved to db-07 on Tuesday evening", "rest of the notes unchanged"),
    "de": ("die Datenbank zog am Dienstagabend auf db-07 um", "übrige Einträge bleiben unverändert"),
    "fr": ("la base a déménagé sur db-07 mardi soir", "le reste du fichier inchangé"),
    "es": ("la base de datos se mudó a db-07 el martes", "el resto del archivo sin cambios"),
    "pt": ("o banco mudou para db-07 na terça à noite", "o resto do arquivo permanece igual"),
    "it": ("il database è passato su db-07 martedì sera", "il resto del file invariato"),
    "nl": ("de databank verhuisde dinsdagavond naar db-07", "de rest van het bestand ongewijzigd"),
    "ru": ("база переехала на db-07 во вторник вечером", "остальные заметки без изменений"),
    "ar": ("قاعدة البيانات انتقلت إلى db-07 مساء الثلاثاء", "بقية الملاحظات كما هي دون تغيير"),
    "zh": ("数据库周二晚上搬到了 db-07 机器上", "其余内容不变"),
    "ja": ("データベースは火曜の夜に db-07 へ移した", "残りは変更なし"),
    "ko": ("데이터베이스는 화요일 저녁에 db-07로 옮겼다", "나머지 내용은 변경 없음"),
}
FRAMES = (
    "... ({}) ...",
    "...({})...",
    "... {} ...",
    "… {} …",
    "({})",
    "[{}]",
    "<!-- {} -->",
    "<!-- ... {} ... -->",
    "... [{}]",
)
LAYOUTS = (
    "- {0}\n{1}\n",
    "- {0}\n  {1}\n",
    "1. {0}\n{1}\n",
    "- **{0}**\n{1}\n",
    "- [m-0900] {0}\n{1}\n",
    "- {0}\n\n{1}\n",
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("language", SAID)
def test_a_stand_in_right_below_a_new_item_takes_nothing_of_it(language: str, frame: str, layout: str) -> None:
    note, rest = SAID[language]
    line = frame.format(rest)
    old = memory(2, 4, 5)
    new = "# Memory\n\n" + layout.format(note, line)
    the_case = case(b"memory/ops.md", old, new)
    verdict = judge(the_case, Policy())
    data = target(the_case, verdict, Policy())
    assert verdict.action is Action.MERGE
    assert data is not None
    assert note in data.decode()
    assert rest not in data.decode()
    assert ids_of(data) >= ids_of(old.encode())

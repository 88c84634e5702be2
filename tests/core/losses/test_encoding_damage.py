"""Encodings: conversions lose nothing; damage is undone where it can be, and healed from the old text where not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.judging.judge import judge
from conductd.core.losses.encoding_damage import mended
from conductd.core.losses.mojibake import heal
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.model import Action, EventClass
from support.cases import case, judged

TEXTS = {
    "de": "# Speicher\n\n- Größe der Küche: vier mal fünf Meter\n- Der Müll wird dienstags abgeholt, früh\n"
    "- Ask Mara about it\n",
    "fr": "# Mémoire\n\n- Le café est fermé à midi\n- Élodie préfère le thé vert\n- rien à signaler ici\n",
    "zh": "# 记忆\n\n- 用户喜欢绿茶和咖啡\n- 服务器在法兰克福的机房\n- 每周二发布新版本\n- 张伟负责账单和报表\n",
    "ja": "# メモ\n\n- ユーザーは緑茶が好きです\n- サーバーはフランクフルトにあります\n- 毎週火曜日にリリースします\n",
    "ko": "# 메모\n\n- 사용자는 녹차를 좋아합니다\n- 서버는 프랑크푸르트에 있습니다\n- 매주 화요일에 배포합니다\n",
    "ar": "# ذاكرة\n\n- يحب المستخدم الشاي الأخضر\n- الخادم في فرانكفورت منذ سنتين\n- الإصدار كل يوم ثلاثاء\n",
    "ru": "# Память\n\n- Пользователь любит зелёный чай\n- Сервер стоит во Франкфурте\n- Релиз каждый вторник\n",
    "mixed": "# Notes\n\n- Zürich office opens in June\n"
    "- 服务器 runs in Frankfurt\n- Ask Mara before the release\n- чай or coffee\n",
}
NAMES = sorted(TEXTS)
MORE = {"de": "- ein neuer Eintrag über Öl\n", "zh": "- 一条全新的记录在这里\n", "ru": "- совсем новая запись здесь\n"}


def read_as(text: str, codec: str) -> str:
    return text.encode().decode(codec)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("times", [1, 2])
def test_read_in_another_encoding_it_is_asked_about_and_undone(name: str, times: int) -> None:
    old = new = TEXTS[name]
    for _ in range(times):
        new = read_as(new, "latin-1")
    verdict = judged(b"MEMORY.md", old, new)
    assert (verdict.event_class, verdict.action, verdict.rule) == (
        EventClass.ENCODING_CHANGE,
        Action.PROPOSE,
        "mojibake",
    )
    assert mended(old.encode(), new.encode()) == old.encode()


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("de", "cp1252"),
        ("fr", "cp1252"),
        ("de", "cp437"),
        ("de", "cp850"),
        ("de", "mac-roman"),
        ("ru", "koi8-r"),
        ("de", "cp1251"),
    ],
)
def test_other_encodings(name: str, codec: str) -> None:
    old, new = TEXTS[name], read_as(TEXTS[name], codec)
    assert judged(b"MEMORY.md", old, new).rule == "mojibake"
    assert mended(old.encode(), new.encode()) == old.encode()


@pytest.mark.parametrize("name", sorted(MORE))
def test_new_lines_are_mended_with_the_old_ones(name: str) -> None:
    old = TEXTS[name]
    new = read_as(old + MORE[name], "latin-1")
    assert judged(b"MEMORY.md", old, new).rule == "mojibake"
    assert mended(old.encode(), new.encode()).decode() == old + MORE[name]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.encode("ascii", "replace").decode(),
        lambda text: "".join(c if c.isascii() else "\ufffd" for c in text),
        lambda text: "".join(c if c.isascii() else "?" * len(c.encode()) for c in text),
    ],
    ids=["question marks", "replacement characters", "one for each byte"],
)
def test_letters_that_are_gone_come_from_the_old_text(name: str, damage) -> None:  # type: ignore[no-untyped-def]
    old = TEXTS[name]
    verdict = judged(b"MEMORY.md", old, damage(old))
    assert (verdict.event_class, verdict.action, verdict.rule) == (EventClass.OVERWRITE, Action.REVERT, "letters-lost")
    more = damage(old) + "- a new note about oil and tea\n"
    the_case = case(b"MEMORY.md", old, more)
    verdict = judge(the_case, Policy())
    data = target(the_case, verdict, Policy())
    if verdict.action is Action.PROPOSE:  # little of a large text: it is asked about
        data = mended(old.encode(), more.encode())
    assert data == (old + "- a new note about oil and tea\n").encode()


def test_little_damage_is_asked_about() -> None:
    old = TEXTS["mixed"] + "".join(f"- a plain line with number {n} and some words\n" for n in range(30))
    new = old.replace("Zürich", "Z?rich")
    verdict = judged(b"MEMORY.md", old, new)
    assert (verdict.event_class, verdict.action) == (EventClass.ENCODING_CHANGE, Action.PROPOSE)
    assert mended(old.encode(), new.encode()) == old.encode()


def test_letters_that_were_dropped() -> None:
    old = TEXTS["de"]
    new = old.encode("ascii", "ignore").decode()
    assert judged(b"MEMORY.md", old, new).rule == "letters-lost"
    assert mended(old.encode(), new.encode()) == old.encode()


@pytest.mark.parametrize("name", NAMES)
def test_utf_16_read_as_bytes(name: str) -> None:
    old = TEXTS[name]
    new = old.encode("utf-16").decode("latin-1")
    assert judged(b"MEMORY.md", old, new).action in (Action.PROPOSE, Action.REVERT)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("start", "length"), [(30, 12), (30, 60), (45, 400)])
def test_zeros_in_the_text_give_way_to_what_was_there(name: str, start: int, length: int) -> None:
    old = (TEXTS[name] + "- one more plain line is here for the weight of it\n" * 1).encode()
    new = (old[:start] + bytes(length) + old[start + length :])[: len(old)]
    for more in (b"", b"- a note that came after the crash\n"):
        the_case = case(b"MEMORY.md", old, new + more)
        verdict = judge(the_case, Policy())
        assert verdict.rule == "zero-run", verdict
        assert verdict.action in (Action.REVERT, Action.MERGE)
        data = target(the_case, verdict, Policy())
        assert data is not None
        assert b"\0" not in data
        assert data.startswith(old.rstrip()) or set(old.split(b"\n")) <= set(data.split(b"\n"))
        assert data == old or more.strip() in data


# --------------------------------------------------------------------------- nothing is damaged


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("ja", "shift_jis"),
        ("ja", "euc_jp"),
        ("ja", "iso2022_jp"),
        ("zh", "gb18030"),
        ("zh", "gbk"),
        ("ko", "euc_kr"),
        ("ar", "cp1256"),
        ("ru", "cp1251"),
        ("ru", "koi8-r"),
        ("de", "latin-1"),
        ("fr", "cp1252"),
        ("zh", "utf-16"),
        ("de", "utf-16"),
        ("de", "utf-8-sig"),
    ],
)
def test_a_conversion_is_recorded(name: str, codec: str) -> None:
    text = TEXTS[name]
    for old, new in ((text.encode(codec), text.encode()), (text.encode(), text.encode(codec))):
        verdict = judged(b"MEMORY.md", old, new)
        assert (verdict.event_class, verdict.action) == (EventClass.ENCODING_CHANGE, Action.RECORD)


@pytest.mark.parametrize("codec", ["shift_jis", "gb18030", "euc_jp"])
def test_a_conversion_does_not_hide_a_loss(codec: str) -> None:
    old = TEXTS["ja"].encode(codec)
    assert (
        judged(b"MEMORY.md", old, "# メモ\n\n- まったく別のことが書いてあります\n").event_class is EventClass.OVERWRITE
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", [("\n", "\r\n"), ("\n", "\r"), ("- ", "* ")])
def test_layout_is_silent(name: str, change: tuple[str, str]) -> None:
    text = TEXTS[name]
    for old, new in ((text, text.replace(*change)), (text.replace(*change), text)):
        assert judged(b"MEMORY.md", old, new).event_class is EventClass.FORMAT
    half = len(text) // 2
    mixed = text[:half] + text[half:].replace("\n", "\r\n")
    assert judged(b"MEMORY.md", text, mixed).event_class is EventClass.FORMAT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- Größe der Küche prüfen", "- Größe der Küche prüfen?"),
        ("- done with the garden ✅", "- done with the garden"),
        ("- manana vamos al mercado", "- mañana vamos al mercado"),
        ("- is the café open on Sunday?", "- the café is open on Sunday"),
        ("- why does it say Zürich?", "- why does it say Zürich??"),
        ("- Ã is a letter of Portuguese", "- Ã and Õ are letters of Portuguese"),
    ],
)
def test_an_edit_is_no_damage(old: str, new: str) -> None:
    rest = TEXTS["de"] + TEXTS["fr"] + "- one more plain line is here for the weight of it\n" * 3
    assert judged(b"MEMORY.md", f"{rest}{old}\n", f"{rest}{new}\n").action is Action.RECORD


def test_a_text_about_mojibake_is_a_text() -> None:
    old = TEXTS["de"]
    assert judged(b"MEMORY.md", old, old + "- it shows GrÃ¶ÃŸe when UTF-8 is read as Latin-1\n").action is Action.RECORD
    assert judged(b"MEMORY.md", read_as(old, "latin-1"), old).action is not Action.REVERT


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_only_lines_of_the_old_text_are_taken_back(old: str, new: str) -> None:
    healed = heal(old, new)
    if healed is not None and healed.lines:
        known = {" ".join(line.split()) for line in old.split("\n")}
        assert any(" ".join(line.split()) in known for line in healed.text.split("\n"))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet="äöüßéñжщя中文字テスト abcxyz", min_size=3, max_size=30), min_size=1, max_size=8))
def test_what_latin_1_does_is_always_undone(lines: list[str]) -> None:
    old = "\n".join(f"- {line.strip()} x" for line in lines) + "\n"
    new = read_as(old, "latin-1")
    if new != old:
        assert mended(old.encode(), new.encode()) == old.encode()


# --------------------------------------------------------------------------- words that went are no damage

NOTES = (
    "- Backups go to birch with restic, kept for 52 days\n- Keep quiet after ten in the evening please\n"
    "- Call Mira on Monday about the lamp\n"
)
BILINGUAL = [
    ("# Memory 记忆\n## People 人员\n", "# Memory\n## People\n"),
    ("# Memory メモ\n## People 人々\n", "# Memory\n## People\n"),
    ("# Memory / Память\n## People / Люди\n", "# Memory\n## People\n"),
    ("# Memory (ذاكرة)\n## People (الناس)\n", "# Memory\n## People\n"),
    ("# Memory 메모\n## People 사람\n", "# Memory\n## People\n"),
    ("# Memory · Gedächtnis\n## People · Leute über uns\n", "# Memory\n## People\n"),
]


@pytest.mark.parametrize(("before", "after"), BILINGUAL)
def test_a_language_left_out_of_the_headings_is_no_damage(before: str, after: str) -> None:
    assert judged(b"MEMORY.md", before + NOTES, after + NOTES).action is Action.RECORD


@pytest.mark.parametrize(("before", "after"), BILINGUAL)
def test_headings_alone_that_are_damaged_are_never_written(before: str, after: str) -> None:
    verdict = judged(b"MEMORY.md", before + NOTES, before.encode("ascii", "replace").decode() + NOTES)
    assert (verdict.rule, verdict.action) == ("letters-lost", Action.PROPOSE)


@pytest.mark.parametrize(("before", "after"), BILINGUAL)
def test_damage_hides_no_loss(before: str, after: str) -> None:
    gone = judged(b"MEMORY.md", before + NOTES, after)
    assert (gone.event_class, gone.action) == (EventClass.OVERWRITE, Action.REVERT)
    damaged_too = judged(b"MEMORY.md", before + NOTES, before.encode("ascii", "replace").decode())
    assert (damaged_too.event_class, damaged_too.action) == (EventClass.OVERWRITE, Action.REVERT)

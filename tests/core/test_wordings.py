"""What is said in other words is not lost; what is said of something else is. By language and by kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.comparing.change import Place, compare
from conductd.core.comparing.wording import core_words, fact
from conductd.core.reading.entries import EntryTable, entry_table
from conductd.core.reading.text import normalise, words
from conductd.model import Change

KEY = b"key"


def table(text: str) -> EntryTable:
    return entry_table(text.encode(), KEY)


def change(old: str, new: str, **elsewhere: str) -> Change:
    return compare(table(old), table(new), [Place(path.encode(), table(text)) for path, text in elsewhere.items()])


def core(text: str) -> tuple[str, ...]:
    return core_words(words(normalise(text)))


# The same fact in other words: each pair stands for a kind of rewording.
REWORDED = {
    "en inflection": ("- backups are running every night at three", "- the backup runs each night at three"),
    "en order": ("- before deploying, always run the tests", "- always run the tests before each deploy"),
    "en articles": ("- the owner of the budget is Mara", "- Mara is budget owner"),
    "en contraction": ("- do not deploy on Fridays", "- don't deploy on a Friday"),
    "en negation word": ("- never deploy on a Friday", "- do not deploy on Fridays"),
    "en abbreviation": ("- Mara keeps the configuration of the router", "- Mara keeps the config of the router"),
    "en longer": (
        "- gateway listens on port 8080",
        "- The gateway listens on port 8080 (behind nginx, since March)",
    ),
    "en shorter": (
        "- The gateway, as we agreed last week, listens on port 8080 behind nginx",
        "- gateway listens on port 8080 behind nginx",
    ),
    "date iso to words": ("- Contract renewed on 2026-03-04 by Mara", "- Contract renewed on 4 March 2026 by Mara"),
    "date iso to dots": ("- Contract renewed 2026-03-04, Mara signed", "- Contract renewed 04.03.2026, Mara signed"),
    "date de": ("- Vertrag am 2026-03-04 verlängert", "- Vertrag am 4. März 2026 verlängert"),
    "date zh": ("- 2026-03-04 续签合同", "- 2026年3月4日续签合同"),
    "thousands": ("- at most 1,000 requests per minute", "- at most 1000 requests per minute"),
    "thousands de": ("- höchstens 1.000 Anfragen pro Minute", "- höchstens 1000 Anfragen pro Minute"),
    "hour": ("- backup starts at 14:00 on weekdays", "- on weekdays the backup starts at 2 pm"),
    "number word": ("- Mara has three cats in Oslo", "- Mara has 3 cats in Oslo"),
    "changed value": ("- the gateway listens on port 8080", "- the gateway listens on port 9090"),
    "negated": ("- deploy on Fridays when the tests pass", "- never deploy on Fridays, even when the tests pass"),
    "de order": (
        "- die Sicherung läuft jede Nacht um drei Uhr",
        "- jede Nacht um drei Uhr läuft die Sicherung",
    ),
    "de inflection": (
        "- alle Server werden am ersten Montag des Monats neu gestartet",
        "- jeden ersten Montag im Monat startet der Server neu",
    ),
    "de verb": (
        "- Rechnungen gehen immer an die Buchhaltung in Bergen",
        "- Die Rechnung geht immer an Buchhaltung Bergen",
    ),
    "fr": ("- les sauvegardes tournent chaque nuit à trois heures", "- la sauvegarde tourne chaque nuit à 3 heures"),
    "es": ("- las copias de seguridad se hacen cada noche", "- la copia de seguridad se hace todas las noches"),
    "ru": ("- резервные копии хранятся на сервере в Бергене", "- резервная копия хранится на сервере Бергена"),
    "zh particles": ("- 部署之前必须先运行全部的测试并检查结果", "- 部署前必须先运行全部测试并检查结果"),
    "zh synonym": ("- 部署之前必须先运行全部测试并检查结果", "- 部署之前必须先运行所有测试并确认结果"),
    "zh order": ("- 每周一上午十点开团队例会", "- 团队例会每周一上午十点开"),
    "ja particles": ("- 記憶の設定を確認する手順は別の文書にある", "- 設定の記憶を確認した手順が別の文書にあります"),
    "ja short": ("- 請求書は毎月月末に経理へ送る", "- 請求書を毎月月末に経理に送付"),
    "ja polite": ("- 金曜日に本番環境へ配備しない", "- 金曜日は本番環境に配備しません"),
    "ko": ("- 배포 전에 모든 테스트를 실행한다", "- 배포 전에는 모든 테스트를 실행해야 한다"),
    "ar marks": ("- يَجِبُ تَشغيلُ جميعِ الاختباراتِ قبل النَّشر", "- يجب تشغيل جميع الاختبارات قبل النشر"),
    "ar letters": ("- أحمد يملك مفتاح الإدارة في المكتب الأول", "- احمد يملك مفتاح الادارة فى المكتب الاول"),
    "ar article": ("- النسخة الاحتياطية تعمل كل ليلة", "- نسخة احتياطية تعمل كل ليلة"),
    "ar tatweel": ("- كلمة الســر محفوظة عند مارا", "- كلمة السر محفوظة عند مارا"),
    "he": ("- הגיבוי רץ כל לילה בשעה שלוש", "- הגיבוי רץ בכל לילה בשעה שלוש"),
    "mixed": ("- Mara 负责 billing database 的备份", "- billing database 备份由 Mara 负责"),
    "row": ("- Mara: owner of billing", "| Mara | owner of billing |\n|---|---|\n"),
}

# Other facts, however alike.
OTHER = {
    "en": ("- the backup runs every night at three", "- the printer is on the second floor now"),
    "en same frame": ("- Mara owns the billing database", "- the billing page loads slowly on phones"),
    "en function words": ("- it is what it is and that is that", "- this was not for them, nor to us"),
    "de": ("- die Sicherung läuft jede Nacht um drei Uhr", "- der Drucker steht jetzt im zweiten Stock"),
    "de same frame": ("- die Sicherung liegt auf dem Server in Bergen", "- der Schlüssel liegt bei Chen in Oslo"),
    "zh": ("- 部署之前必须先运行全部测试", "- 监控告警由值班同事处理完毕"),
    "zh same frame": ("- 数据库的密码在保险箱里", "- 打印机的说明书在抽屉里"),
    "ja": ("- 記憶の設定を確認する手順は別の文書にある", "- 通知の時間と順序は担当環境の試験で変更した"),
    "ja same kana": ("- 会議の前に資料を配ること", "- 退社の前に照明を消すこと"),
    "ar": ("- يجب تشغيل جميع الاختبارات قبل النشر", "- الميزانية تحتاج إلى مراجعة هذا الشهر"),
    "translation": ("- the backup runs every night at three", "- die Sicherung läuft jede Nacht um drei"),
}


@pytest.mark.parametrize("kind", REWORDED)
def test_other_words_for_the_same_are_no_loss(kind: str) -> None:
    both = (REWORDED[kind], REWORDED[kind][::-1])
    for old, new in both[:1] if kind == "en longer" else both:  # what was said besides is lost
        assert change(f"# M\n\n{old}\n", f"# M\n\n{new}\n").lost == ()


@pytest.mark.parametrize("kind", OTHER)
def test_another_fact_is_no_rewording(kind: str) -> None:
    for old, new in (OTHER[kind], OTHER[kind][::-1]):
        assert len(change(f"# M\n\n{old}\n", f"# M\n\n{new}\n").lost) == 1


STRUCTURE = {
    "two merged": (
        "- deploys happen on Monday mornings\n- ask the owner before each deploy\n",
        "- Deploys happen on Monday morning; ask the owner before every deploy.\n",
    ),
    "three merged": (
        "- Mara lives in Bergen\n- Mara has three cats\n- Mara likes strong coffee\n",
        "- Mara lives in Bergen, has 3 cats and likes strong coffee\n",
    ),
    "split": (
        "- Deploys happen on Monday. The owner must agree first. Nobody touches production at night.\n",
        "- Deploys happen on Mondays\n- The owner has to agree first\n- Nobody touches the production at night\n",
    ),
    "list to rows": (
        "- Mara: owner of billing\n- Chen: owner of the gateway\n",
        "| name | role |\n|---|---|\n| Mara | owner of billing |\n| Chen | owner of the gateway |\n",
    ),
    "rows to list": (
        "| name | role |\n|---|---|\n| Mara | billing owner |\n| Chen | gateway owner |\n",
        "- Mara (billing owner)\n- Chen (gateway owner)\n",
    ),
    "labelled list to rows": (
        "- name: Mara, city: Bergen, team: billing\n- name: Chen, city: Oslo, team: gateway\n",
        "| name | city | team |\n|---|---|---|\n| Mara | Bergen | billing |\n| Chen | Oslo | gateway |\n",
    ),
    "rows to labelled list": (
        "| name | city | team |\n|---|---|---|\n| Mara | Bergen | billing |\n| Chen | Oslo | gateway |\n",
        "- name: Mara, city: Bergen, team: billing\n- name: Chen, city: Oslo, team: gateway\n",
    ),
    "list to prose": (
        "- invoices go to accounting\n- contracts go to Mara\n- everything else goes to Chen\n",
        "Invoices go to accounting, contracts to Mara, and everything else goes to Chen.\n",
    ),
    "label to heading": (
        "- Database: the password is in the safe of the office\n",
        "## Database\n\n- password is in the office safe\n",
    ),
    "heading to label": (
        "## Database\n\n- password is in the office safe\n",
        "- Database: the password is in the safe of the office\n",
    ),
    "split and reworded": (
        "- We use Caddy since its licence covers 24 seats; the database of Amber has a port of its own, 5440, and the"
        " release of Driftwood waits until 2026-06-11 because the review was late in November, and two jobs wrote it\n",
        "- We use Caddy because its licence covers 24 seats\n- The database of Amber has its own port, 5440\n"
        "- The release of Driftwood waits until 2026-06-11, because the review was late in November\n"
        "- Two jobs wrote it\n",
    ),
    "near-duplicate": (
        "- run the tests before each deploy\n- always run all the tests before each deploy, also on Mondays\n",
        "- always run all the tests before each deploy, also on Mondays\n",
    ),
}


@pytest.mark.parametrize("kind", STRUCTURE)
def test_another_structure_is_no_loss(kind: str) -> None:
    old, new = STRUCTURE[kind]
    found = change("# Memory\n\n" + old, "# Memory\n\n" + new)
    names = {"name | role", "name | city | team", "Database"}  # a head or a heading that has no place any more
    lost = [e.text for e in table("# Memory\n\n" + old).entries if e.fingerprint in {s.fingerprint for s in found.lost}]
    assert [text for text in lost if text not in names] == []


@pytest.mark.parametrize(
    ("kept", "gone"),
    [
        ("- never touch account 002 of the billing system without asking the owner first", "account 001"),
        ("- the gateway of the second office listens on port 9090 behind nginx", "port 8080"),
        ("- backups of the database are checked on 2026-03-05 by the team in Bergen", "2026-03-04"),
    ],
)
def test_a_note_that_differs_by_a_value_is_no_copy_of_it(kept: str, gone: str) -> None:
    value = gone.split()[-1]
    other = next(word for word in kept.split() if word[:3].isdecimal())
    lost = kept.replace(other, value)
    assert len(change(f"# M\n\n{lost}\n{kept}\n", f"# M\n\n{kept}\n").lost) == 1
    assert len(change(f"# M\n\n{lost}\n", "# M\n", note=f"# Note\n\n{kept}\n").lost) == 1
    assert change(f"# M\n\n{lost}\n", f"# M\n\n{kept}\n").lost == (), "in its own place a new value is an edit"


@pytest.mark.parametrize(
    ("old", "other"),
    [
        ("- deploy to production on a Friday evening", "- never deploy to production on a Friday evening"),
        ("- die Sicherung läuft in der Nacht", "- die Sicherung läuft nicht in der Nacht"),
        ("- 周五晚上可以部署生产环境", "- 周五晚上不可以部署生产环境"),
        ("- 金曜日の夜に本番環境へ配備する", "- 金曜日の夜に本番環境へ配備しない"),
        ("- نشر النسخة الجديدة يوم الجمعة مساء", "- لا نشر النسخة الجديدة يوم الجمعة مساء"),
    ],
)
def test_the_contrary_in_another_file_is_no_new_home(old: str, other: str) -> None:
    assert len(change(f"# M\n\n{old}\n", "# M\n", note=f"# Note\n\n{other}\n").lost) == 1
    assert change(f"# M\n\n{old}\n", f"# M\n\n{other}\n").lost == (), "in its own place it is an edit"


@pytest.mark.parametrize("kind", [kind for kind in REWORDED if kind not in ("changed value", "negated")])
def test_a_note_that_is_pasted_in_other_words_has_moved(kind: str) -> None:
    old, new = REWORDED[kind]
    found = change(f"# M\n\n{old}\n", "# M\n", **{"memory/2026-03-08.md": f"# Day\n\n{new}\n"})
    assert [(place.path, place.line) for place in found.moved] == [(b"memory/2026-03-08.md", 3)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("released on 2026-03-04", "released 4 March 2026"),
        ("released on 2026-03-04", "4. März 2026 released"),
        ("released on 2026-03-04", "released: 04.03.2026"),
        ("released on 2026-03-04", "released 2026年3月4日"),
        ("released on 2026-03-04", "released el 4 de marzo de 2026"),
        ("on 4 May", "May 4th"),
        ("3月4日", "4 March"),
        ("1,000,000 of them", "1000000 of them"),
        ("at 14:30", "2:30 pm"),
        ("at ten o'clock", "um 10 Uhr"),
        ("٤٢ ملفا", "42 ملف"),
    ],
)
def test_values_are_the_same_however_they_are_written(one: str, two: str) -> None:
    assert fact(core(one)).values == fact(core(two)).values != frozenset()


@pytest.mark.parametrize(
    ("one", "two"),
    [("2026-03-04", "2026-03-05"), ("4 March", "5 March"), ("1,000", "1,001"), ("2 pm", "2 am"), ("v1.2", "v1.3")],
)
def test_other_values_stay_apart(one: str, two: str) -> None:
    assert core(one) != core(two)


@given(st.text(max_size=60))
def test_words_never_come_down_to_nothing(text: str) -> None:
    tokens = words(normalise(text))
    assert bool(core_words(tokens)) == bool(tokens)


@given(
    st.lists(st.sampled_from(["the", "a", "2026", "03", "4", "march", "t", "don", "14", "00", "pm", "年", "月", "日"]))
)
def test_any_row_of_numbers_and_names_of_months_is_read(tokens: list[str]) -> None:
    assert bool(core_words(tokens)) == bool(tokens)


@pytest.mark.parametrize("number", ["T-368 | ", "BK7: ", "m_12) "])
def test_the_number_of_a_note_need_not_go_with_it(number: str) -> None:
    note = "Anselm has his birthday on 2026-08-10 and got a lemon tree last year"
    assert change(f"# M\n\n- {number}{note}\n", "# M\n", note=f"# N\n\n{note}, as we know\n").lost == ()
    other = note.replace("08-10", "08-12")
    assert len(change(f"# M\n\n- {number}{note}\n", "# M\n", note=f"# N\n\n{other}\n").lost) == 1


def test_a_number_in_words_beside_a_month_is_no_date() -> None:
    assert "\0#2" in core("finished in November, and two jobs wrote the report")

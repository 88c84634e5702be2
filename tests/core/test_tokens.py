"""The estimate against what five real tokenisers counted (docs/tokens.md): the counts are frozen, the texts our own."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.tokens import Calibration, estimate

# (kind, text, tokens of o200k_base, cl100k_base, Claude 2, Gemma 3, Qwen 3)
# ruff: noqa: E501 - texts in many scripts, each in one piece
COUNTED = (
    (
        "English notes",
        "## Decisions\n\n- Releases go out on Tuesdays, never on a Friday afternoon.\n- The staging database is rebuilt every night; do not keep anything there.\n- [ ] Ask the landlord about the bicycle room before the end of the month.\n- [x] Renew the certificate of the mail server.\n\nThe tests of the importer are slow because they read the whole archive. Run only those that belong to the file you changed.\n",
        (85, 87, 96, 90, 87),
    ),
    (
        "German",
        "## Entscheidungen\n\n- Veröffentlicht wird dienstags, niemals am Freitagnachmittag.\n- Die Testdatenbank wird jede Nacht neu aufgebaut; dort darf nichts liegen bleiben.\n- [ ] Den Vermieter nach dem Fahrradkeller fragen, noch vor Monatsende.\n\nDie Prüfungen des Einlesers sind langsam, weil sie das ganze Archiv lesen.\n",
        (71, 91, 107, 78, 91),
    ),
    (
        "French",
        "## Décisions\n\n- On publie le mardi, jamais un vendredi après-midi.\n- La base d'essai est reconstruite chaque nuit ; n'y laissez rien.\n- [ ] Demander au propriétaire la clé du local à vélos avant la fin du mois.\n",
        (54, 64, 72, 59, 62),
    ),
    (
        "Polish",
        "## Decyzje\n\n- Wydania wychodzą we wtorki, nigdy w piątek po południu.\n- Testowa baza danych jest odtwarzana co noc; niczego tam nie zostawiaj.\n- [ ] Zapytać właściciela o rowerownię przed końcem miesiąca.\n",
        (70, 79, 98, 67, 75),
    ),
    (
        "Vietnamese",
        "## Quyết định\n\n- Phát hành vào thứ Ba, không bao giờ vào chiều thứ Sáu.\n- Cơ sở dữ liệu thử nghiệm được dựng lại mỗi đêm; đừng để gì ở đó.\n- [ ] Hỏi chủ nhà về nhà để xe đạp trước cuối tháng.\n",
        (61, 97, 144, 58, 60),
    ),
    (
        "Russian",
        "## Решения\n\n- Выпускаем по вторникам и никогда в пятницу после обеда.\n- Тестовая база пересоздаётся каждую ночь, ничего там не оставляйте.\n- [ ] Спросить хозяина про комнату для велосипедов до конца месяца.\n",
        (58, 96, 109, 59, 72),
    ),
    (
        "Greek",
        "## Αποφάσεις\n\n- Οι εκδόσεις βγαίνουν κάθε Τρίτη, ποτέ Παρασκευή απόγευμα.\n- Η δοκιμαστική βάση ξαναχτίζεται κάθε νύχτα.\n",
        (47, 107, 139, 53, 105),
    ),
    (
        "Arabic",
        "## القرارات\n\n- ننشر الإصدارات يوم الثلاثاء ولا ننشر أبدا بعد ظهر الجمعة.\n- تبنى قاعدة بيانات الاختبار من جديد كل ليلة فلا تترك فيها شيئا.\n- [ ] اسأل صاحب البيت عن غرفة الدراجات قبل نهاية الشهر.\n",
        (55, 134, 176, 60, 63),
    ),
    (
        "Hebrew",
        "## החלטות\n\n- מפרסמים ביום שלישי, לעולם לא ביום שישי אחר הצהריים.\n- מסד הנתונים לבדיקות נבנה מחדש בכל לילה.\n",
        (39, 94, 86, 49, 39),
    ),
    (
        "Hindi",
        "## निर्णय\n\n- नए संस्करण मंगलवार को आते हैं, शुक्रवार की दोपहर को कभी नहीं।\n- परीक्षण का डेटाबेस हर रात फिर से बनता है; वहाँ कुछ मत छोड़ो।\n",
        (40, 136, 147, 38, 124),
    ),
    ("Tamil", "## முடிவுகள்\n\n- வெளியீடுகள் செவ்வாய்க்கிழமை வரும், வெள்ளிக்கிழமை மாலை ஒருபோதும் இல்லை.\n", (29, 115, 157, 24, 95)),
    (
        "Thai",
        "## การตัดสินใจ\n\n- ปล่อยรุ่นใหม่ทุกวันอังคาร ห้ามปล่อยบ่ายวันศุกร์\n- ฐานข้อมูลทดสอบสร้างใหม่ทุกคืน อย่าเก็บอะไรไว้ที่นั่น\n",
        (52, 106, 200, 44, 71),
    ),
    (
        "Chinese",
        "## 决定\n\n- 每周二发布，周五下午绝不发布。\n- 测试数据库每晚重建，不要把东西放在那里。\n- [ ] 月底之前问房东自行车房的钥匙。\n",
        (50, 68, 70, 47, 44),
    ),
    (
        "Japanese",
        "## 決定事項\n\n- リリースは火曜日に行い、金曜の午後には絶対に行わない。\n- テスト用のデータベースは毎晩作り直すので、何も残さないこと。\n- [ ] 月末までに大家さんに自転車置き場のことを聞く。\n",
        (77, 107, 106, 59, 76),
    ),
    (
        "Korean",
        "## 결정\n\n- 배포는 화요일에 하고 금요일 오후에는 절대 하지 않는다.\n- 시험용 데이터베이스는 매일 밤 다시 만든다.\n",
        (34, 58, 66, 34, 45),
    ),
    (
        "code",
        'def overdue(loans: list[Loan], today: date) -> dict[str, int]:\n    """Days late by reader."""\n    late: dict[str, int] = {}\n    for loan in loans:\n        days = (today - loan.due).days\n        if days > 0 and not loan.returned:\n            late[loan.reader] = max(late.get(loan.reader, 0), days)\n    return late\n',
        (90, 90, 94, 101, 90),
    ),
    (
        "JSON",
        '{\n  "name": "orchard",\n  "port": 8443,\n  "retries": 3,\n  "hosts": ["10.0.4.17", "10.0.4.18"],\n  "tls": {"cert": "/etc/orchard/tls.pem", "verify": true}\n}\n',
        (69, 69, 69, 83, 75),
    ),
    (
        "table",
        "| host | what | since |\n|---|---|---|\n| orchard | backups, every night at 02:30 | 2025-11-03 |\n| quince | the door and the heating | 2024-06-19 |\n",
        (52, 54, 50, 63, 64),
    ),
    (
        "hexadecimal",
        "9b1c0e5f7a3d4c2288e6f0a1b2c3d4e5f60718293a4b5c6d7e8f901a2b3c4d5e 3f2a9c10-77b4-4e0d-9a5c-1be0f6d2a834\n",
        (88, 88, 87, 101, 101),
    ),
    (
        "base64",
        "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJDZ2fD0a1Bv7wXcM3Qk9sLr5tYhUjNpO2iG4eVbTzKxA8mHgQ==\n",
        (77, 81, 76, 74, 83),
    ),
    (
        "URL",
        "https://wiki.example.org/spaces/OPS/pages/20448812/Backup+and+restore?focusedCommentId=99120#step-4\n",
        (32, 32, 35, 43, 40),
    ),
    (
        "numbers",
        "2026-03-08 14:03:22  1,284.50  192.168.17.204  +49 30 5550147  0.0375  20448812\n",
        (49, 49, 42, 75, 79),
    ),
    ("emoji", "✅ 🚀 🧠 📌 🔥 🟢 🟡 🔴 👍🏽 👨‍👩‍👧 🇩🇪 ⚠️ 🎉 🤖 ✨\n", (43, 57, 59, 32, 48)),
)
HALF = 0.36  # the farthest that the figure is from the middle of the five, over all kinds


@pytest.mark.parametrize(("kind", "text", "counts"), COUNTED, ids=[row[0] for row in COUNTED])
def test_the_band_holds_what_tokenisers_count(kind: str, text: str, counts: tuple[int, ...]) -> None:
    found = estimate(text)
    assert found.low <= min(counts), kind
    assert found.high >= max(counts), kind
    middle = math.exp(sum(map(math.log, counts)) / len(counts))
    assert abs(found.tokens / middle - 1) < HALF


def test_nothing_has_no_tokens_and_something_has_one() -> None:
    assert estimate("") == (0, 0, 0)
    assert estimate("a").tokens == 1
    assert estimate(" ").tokens == 1


@given(st.text(max_size=400))
def test_the_figure_lies_in_its_band(text: str) -> None:
    found = estimate(text)
    assert found.low <= found.tokens <= found.high
    assert (found.low >= 1) == bool(text)


@given(st.text(max_size=100), st.text(max_size=100))
def test_two_texts_have_about_the_tokens_of_both(one: str, two: str) -> None:
    assert estimate(one + "\n" + two).high >= max(estimate(one).low, estimate(two).low)


def test_calibration_moves_the_figure_and_narrows_the_band_once_it_knows_enough() -> None:
    text = COUNTED[0][1]
    plain = estimate(text)
    few = estimate(text, Calibration(1.3, samples=3, spread=0.05))
    assert few.tokens == pytest.approx(plain.tokens * 1.3, abs=1)
    assert few.high > few.tokens * 1.05
    many = estimate(text, Calibration(1.3, samples=50, spread=0.05))
    assert many.tokens == few.tokens
    assert many.high <= math.ceil(plain.tokens * 1.3 * 1.06)


def test_every_script_counts_something() -> None:
    for sample in ("ꦲꦏ", "\U00012000", "𐌰", "\x07", "\udc80", "ⵣⴰ", "ᏣᎳᎩ"):
        assert estimate(sample * 30).high >= 30, sample


@pytest.mark.parametrize("unit", ["a", "A1", "-", "0123abcd-", " ", "\n", "é", "你", "🙂", "a1B", "/A1b"])
def test_it_is_linear(unit: str) -> None:
    text = unit * (300_000 // len(unit))
    begun = time.perf_counter()
    estimate(text)
    assert time.perf_counter() - begun < 2.0

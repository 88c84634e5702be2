"""Slow loss: seen though every write passed alone; churn, clean-up and what came back are none."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.case import LedgerLine
from conductd.core.losses.erosion import (
    GAINED_KEPT,
    LEDGER_NS,
    LINES_KEPT,
    SPANS_KEPT,
    all_lost,
    entered,
    lost_fingerprints,
)
from conductd.core.losses.passing import is_over
from conductd.core.merging.merge import merge_missing
from conductd.core.reading.entries import entries
from conductd.model import EventClass, Span, Verdict
from scenarios.texts import ids_of, memory
from support.cases import KEY, START_NS
from support.days import Days, is_erosion

FILE = "MEMORY.md"

EN = [
    "Ask before any schema change on the billing database.",
    "Deployments happen on Tuesday after the smoke tests passed.",
    "The customer portal is called Harbor, never Dock, in mails.",
    "Invoices older than ninety days go to the legal mailbox.",
    "Keep the staging password rotation at every first Monday.",
    "Prefer plain SQL over the query builder in reports.",
    "The NAS at 10.0.4.7 backs up at three in the morning.",
    "Anna reviews everything that touches the payment flow.",
    "Do not send newsletters between Christmas and New Year.",
    "The espresso machine contract ends with the office lease.",
    "Log lines carry the tenant id in the second field.",
    "Use the blue template for offers above ten thousand euros.",
    "Translations go through the agency in Porto, not the tool.",
    "Weekly numbers are due on Thursday at noon.",
    "The old router in the cellar must stay on for the alarm.",
    "Feature flags older than a quarter get removed.",
    "Screenshots in tickets hide the customer's address.",
    "The test phone is in the drawer next to the printer.",
    "Release notes name the ticket and never the colleague.",
    "Backups are restored for practice every second month.",
    "Support answers in the language of the first mail.",
    "The charity run takes the first Sunday of June.",
    "Bank holidays of Bavaria count for the on-call plan.",
    "Vendor keys live in the vault under third-party.",
]
DE = [
    "Vor jeder Änderung am Schema der Rechnungsdatenbank fragen.",
    "Ausgerollt wird dienstags, wenn die Rauchtests grün sind.",
    "Das Kundenportal heißt in Mails Hafen, niemals Dock.",
    "Rechnungen über neunzig Tage gehen an das Rechtspostfach.",
    "Das Kennwort der Testumgebung wechselt jeden ersten Montag.",
    "In Berichten lieber schlichtes SQL als den Baukasten.",
    "Die NAS unter 10.0.4.7 sichert um drei Uhr nachts.",
    "Anna sieht alles durch, was die Zahlung berührt.",
    "Zwischen Weihnachten und Neujahr keine Rundbriefe schicken.",
    "Der Vertrag der Kaffeemaschine endet mit dem Büro.",
    "Jede Logzeile trägt den Mandanten im zweiten Feld.",
    "Angebote über zehntausend Euro nehmen die blaue Vorlage.",
    "Übersetzungen macht die Agentur in Porto, nicht das Werkzeug.",
    "Die Wochenzahlen sind donnerstags um zwölf fällig.",
    "Der alte Router im Keller bleibt für die Alarmanlage an.",
    "Schalter, die älter als ein Quartal sind, fliegen raus.",
    "Auf Bildschirmfotos ist die Adresse des Kunden verdeckt.",
    "Das Testtelefon liegt in der Schublade neben dem Drucker.",
    "Versionshinweise nennen die Aufgabe, nie den Kollegen.",
    "Sicherungen werden alle zwei Monate zur Übung eingespielt.",
]
ZH = [
    "改动账单数据库结构之前必须先询问负责人。",
    "每周二冒烟测试通过之后才能上线部署。",
    "邮件里客户门户统一称为海港，绝不叫码头。",
    "超过九十天的发票转交法务邮箱处理。",
    "测试环境密码在每月第一个星期一更换。",
    "报表查询优先使用原生语句而不是构造器。",
    "地址为十点零的存储设备凌晨三点备份。",
    "凡是涉及支付流程的改动都由安娜审核。",
    "圣诞节到元旦期间不要发送新闻邮件。",
    "咖啡机的合同与办公室租约同时到头。",
    "日志每行第二个字段写租户编号。",
    "万元以上的报价使用蓝色模板制作。",
    "翻译工作交给波尔图的公司而非软件。",
    "周报数字在星期四中午之前提交汇总。",
    "地下室的旧路由器要为警报系统一直开着。",
    "上线超过一个季度的功能开关要清理掉。",
    "工单截图需要遮住客户的住址信息。",
    "测试手机放在打印机旁边的抽屉里面。",
]
JA = [
    "請求データベースの構造を変える前に必ず確認を取る。",
    "本番への配備は火曜日、試験が通った後に行う。",
    "メールでは顧客サイトを港と呼び、桟橋とは書かない。",
    "九十日を過ぎた請求書は法務の窓口へ回す。",
    "検証環境の暗証は毎月最初の月曜に更新する。",
    "報告書の問い合わせは素のSQLを優先する。",
    "保管装置は午前三時に控えを取っている。",
    "支払いに関わる変更は全てアンナが確認する。",
    "年末年始には案内メールを送信しない。",
    "珈琲機の契約は事務所の賃貸と同時に終わる。",
    "記録の各行は二番目の欄に顧客番号を持つ。",
    "一万ユーロを超える見積もりは青い雛形を使う。",
    "翻訳はポルトの会社に依頼し、道具には任せない。",
    "週次の数字は木曜の正午までに提出する。",
    "地下の古い機器は警報のため電源を切らない。",
    "四半期を越えた機能切替は取り除く。",
]
AR = [
    "اسأل قبل أي تغيير في بنية قاعدة بيانات الفواتير.",
    "النشر يوم الثلاثاء بعد نجاح الاختبارات السريعة.",
    "بوابة العملاء تسمى المرفأ في الرسائل ولا تسمى الرصيف.",
    "الفواتير التي تجاوزت تسعين يوما تحال إلى البريد القانوني.",
    "كلمة مرور البيئة التجريبية تتغير كل أول اثنين من الشهر.",
    "نفضل الاستعلام المباشر على المنشئ في التقارير.",
    "جهاز التخزين ينسخ احتياطيا عند الثالثة فجرا.",
    "آنا تراجع كل ما يمس مسار الدفع.",
    "لا ترسل النشرات بين عيد الميلاد ورأس السنة.",
    "عقد آلة القهوة ينتهي مع إيجار المكتب.",
    "كل سطر في السجل يحمل رقم المستأجر في الحقل الثاني.",
    "العروض فوق عشرة آلاف تستخدم القالب الأزرق.",
    "الترجمة عند الوكالة في بورتو وليست بالأداة.",
    "أرقام الأسبوع تسلم ظهر الخميس.",
    "الموجه القديم في القبو يبقى عاملا من أجل الإنذار.",
    "مفاتيح الميزات الأقدم من ربع سنة تحذف.",
]
LANGUAGES = {"en": EN, "de": DE, "zh": ZH, "ja": JA, "ar": AR, "mixed": [*EN[:6], *DE[6:12], *ZH[12:16], *AR[:4]]}


def text(rules: Sequence[str], more: Sequence[str] = ()) -> str:
    return "# Memory\n\n## Rules\n\n" + "".join(f"- {rule}\n" for rule in (*rules, *more))


def run(days: Days, states: Sequence[str], by: str = "cron:review") -> list[Verdict]:
    return [days.write(FILE, state, by) for state in states]


# --------------------------------------------------------------------------- seen


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_that_go_one_by_one_are_seen_in_every_language(language: str) -> None:
    rules = LANGUAGES[language]
    days = Days()
    days.seen(FILE, text(rules))
    verdicts = run(days, [text(rules[n:]) for n in range(1, 7)])
    assert any(map(is_erosion, verdicts))
    assert is_erosion(verdicts[-1])
    assert all_lost(verdicts[-1]) == 6


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_trivial_line_for_every_few_rules_does_not_hide_it(language: str) -> None:
    rules = LANGUAGES[language]
    days = Days()
    days.seen(FILE, text(rules))
    notes = [f"- looked at all of it, run {n}\n" for n in range(1, 9)]
    verdicts = run(days, [text(rules[n:]) + "".join(notes[: n // 2]) for n in range(1, 8)])
    assert is_erosion(verdicts[-1])


def test_forty_one_become_thirty_seven_over_six_rewrites() -> None:
    all_rules = memory(1, 41, 17).splitlines(keepends=True)
    lines = [line for line in all_rules if line.startswith("- ")]
    head = [line for line in all_rules if not line.startswith("- ")]
    days = Days()
    days.seen(FILE, "".join([*head, *lines]))
    rest, verdicts = list(lines), []
    for gone in (1, 0, 1, 1, 0, 1):
        rest = rest[gone:]
        verdicts.append(days.write(FILE, "".join([*head, *reversed(rest[:3]), *rest[3:]]), "agent:main"))
    assert [v.event_class for v in verdicts].count(EventClass.EROSION) == 1
    assert is_erosion(verdicts[-1])


def test_several_writers_on_one_file_add_up() -> None:
    days = Days()
    days.seen(FILE, text(EN))
    verdicts = [
        days.write(FILE, text(EN[n:]), by)
        for n, by in enumerate(["agent:a", "agent:b", "unknown", "cron:c", "agent:d"], 1)
    ]
    assert is_erosion(verdicts[-1])
    assert verdicts[-1].facts["ledger"] == "file"
    assert verdicts[-1].facts["writers"] == 5


def test_one_writer_takes_what_others_add() -> None:
    """The file as a whole grows; the review only takes."""
    days = Days()
    days.seen(FILE, text(EN[:14]))
    rest, added = list(EN[:14]), list[str]()
    found = []
    for n in range(6):
        added.append(EN[14 + n])
        days.write(FILE, text(rest, added), "agent:main")
        rest = rest[1:]
        found.append(days.write(FILE, text(rest, added), "cron:review"))
    assert is_erosion(found[-1])
    assert found[-1].facts["ledger"] == "cron:review"
    assert all_lost(found[-1]) == 6


def test_one_writer_takes_one_entry_from_each_of_many_files() -> None:
    days = Days()
    parts = {f"memory/topic-{n}.md": EN[4 * n : 4 * n + 4] + DE[4 * n : 4 * n + 4] for n in range(5)}
    for path, rules in parts.items():
        days.seen(path, text(rules))
    verdicts = [days.write(path, text(rules[1:]), "cron:review", 20) for path, rules in parts.items()]
    assert [is_erosion(v) for v in verdicts] == [False, False, False, True, True]
    assert verdicts[3].facts["files"] == 4
    assert {write.path.decode() for write in verdicts[3].writes} == set(list(parts)[:3])


def test_everything_that_is_lost_comes_back_and_what_was_written_stays() -> None:
    days = Days()
    days.seen(FILE, text(EN))
    for n in range(1, 6):
        verdict = days.write(FILE, text(EN[:3] + EN[3 + n :], DE[:1]), "cron:review")
    assert is_erosion(verdict)
    now = days.now(FILE).encode()
    file = days.files[FILE.encode()]
    assert days.case is not None
    assert days.case.baseline is not None
    now = merge_missing(days.case.baseline.data, now, verdict.change.lost)
    for write in reversed(verdict.writes):
        now = merge_missing(file.texts[write.base_seq], now, write.lost)
    lines = [line for line in now.decode().splitlines() if line.startswith("- ")]
    assert lines == [f"- {rule}" for rule in (*EN, *DE[:1])]


# --------------------------------------------------------------------------- not seen


def test_as_much_comes_as_goes() -> None:
    """A task list: what is done goes, new tasks come."""
    days = Days()
    tasks = [*EN, *DE]
    days.seen(FILE, text(tasks[:12]))
    for n in range(1, 25):
        assert not is_erosion(days.write(FILE, text(tasks[n : n + 12]), "agent:main"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_section_that_is_written_anew_each_time(language: str) -> None:
    rules = LANGUAGES[language]
    days = Days()
    states = [
        "Migration waits for the certificate.",
        "The import runs, nine files are left.",
        "Everything is deployed.",
    ]
    days.seen(FILE, text(rules) + "\n## Now\n\n- Nothing is going on at the moment here.\n")
    for n in range(9):
        state = f"{states[n % 3]} Run {n} of the week, started by hand {n * 7} minutes late."
        assert not is_erosion(days.write(FILE, text(rules) + f"\n## Now\n\n- {state}\n", "agent:main"))


def test_a_file_that_grows_while_entries_are_replaced() -> None:
    days = Days()
    pool = [*EN, *DE]
    days.seen(FILE, text(pool[:10]))
    for n in range(1, 12):
        assert not is_erosion(days.write(FILE, text(pool[n : 10 + 2 * n]), "agent:main"))


@pytest.mark.parametrize(
    "mark",
    [
        "- [x] {}",
        "- [X] {}",
        "- ✅ {}",
        "- ~~{}~~",
        "- DONE: {}",
        "- Erledigt: {}",
        "- {} (done)",
        "- {} — erledigt",
        "- 已完成：{}",
        "- 完了: {}",
        "- {} ✔",
        "- تم: {}",
        "- {} (done 2026-01-03)",
    ],
)
def test_what_is_done_may_go(mark: str) -> None:
    days = Days()
    tail = "".join(mark.format(rule) + "\n" for rule in EN[12:20])
    lines = tail.splitlines(keepends=True)
    days.seen(FILE, text(EN[:12]) + tail)
    for n in range(1, 9):
        assert not is_erosion(days.write(FILE, text(EN[:12]) + "".join(lines[n:])))


@pytest.mark.parametrize(
    ("entry", "over"),
    [
        ("Offer valid until 2026-01-15.", True),
        ("Die Frist läuft bis 15.1.2026.", True),
        ("截至2026年1月15日有效。", True),
        ("応募は2026/01/15まで。", True),
        ("ينتهي العرض في 2026-01-15", True),
        ("Offer valid until 2027-01-15.", False),
        ("On 2026-01-15 we decided to use Postgres.", False),
        ("2026-01-15: never restart the router by day.", False),
        ("Everything must be done before the audit.", False),
        ("The deadline is strict.", False),
        ("[ ] water the plants", False),
        ("Done is better than perfect.", False),
    ],
)
def test_whether_the_time_of_an_entry_is_over(entry: str, over: bool) -> None:
    assert is_over(entries(f"- {entry}\n".encode(), KEY)[0], START_NS) is over


def test_what_came_back_is_not_lost() -> None:
    days = Days()
    days.seen(FILE, text(EN))
    for n in range(6):
        without = [rule for k, rule in enumerate(EN) if k != n]
        assert not is_erosion(days.write(FILE, text(without), "agent:main"))
        assert not is_erosion(days.write(FILE, text(EN), "agent:main"))


def test_what_stands_in_another_file_later_is_not_lost() -> None:
    days = Days()
    days.seen(FILE, text(EN))
    days.seen("memory/topics.md", "# Topics\n")
    for n in range(1, 4):
        assert not is_erosion(days.write(FILE, text(EN[n:])))
    days.write("memory/topics.md", "# Topics\n\n" + "".join(f"- {rule}\n" for rule in EN[:3]))
    for n in range(4, 7):
        assert not is_erosion(days.write(FILE, text(EN[n:])))


def test_what_a_person_takes_is_no_erosion() -> None:
    days = Days()
    days.seen(FILE, text(EN))
    for n in range(1, 9):
        assert not is_erosion(days.write(FILE, text(EN[n:]), "human:vim"))
    assert not is_erosion(days.write(FILE, text(EN[9:]), "agent:main"))


def test_after_two_weeks_it_is_forgotten() -> None:
    days = Days()
    days.seen(FILE, text(EN))
    for n in range(1, 8):
        assert not is_erosion(days.write(FILE, text(EN[n:]), after_h=24 * 7.1))


def test_once_accepted_it_starts_anew() -> None:
    days = Days()
    days.seen(FILE, text(EN))
    verdicts = run(days, [text(EN[n:]) for n in range(1, 6)])
    assert is_erosion(verdicts[-1])
    days.accept(FILE, lost_fingerprints(verdicts[-1]))
    assert not any(map(is_erosion, run(days, [text(EN[n:]) for n in range(6, 9)])))
    assert is_erosion(run(days, [text(EN[9:])])[0])


def test_what_a_proposal_offers_already_is_not_told_twice() -> None:
    days = Days()
    days.seen(FILE, text(EN))
    assert days.write(FILE, text(EN[6:])).event_class is EventClass.SHRINK
    assert not is_erosion(days.write(FILE, text(EN[7:])))


def test_reworded_step_by_step_is_not_lost() -> None:
    days = Days()
    days.seen(FILE, text(EN))
    now = list(EN)
    for n in range(8):
        now[n] = now[n].replace(".", ", as agreed with everybody.")
        assert not is_erosion(days.write(FILE, text(now)))


# --------------------------------------------------------------------------- the ledger


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 12))
def test_nothing_is_told_as_lost_that_is_there(seed: int, writes: int) -> None:
    chosen = random.Random(seed)
    pool = [*EN, *DE, *ZH]
    days = Days()
    now = pool[:20]
    days.seen(FILE, text(now))
    for _ in range(writes):
        now = [rule for rule in now if chosen.random() > 0.06] + chosen.sample(pool, chosen.randrange(0, 3))
        now = list(dict.fromkeys(now))
        chosen.shuffle(now)
        verdict = days.write(FILE, text(now), chosen.choice(["agent:a", "cron:b", "unknown"]))
        there = {entry.fingerprint for entry in entries(text(now).encode(), KEY)}
        assert not lost_fingerprints(verdict) & there
        share, net = verdict.facts.get("net_share", 0.0), verdict.facts.get("net_entries", 0)
        assert isinstance(share, float)
        assert isinstance(net, (int, float))
        assert 0 <= share <= 1
        assert net >= 0
        if is_erosion(verdict):
            assert net >= days.policy.thresholds.erosion_entries
            assert all_lost(verdict) >= net


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5), st.integers(0, 3)), max_size=400))
def test_a_ledger_has_a_bounded_size_and_no_old_lines(lines: list[tuple[int, int, int]]) -> None:
    ledger: list[LedgerLine] = []
    at = START_NS
    for hours, lost, gained in lines:
        at += hours * 3_600_000_000_000
        spans = tuple(Span(k, k, 5, bytes(8)) for k in range(lost * 30))
        marks = tuple(bytes([k]) * 8 for k in range(gained))
        ledger = entered(
            ledger, LedgerLine(at, f"agent:{hours % 2}", len(spans), gained, 5, 9, 1, 1, spans, marks, 3, 9)
        )
    assert len(ledger) <= LINES_KEPT
    assert sum(len(line.spans) for line in ledger[1:]) <= SPANS_KEPT
    assert all(at - line.at_ns < LEDGER_NS for line in ledger)
    assert all(len(line.gained) <= 4 * GAINED_KEPT for line in ledger)


def test_ids_of_a_long_erosion_are_all_named() -> None:
    days = Days()
    lines = memory(1, 60, 5).splitlines(keepends=True)
    days.seen(FILE, "".join(lines))
    bullets = [n for n, line in enumerate(lines) if line.startswith("- ")]
    verdict = None
    for n in range(1, 11):
        gone = set(bullets[:n])
        verdict = days.write(FILE, "".join(line for k, line in enumerate(lines) if k not in gone))
    assert verdict is not None
    assert is_erosion(verdict)
    assert all_lost(verdict) == 10
    assert len(ids_of("".join(lines).encode())) == 60

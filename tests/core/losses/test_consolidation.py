"""A consolidation that keeps every fact loses nothing; one that drops facts loses exactly those."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.comparing.change import compare
from conductd.core.losses.consolidation import folded
from conductd.core.policy import Thresholds
from conductd.core.reading.entries import entry_table
from conductd.model import Change
from scenarios.texts import memory
from support.cases import KEY

LIMITS = Thresholds()
FILL = "\n## Other\n\n- The printer on the second floor is called Gutenberg.\n- Lunch is at noon on weekdays.\n"


def change(old: str, new: str) -> Change:
    before, after = entry_table((old + FILL).encode(), KEY), entry_table((new + FILL).encode(), KEY)
    return folded(compare(before, after, (), LIMITS), before, after, LIMITS)


def lost(old: list[str], new: list[str], title: str = "## Notes") -> list[str]:
    texts = [f"{title}\n\n" + "".join(f"- {entry}\n" for entry in entries) for entries in (old, new)]
    lines = (texts[0] + FILL).split("\n")
    return [lines[span.line - 1][2:] for span in change(*texts).lost]


KEPT: dict[str, tuple[list[str], list[str]]] = {
    "two notes become one sentence": (
        ["Anna reviews the payment flow.", "Anna also reviews refunds."],
        ["Anna reviews the payment flow and refunds."],
    ),
    "dates folded": (
        [
            "2026-03-03: the nightly import failed again.",
            "2026-03-04: the nightly import failed again.",
            "2026-03-07: the nightly import failed again.",
        ],
        ["On 3, 4 and 7 March the nightly import failed again."],
    ),
    "addresses in one line": (
        ["The staging server is 10.0.4.7.", "The production server is 10.0.4.9.", "The backup server is 10.0.4.11."],
        ["Servers: staging 10.0.4.7, production 10.0.4.9, backup 10.0.4.11."],
    ),
    "owners in one line": (
        ["Billing is owned by Maria.", "Search is owned by Tomasz.", "Mail is owned by Yuki."],
        ["Owners: billing Maria, search Tomasz, mail Yuki."],
    ),
    "near-duplicates dropped": (
        [
            "Deploy on Tuesday after the smoke tests passed.",
            "We deploy on Tuesdays, after the smoke tests have passed.",
            "Deploys: Tuesday, after smoke tests passed.",
        ],
        ["Deploy on Tuesday after the smoke tests passed."],
    ),
    "the same in another order, with a word of stress": (
        ["Restart the router only by night.", "Reminder: only by night restart the router!", "Anna has the key."],
        ["Restart the router only by night.", "Anna has the key."],
    ),
    "the shorter of two": (
        ["Backups run at three in the morning on the NAS.", "Backups run at three on the NAS.", "Anna has the key."],
        ["Backups run at three in the morning on the NAS.", "Anna has the key."],
    ),
    "German twins": (
        ["Den Router nur nachts neu starten.", "Hinweis: Router nur nachts neu starten", "Anna hat den Schlüssel."],
        ["Den Router nur nachts neu starten.", "Anna hat den Schlüssel."],
    ),
    "exact duplicates dropped": (
        ["Keep the router on.", "Keep the router on.", "Keep the router on.", "Never restart it by day."],
        ["Keep the router on.", "Never restart it by day."],
    ),
    "reordered and retitled": (
        ["Backups run at three.", "Logs rotate weekly.", "Alerts go to the phone."],
        ["Alerts go to the phone.", "Backups run at three.", "Logs rotate weekly."],
    ),
    "a paragraph out of a list": (
        ["The customer is Harbor Ltd.", "Their contract ends in May.", "They pay within fourteen days."],
        ["The customer is Harbor Ltd, whose contract ends in May; they pay within fourteen days."],
    ),
    "an entry falls into two": (
        ["The NAS is at 10.0.4.7 and is backed up every night to the cellar disk."],
        ["NAS: 10.0.4.7", "The NAS is backed up every night to the cellar disk"],
    ),
    "two negations in one": (
        ["Never push to main without a review.", "Never deploy on Friday."],
        ["Never push to main without a review, and never deploy on Friday."],
    ),
    "ids kept": (
        ["[m-0101] The alarm code lives in the vault.", "[m-0102] The vault is opened by Sam."],
        ["[m-0101, m-0102] The alarm code lives in the vault, which is opened by Sam."],
    ),
    "German owners": (
        ["Die Rechnungen macht Sabine.", "Die Mahnungen macht Sabine ebenfalls."],
        ["Sabine macht die Rechnungen und die Mahnungen."],
    ),
    "German dates": (
        ["03.03.2026: Der Import ist ausgefallen.", "05.03.2026: Der Import ist ausgefallen."],
        ["Am 3. und 5. März 2026 ist der Import ausgefallen."],
    ),
    "German ports": (
        ["Der Proxy lauscht auf Port 8443.", "Die Datenbank lauscht auf Port 5433."],
        ["Ports: Proxy 8443, Datenbank 5433 (beide lauschen)."],
    ),
    "Chinese, joined": (
        ["账单模块由李雷负责审核。", "退款模块也由李雷负责审核。"],
        ["账单模块和退款模块都由李雷负责审核。"],
    ),
    "Chinese, days folded": (
        ["3月3日夜间导入任务失败。", "3月5日夜间导入任务失败。"],
        ["3月3日和5日夜间导入任务失败。"],
    ),
    "Japanese, joined": (
        ["請求の確認は田中さんが担当する。", "返金の確認も田中さんが担当する。"],
        ["請求と返金の確認は田中さんが担当する。"],
    ),
    "Arabic, joined": (
        ["سامي يراجع الفواتير كل أسبوع.", "سامي يراجع المرتجعات كل أسبوع."],
        ["سامي يراجع الفواتير والمرتجعات كل أسبوع."],
    ),
    "mixed": (
        ["API gateway 的超时是 30 秒。", "API gateway 的重试次数是 3 次。"],
        ["API gateway 的超时是 30 秒，重试次数是 3 次。"],
    ),
    "French": (
        ["Le serveur de test est à Lyon.", "Le serveur de secours est à Lille."],
        ["Serveurs : test à Lyon, secours à Lille."],
    ),
    "Spanish": (
        ["La copia se hace a las tres.", "La copia se guarda en el sótano."],
        ["La copia se hace a las tres y se guarda en el sótano."],
    ),
    "Russian": (
        ["Резервная копия делается ночью.", "Резервная копия хранится в подвале."],
        ["Резервная копия делается ночью и хранится в подвале."],
    ),
}

DROPPED: dict[str, tuple[list[str], list[str], list[str]]] = {
    "a stub that names the subject": (
        ["Deploy on Tuesday after the smoke tests passed.", "Roll back within ten minutes when orders drop."],
        ["Deployment and rollback: see the handbook."],
        ["Deploy on Tuesday after the smoke tests passed.", "Roll back within ten minutes when orders drop."],
    ),
    "one of three addresses": (
        ["The staging server is 10.0.4.7.", "The production server is 10.0.4.9.", "The backup server is 10.0.4.11."],
        ["Servers: staging 10.0.4.7, production 10.0.4.9."],
        ["The backup server is 10.0.4.11."],
    ),
    "one of three days": (
        [
            "2026-03-03: the nightly import failed again.",
            "2026-03-04: the nightly import failed again.",
            "2026-03-17: the nightly import failed again.",
        ],
        ["On 3 and 4 March the nightly import failed again."],
        ["2026-03-17: the nightly import failed again."],
    ),
    "one of three owners": (
        ["Billing is owned by Maria.", "Search is owned by Tomasz.", "Mail is owned by Yuki."],
        ["Owners: billing Maria, search Tomasz."],
        ["Mail is owned by Yuki."],
    ),
    "a name becomes somebody": (
        [
            "Refunds over a hundred euros need a word from Priya first.",
            "Refunds are booked on Mondays, weekly, by hand.",
        ],
        ["Refunds over a hundred euros need a word from somebody first; they are booked on Mondays, weekly, by hand."],
        ["Refunds over a hundred euros need a word from Priya first."],
    ),
    "the negation goes": (
        ["Do not restart the router by day.", "Restart the printer whenever it blinks."],
        ["Restart the router by day and the printer whenever it blinks."],
        ["Do not restart the router by day."],
    ),
    "a rule beside one like it": (
        ["Ask before touching the billing table.", "Ask before touching the payments table.", "Anna has the key."],
        ["Ask before touching the billing table.", "Anna has the key."],
        ["Ask before touching the payments table."],
    ),
    "Chinese rules beside one another": (
        ["万元以上的报价使用蓝色模板制作。", "万元以上的报价使用红色模板制作。", "安娜有钥匙。"],
        ["万元以上的报价使用蓝色模板制作。", "安娜有钥匙。"],
        ["万元以上的报价使用红色模板制作。"],
    ),
    "a list of subjects": (
        [
            "Billing closes on the last working day at noon.",
            "Support answers in the language of the first mail.",
            "The espresso machine contract ends with the lease.",
        ],
        ["Topics so far: billing, support, espresso machine."],
        [
            "Billing closes on the last working day at noon.",
            "Support answers in the language of the first mail.",
            "The espresso machine contract ends with the lease.",
        ],
    ),
    "a count of what was there": (
        [
            "The alarm code is in the vault.",
            "The vault is opened by two people.",
            "The spare key is with the neighbour.",
        ],
        ["Three notes on access were reviewed and found correct."],
        [
            "The alarm code is in the vault.",
            "The vault is opened by two people.",
            "The spare key is with the neighbour.",
        ],
    ),
    "a port": (
        ["The proxy listens on port 8443 behind the firewall.", "The proxy is restarted by the watchdog script."],
        ["The proxy listens behind the firewall and is restarted by the watchdog script."],
        ["The proxy listens on port 8443 behind the firewall."],
    ),
    "a path": (
        ["Secrets are read from `/etc/harbor/keys.toml` at start.", "Secrets are rotated every first Monday."],
        ["Secrets are read at start and rotated every first Monday."],
        ["Secrets are read from `/etc/harbor/keys.toml` at start."],
    ),
    "German, a stub": (
        ["Ausgerollt wird dienstags nach den Rauchtests.", "Zurückgerollt wird binnen zehn Minuten."],
        ["Zum Ausrollen siehe Handbuch."],
        ["Ausgerollt wird dienstags nach den Rauchtests.", "Zurückgerollt wird binnen zehn Minuten."],
    ),
    "German, the negation": (
        ["Den Router tagsüber nicht neu starten.", "Den Drucker bei Blinken neu starten."],
        ["Router tagsüber und Drucker bei Blinken neu starten."],
        ["Den Router tagsüber nicht neu starten."],
    ),
    "German, a number": (
        ["Der Proxy lauscht auf Port 8443.", "Die Datenbank lauscht auf Port 5433."],
        ["Proxy und Datenbank lauschen auf Port 8443."],
        ["Die Datenbank lauscht auf Port 5433."],
    ),
    "Chinese, a stub": (
        ["每周二冒烟测试通过之后才能上线部署。", "超过九十天的发票转交法务邮箱处理。"],
        ["部署与发票的规则已经整理完毕。"],
        ["每周二冒烟测试通过之后才能上线部署。", "超过九十天的发票转交法务邮箱处理。"],
    ),
    "Chinese, one of two": (
        ["账单模块由李雷负责审核。", "地下室的旧路由器要为警报系统一直开着。"],
        ["账单模块由李雷负责审核和归档。"],
        ["地下室的旧路由器要为警报系统一直开着。"],
    ),
    "Chinese, a day": (
        ["3月3日夜间导入任务失败。", "3月15日夜间导入任务失败。"],
        ["3月3日夜间导入任务失败，已通知相关同事。"],
        ["3月15日夜间导入任务失败。"],
    ),
    "Japanese, one of two": (
        ["請求の確認は田中さんが担当する。", "地下の古い機器は警報のため電源を切らない。"],
        ["請求の確認は田中さんが担当し、記録も残す。"],
        ["地下の古い機器は警報のため電源を切らない。"],
    ),
    "Arabic, one of two": (
        ["سامي يراجع الفواتير كل أسبوع.", "الموجه القديم في القبو يبقى عاملا من أجل الإنذار."],
        ["سامي يراجع الفواتير كل أسبوع ويحفظها."],
        ["الموجه القديم في القبو يبقى عاملا من أجل الإنذار."],
    ),
    "Arabic, a stub": (
        ["كلمة مرور البيئة التجريبية تتغير كل أول اثنين من الشهر.", "جهاز التخزين ينسخ احتياطيا عند الثالثة فجرا."],
        ["تمت مراجعة الملاحظات كلها."],
        ["كلمة مرور البيئة التجريبية تتغير كل أول اثنين من الشهر.", "جهاز التخزين ينسخ احتياطيا عند الثالثة فجرا."],
    ),
    "mixed, a number": (
        ["API gateway 的超时是 30 秒。", "API gateway 的重试次数是 3 次。"],
        ["API gateway 的超时是 30 秒，失败时会重试。"],
        ["API gateway 的重试次数是 3 次。"],
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_consolidation_that_keeps_every_fact_loses_nothing(name: str) -> None:
    old, new = KEPT[name]
    assert lost(old, new) == []


@pytest.mark.parametrize("name", DROPPED)
def test_a_consolidation_that_drops_facts_loses_exactly_those(name: str) -> None:
    old, new, gone = DROPPED[name]
    assert lost(old, new) == gone


def test_words_that_stand_far_apart_say_nothing_together() -> None:
    """In a long text every word of the subject occurs somewhere."""
    sentences = [
        f"Point {n} of the report is about {w} and how it went in the year."
        for n, w in enumerate(
            [
                "deploys",
                "the weather",
                "smoke",
                "fire drills",
                "tests",
                "holidays",
                "tuesday lunches",
                "passes",
                "travel",
            ]
        )
    ]
    report = " ".join(sentences)
    assert lost(["Deploy on Tuesday after the smoke tests passed."], [report]) == [
        "Deploy on Tuesday after the smoke tests passed."
    ]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_other_notes_of_the_same_domain_cover_nothing(seed: int, other: int) -> None:
    """Notes that share their vocabulary and say other things."""
    old, new = memory(1, 12, seed), memory(1, 12, 20_000 + other, first_id=500)
    before, after = entry_table(old.encode(), KEY), entry_table(new.encode(), KEY)
    first = compare(before, after, (), LIMITS)
    second = folded(first, before, after, LIMITS)
    assert len(first.lost) - len(second.lost) <= 1


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sets(st.integers(0, 23), max_size=12))
def test_the_sum_of_a_change_stays_the_entries_before(seed: int, gone: set[int]) -> None:
    lines = memory(2, 12, seed).splitlines(keepends=True)
    bullets = [n for n, line in enumerate(lines) if line.startswith("- ")]
    left = [line for n, line in enumerate(lines) if n not in {bullets[k] for k in gone}]
    before, after = entry_table("".join(lines).encode(), KEY), entry_table("".join(left).encode(), KEY)
    found = folded(compare(before, after, (), LIMITS), before, after, LIMITS)
    assert found.kept + len(found.reworded) + len(found.moved) + len(found.lost) == found.entries_before
    assert 0 <= found.lost_share <= 1

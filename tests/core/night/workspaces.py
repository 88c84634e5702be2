"""Workspaces in the night: clean, busy, broken, in Chinese and Japanese, empty; each with all that is known of it."""

from __future__ import annotations

from datetime import date

from msgspec.structs import replace

from conductd.core.checkpoint.result import CheckpointResult
from conductd.core.doctor.finding import Finding as Diagnosis
from conductd.core.doctor.finding import Result
from conductd.core.night.facts import Before, Day, DayIncident, Night, NightFile, Occasion
from conductd.core.qc.facts import CardFacts, Drill, PinFacts, QcFacts
from conductd.core.qc.notes import sources
from conductd.core.qc.pointers import mentioned
from conductd.model import EventClass, Role, Severity

DAY = date(2026, 3, 8)
DOCTOR = ("missing_files", "load_cut", "load_total", "wrong_case", "links", "not_loaded", "agent_settings", "writable")
WELL = tuple(Diagnosis(each, Result.OK, "fine") for each in DOCTOR)
CLEAN = {
    "AGENTS.md": "# Rules\n\n- Never push on Fridays\n",
    "MEMORY.md": "# Memory\n\n- the office is in Bern, see memory/parser.md\n- the port is 8443\n",
    "memory/2026-03-07.md": "# 2026-03-07\n\n- began the parser\n",
    "memory/2026-03-08.md": "# 2026-03-08\n\n## Parser rewrite (in progress)\n\n"
    "- 40 rules\n- next: run the fuzz tests\n",
    "memory/parser.md": "# Parser\n\n- it reads the grammar of the notes\n",
}
BUSY = {
    **CLEAN,
    "MEMORY.md": CLEAN["MEMORY.md"]
    + "- we decided to use Postgres instead of SQLite, for the web shop writes from four hosts\n"
    + "- Never deploy without asking Anna\n"
    + "- the database listens on port 5432\n"
    + "- the notes of the meeting lie in `memory/meeting.md`\n"
    + "- the deploy of the web shop runs every night at two\n",
    "TASKS.md": "# Tasks\n\n- [ ] renew the certificate by 2026-03-01\n"
    "- [ ] ask Ben about the invoice\n- [x] move the shop\n",
    "memory/deploy.md": "# Deploy\n\n- the deploy of our web shop runs every night at two\n"
    "- Never deploy without asking Anna\n"
    "- the database listens on port 6543\n",
    "memory/kitchen.md": "# Kitchen\n\n- [x] call the plumber\n- [x] pay the plumber\n",
}
BROKEN = {
    "MEMORY.md": "# Memory\n\n- see [the plan](memory/plan.md) and `memory/gone.md`\n",
    "memory/2026-03-08.md": "",
    "memory/2026-13-45.md": "- a day that is none\n",
    "memory/2027-01-01.md": "- to come\n",
}
CJK = {
    "MEMORY.md": "# 記憶\n\n- 事務所はベルンにある\n- 数据库密码保存在保险箱里\n"
    "- 绝不在星期五部署\n- 会議の記録は memory/会議.md にある\n",
    "memory/2026-03-08.md": "# 2026-03-08\n\n## 解析器の書き直し（進行中）\n\n"
    "- 文法は四十規則\n- 次：ファズ試験を走らせる\n",
    "memory/会議.md": "# 会議\n\n- [ ] 請求書についてベンに聞く\n- 数据库密码保存在保险箱里\n",
}


def _role(path: str) -> Role:
    if path == "AGENTS.md":
        return Role.INSTRUCTIONS
    if path.startswith("memory/2"):
        return Role.DAILY
    return Role.TOPIC if path.startswith("memory/") else Role.CURATED


def _night(job: str, files: dict[str, str], before: dict[str, str | None], incidents: tuple[DayIncident, ...]) -> Night:
    """`before`: what the files that changed on the day held."""
    return Night(
        occasion=Occasion(job, "w", b"/home/anna/clawd", DAY, "Europe/Berlin", 0),
        agent="openclaw",
        version="2026.3.1",
        files=tuple(NightFile(path.encode(), _role(path), text.encode(), 1) for path, text in sorted(files.items())),
        unread=(),
        day=Day(DAY, 0, 1, len(before), incidents, (0,) * 24),
        before=tuple(
            Before(path.encode(), text and text.encode(), after=files[path].encode() if path in files else None)
            for path, text in before.items()
        ),
    )


def _incident(number: int, path: str, state: str, severity: Severity, lost: int) -> DayIncident:
    done = "put back as it was" if state == "resolved" else "nothing yet"
    return DayIncident(number, EventClass.OVERWRITE, severity, state, (path.encode(),), lost, 1, done)


def night(name: str, job: str) -> Night:
    log, memory = "memory/2026-03-08.md", "MEMORY.md"
    if name == "clean":
        return _night(job, CLEAN, {log: None}, ())
    if name == "busy":
        written = {log: None, memory: CLEAN[memory], "TASKS.md": None, "memory/deploy.md": None}
        return _night(job, BUSY, written, (_incident(41, memory, "resolved", Severity.NOTICE, 0),))
    if name == "broken":
        lost = (_incident(43, memory, "open", Severity.ALARM, 17), _incident(44, log, "open", Severity.NOTICE, 1))
        made = _night(job, BROKEN, {log: "- met Anna\n"}, lost)
        return replace(made, unread=((b"USER.md", "no permission"),))
    if name == "cjk":
        return _night(job, CJK, {log: None, memory: "# 記憶\n\n- 事務所はベルンにある\n"}, ())
    made = _night(job, {}, {}, ())
    return replace(made, agent="", version="")


def qc_facts(name: str) -> QcFacts:
    of = night(name, "qc")
    facts = QcFacts(
        night=of,
        diagnoses=WELL,
        verified=CheckpointResult(is_whole=True, versions=340),
        pins=PinFacts(2, 0),
        card=CardFacts(310, 500, 0, 0),
        drill=Drill(len(of.files)),
        missing=frozenset(path for path in mentioned(sources(of)) if path not in {each.path for each in of.files}),
        searched=frozenset(each.path for each in of.files),
    )
    if name == "busy":
        near = Diagnosis("load_near", Result.WARN, "MEMORY.md is at 91 % of its limit (18,200 of 20,000 characters)")
        split = Diagnosis("wrong_case", Result.FAIL, "user.md is not loaded: the name is USER.md", files=(b"user.md",))
        fixed = replace(split, repair="wrong_case")
        card = CardFacts(500, 500, 1, 0)
        return replace(facts, diagnoses=_with(near, fixed), card=card, searched=frozenset({b"MEMORY.md"}))
    if name == "broken":
        return replace(
            facts,
            diagnoses=_with(
                Diagnosis("load_cut", Result.FAIL, "MEMORY.md is cut", files=(b"MEMORY.md",)),
                Diagnosis("links", Result.FAIL, "memory/a.md is a symbolic link to b.md", repair="link"),
                Diagnosis("hard_links", Result.FAIL, "USER.md has 2 names", files=(b"USER.md",), repair="hard_link"),
            ),
            verified=CheckpointResult(is_whole=False, versions=340, damaged=1),
            pins=PinFacts(2, 1),
            card=CardFacts(500, 500, 4, 1),
            drill=Drill(3, different=(b"MEMORY.md",)),
        )
    if name == "empty":  # nothing can be had
        return QcFacts(night=of, diagnoses=(), pins=PinFacts(0, 0))
    return facts


def _with(*wrong: Diagnosis) -> tuple[Diagnosis, ...]:
    named = {each.check for each in wrong}
    return (*(each for each in WELL if each.check not in named), *wrong)


NAMES = ("clean", "busy", "broken", "cjk", "empty")

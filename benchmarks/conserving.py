"""How long 5,000 lost entries are looked for in 200 other files: the search that decides what is lost.

In this process, without a daemon: `core.comparing.change.compare` alone. What the other files hold is known from an
earlier judgement, as it is in a daemon that runs; the lost entries are new to it each time. *Moved*: every entry
stands in one of the files word for word; *reworded*: every entry stands there in other words; *nowhere*: none does.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from benchmarks import texts
from benchmarks.figures import Figure, at_most
from benchmarks.session import Session
from conductd.core.comparing.change import Place, compare
from conductd.core.reading.entries import entry_table
from conductd.engine.gathering.tables import Tables

FILES, ENTRIES, ROUNDS = 200, 5_000, 5
_KEY = b"benchmark"
_HAN = (
    "记忆设置确认步骤构成变更历史负责环境测试结果保存恢复监控通知时间顺序规则部署预算"
    "客户端口数据库备份磁盘网络周一凌晨会议密码证书版本分支合并发布回滚日志报警值班"
)

Item = Callable[[random.Random], str]


def run(session: Session) -> Iterator[Figure]:
    entries, files = session.choose(ENTRIES, 500), session.choose(FILES, 20)
    for script, item in (("English", texts.item), ("Chinese", _chinese), ("mixed", _mixed)):
        rng = random.Random(11)
        lost = [item(rng) for _ in range(entries)]
        for kind, elsewhere in (
            ("moved", lost),
            ("reworded", [_reworded(rng, line) for line in lost]),
            ("nowhere", [item(rng) for _ in range(entries)]),
        ):
            rounds, found = _measured(lost, elsewhere, files, session.choose(ROUNDS, 1))
            what = f"look for {entries:,} lost entries in {files} files, {script}, {kind} ({found:,} found)"
            yield at_most(what, rounds, "ms", 200)


def _measured(lost: list[str], elsewhere: list[str], files: int, rounds: int) -> tuple[list[float], int]:
    """Milliseconds of each round, and how many entries were found."""
    tables = Tables(_KEY)
    places: list[Place] = [
        Place(b"note-%03d.md" % at, tables(("# Note\n\n" + "\n".join(elsewhere[at::files]) + "\n").encode(), _KEY))
        for at in range(files)
    ]
    after = entry_table(b"# Memory\n", _KEY)
    compare(entry_table(_memory(lost[:50]), _KEY), after, places)
    times, found = [], 0
    for _ in range(rounds):
        before = entry_table(_memory(lost), _KEY)
        begun = time.perf_counter()
        change = compare(before, after, places)
        times.append((time.perf_counter() - begun) * 1000)
        found = len(change.moved)
    return times, found


def _memory(lines: list[str]) -> bytes:
    return ("# Memory\n\n" + "\n".join(lines) + "\n").encode()


def _chinese(rng: random.Random) -> str:
    return "- " + "".join(rng.choice(_HAN) for _ in range(20)) + "。"


def _mixed(rng: random.Random) -> str:
    words = texts.item(rng, 5).removeprefix("- ")
    return (
        "- " + "".join(rng.choice(_HAN) for _ in range(8)) + f" {words} " + "".join(rng.choice(_HAN) for _ in range(4))
    )


def _reworded(rng: random.Random, line: str) -> str:
    """One word (character) in ten is another, and one is put in."""
    latin = " " in line.removeprefix("- ")
    parts = line.removeprefix("- ").split() if latin else list(line.removeprefix("- "))
    for _ in range(max(1, len(parts) // 10)):
        parts[rng.randrange(len(parts))] = "indeed" if latin else "也"
    parts.insert(rng.randrange(len(parts)), "now" if latin else "今")
    return "- " + (" " if latin else "").join(parts)

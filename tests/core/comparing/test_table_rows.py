"""Tables that become lists, and heads that are only form."""

from __future__ import annotations

import pytest

from conductd.core.comparing.change import Place, compare
from conductd.core.reading.entries import entry_table
from conductd.model import Action
from support.cases import judged

TABLES = {
    "en": (
        "| # | Rule |\n|---|---|\n| 1 | Never deploy on Friday without Anna |\n"
        "| 2 | Backups go to birch with restic |\n"
        "| 3 | Tea in the morning, never coffee |\n",
        "- Never deploy on Friday without Anna\n- Backups go to birch using restic\n"
        "- Tea in the morning, never coffee\n",
    ),
    "de": (
        "| Nr | Host | Zweck | Port |\n|---|---|---|---|\n| 1 | birch | hält die Sicherungen | 5432 |\n"
        "| 2 | cedar | liefert die Webseite aus | 8080 |\n| 3 | elm | puffert die Sitzungen | 6379 |\n",
        "birch hält die Sicherungen, Port 5432.\n\ncedar liefert die Webseite aus, Port 8080.\n\n"
        "elm puffert die Sitzungen, Port 6379.\n",
    ),
    "zh": (
        "| 编号 | 主机 | 用途 | 端口 |\n|---|---|---|---|\n| 1 | 白桦 | 存放备份文件 | 5432 |\n"
        "| 2 | 雪松 | 运行网站服务 | 8080 |\n| 3 | 榆树 | 缓存会话数据 | 6379 |\n",
        "- 白桦：存放备份文件，端口 5432\n- 雪松：运行网站服务，端口 8080\n- 榆树：缓存会话数据，端口 6379\n",
    ),
    "ja": (
        "| 番号 | 規則 |\n|---|---|\n| 1 | 金曜日にアンナの許可なく本番へ出さない |\n"
        "| 2 | バックアップは restic で birch へ送る |\n",
        "金曜日にアンナの許可なく本番へ出さない。\n\nバックアップは restic で birch へ送る。\n",
    ),
}


def _lost(old: str, new: str, elsewhere: str = "") -> list[int]:
    places = [Place(b"memory/rules.md", entry_table(elsewhere.encode(), b""))] if elsewhere else []
    return [span.line for span in compare(entry_table(old.encode(), b""), entry_table(new.encode(), b""), places).lost]


@pytest.mark.parametrize("language", TABLES)
def test_a_table_that_became_a_list_is_no_loss(language: str) -> None:
    table, listed = TABLES[language]
    assert _lost(f"# M\n\n{table}", f"# M\n\n{listed}") == []
    assert _lost(f"# M\n\n{table}", "# M\n\n- see the other file\n", f"# Rules\n\n{listed}") == []


@pytest.mark.parametrize("language", TABLES)
def test_a_list_that_became_a_table_and_back_is_recorded(language: str) -> None:
    parts = [line.removeprefix("- ") for line in TABLES[language][1].split("\n") if line]
    listed = "# M\n\n" + "".join(f"- {part}\n" for part in parts)
    table = "# M\n\n| # | x |\n|---|---|\n" + "".join(f"| {n} | {part} |\n" for n, part in enumerate(parts, 1))
    assert judged(b"MEMORY.md", listed, table).action is Action.RECORD
    assert judged(b"MEMORY.md", table, listed).action is Action.RECORD


@pytest.mark.parametrize("language", TABLES)
def test_a_row_that_is_left_out_is_lost_with_the_head(language: str) -> None:
    table, listed = TABLES[language]
    parts = [line for line in listed.split("\n") if line]
    last = 4 + len(parts)
    assert _lost(f"# M\n\n{table}", "# M\n\n" + "\n\n".join(parts[:-1]) + "\n")[-1] == last
    other = [*parts[:-1], parts[-1].replace("6379", "6380")] if "6379" in listed else parts[:-1]
    assert last in _lost(f"# M\n\n{table}", "# M\n\n- see there\n", "# R\n\n" + "\n\n".join(other) + "\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [("Regeln / rules / 守るべき規則", "Regeln"), ("规则 rules", "规则"), ("القواعد", "Rules of the house")],
)
def test_another_head_over_the_same_rows_is_no_loss(old: str, new: str) -> None:
    rows = "|---|---|\n| 1 | Deploy on Friday with Anna |\n| 2 | Tea in the morning |\n"
    found = judged(b"MEMORY.md", f"# M\n\n| # | {old} |\n{rows}", f"# M\n\n| # | {new} |\n{rows}")
    assert found.action is Action.RECORD
    assert found.change.lost == ()


def test_a_number_that_counts_nothing_is_a_value() -> None:
    table = "| Port | Service |\n|---|---|\n| 8080 | nginx for the public site |\n| 5432 | postgres of Amber |\n"
    listed = "- 8081: nginx for the public site\n- 5433: postgres of Amber\n"
    assert set(_lost(f"# M\n\n{table}", "# M\n\n- see there\n", f"# R\n\n{listed}")) >= {5, 6}

"""One table of every reason to be degraded: page, list and code say the same, and each is raised by a test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.cli import status_check
from conductd.engine.health import metrics
from conductd.views.reasons import NOT_RECORDING, REASONS, Weight

from .pages import ROOT, first_cells, read

PACKAGE = ROOT / "daemon" / "conductd"
PAGE = read("docs/health.md")

# Calls whose first argument is a reason.
RAISING = {"raise_", "DegradedView", "Trouble", "_tell_degraded", "tell_degraded"}
# What only hands on a reason that somebody else gave, by module: the expression.
HANDED_ON = {
    ("engine/health/degraded.py", "reason"),
    ("engine/health/overview.py", "hangs.reason"),
    ("engine/health/tending.py", "trouble.reason"),
    ("engine/recording/intake.py", "degraded.reason"),
    ("engine/recording/telling.py", "reason"),
}
# Where a test raises it.
RAISED_BY = {
    "store": "crash/test_store_faults.py",
    "store_damage": "engine/test_missing_parts.py",
    "recorder": "engine/recording/test_recorder.py",
    "intake": "engine/health/test_reasons.py",
    "judge": "engine/health/test_reasons.py",
    "stuck": "engine/health/test_pulse.py",
    "missing": "engine/health/test_metrics.py",
    "unseen": "engine/health/test_reasons.py",
    "unreadable": "engine/health/test_reasons.py",
    "stood_down": "engine/people/test_commands.py",
    "half_done": "engine/people/test_write_set.py",
    "closed_off": "service/test_closed_off.py",
    "disk_slow": "engine/health/test_pulse.py",
    "watch_limit": "watch/test_degraded.py",
    "instance_limit": "watch/test_degraded.py",
    "no_backend": "engine/health/test_reasons.py",
    "no_events": "watch/test_degraded.py",
    "watcher_failed": "watch/test_degraded.py",
    "watcher_stopped": "watch/test_degraded.py",
    "overflow": "engine/health/test_reasons.py",
    "large_file": "engine/test_large_files.py",
    "index": "engine/test_missing_parts.py",
    "index_behind": "engine/test_missing_parts.py",
    "loads": "engine/health/test_reasons.py",
    "secrets": "engine/health/test_reasons.py",
    "forget": "engine/health/test_reasons.py",
    "bootcard": "engine/bootcards/test_daemon_cards.py",
    "channel": "notify/test_channels.py",
    "notice_spool": "engine/health/test_reasons.py",
    "config": "engine/configuring/test_reloading.py",
    "config_restart": "engine/configuring/test_reloading.py",
    "jobs": "engine/jobs/test_scheduler.py",
    "journal_size": "engine/retaining/test_gc.py",
    "gc": "engine/health/test_reasons.py",
    "heartbeat": "engine/health/test_heartbeat.py",
}


def raised() -> Iterator[tuple[str, str]]:
    """(module, the word before the colon) of every reason that the source raises."""
    for path in sorted(PACKAGE.rglob("*.py")):
        module, tree = str(path.relative_to(PACKAGE)), ast.parse(path.read_text(encoding="utf-8"))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            is_one = name in RAISING or (name == "Degraded" and module.startswith("watch/"))
            # Its own name for `tell_degraded`; elsewhere the word tells of other things.
            is_one = is_one or (name == "_tell" and module == "engine/configuring/reloading.py")
            if not is_one or (module, ast.unparse(call.args[0])) in HANDED_ON:
                continue
            word = _word(call.args[0], tree)
            assert word, f"{module}:{call.lineno}: which reason is {ast.unparse(call.args[0])}?"
            yield module, word


def _word(node: ast.expr, tree: ast.Module) -> str:
    """The text that an expression begins with, up to a colon; "": it cannot be told."""
    if isinstance(node, ast.Constant):
        return str(node.value).partition(":")[0]
    if isinstance(node, ast.JoinedStr):
        first = node.values[0]
        return str(first.value).partition(":")[0] if isinstance(first, ast.Constant) and ":" in first.value else ""
    if isinstance(node, ast.Name):
        for each in ast.walk(tree):
            if isinstance(each, ast.Assign) and any(ast.unparse(to) == node.id for to in each.targets):
                return _word(each.value, tree)
            if isinstance(each, ast.ImportFrom) and any(name.name == node.id for name in each.names):
                path = PACKAGE.parent / f"{(each.module or '').replace('.', '/')}.py"
                return _word(node, ast.parse(path.read_text(encoding="utf-8"))) if path.exists() else ""
    return ""


def test_the_list_holds_every_reason_that_is_raised_and_no_other() -> None:
    assert {word for _, word in raised()} == set(REASONS)


def test_no_reason_is_listed_twice() -> None:
    listed = re.findall(r'^    "(\w+)": Weight', read("daemon/conductd/views/reasons.py"), re.MULTILINE)
    assert len(listed) == len(set(listed))


def test_the_page_has_the_same_reasons_in_a_table_of_their_own() -> None:
    assert sorted(first_cells(PAGE, "## Why it is degraded")) == sorted(REASONS)


def test_the_page_says_which_are_grave_and_fills_every_cell() -> None:
    section = PAGE.partition("## Why it is degraded")[2].partition("\n## ")[0]
    for reason, weight in REASONS.items():
        (row,) = re.findall(rf"^\| `{reason}` \|(.*)\|$", section, re.MULTILINE)
        grave, *cells = [cell.strip() for cell in row.split(" | ")]
        assert grave.strip("| ") == ("grave" if weight is Weight.GRAVE else ""), reason
        assert len(cells) == 3, reason
        assert all(cells), reason


@pytest.mark.parametrize("reason", REASONS)
def test_each_is_raised_by_a_test(reason: str) -> None:
    text = (ROOT / "tests" / RAISED_BY[reason]).read_text(encoding="utf-8")
    assert re.search(rf"\"{reason}[\":]", text), f"{RAISED_BY[reason]} does not raise it"
    assert set(RAISED_BY) == set(REASONS)


def test_the_figures_are_those_of_the_page() -> None:
    given = set(re.findall(r"\"((?:conductd|process)_\w+)\"", Path(metrics.__file__).read_text(encoding="utf-8")))
    section = PAGE.partition("## Metrics")[2].partition("\n## ")[0]
    named = set(re.findall(r"^\| (.*?) \| (?:gauge|counter|summary) \|", section, re.MULTILINE))
    assert given == {name for cell in named for name in re.findall(r"(?:conductd|process)_\w+", cell)}


def test_the_exit_codes_are_on_both_pages() -> None:
    table = PAGE.partition("## For monitoring")[2].partition("\n## ")[0]
    for code in (status_check.DEGRADED, status_check.ALARMS, status_check.UNKNOWN):
        assert f"| {code} | " in table
        assert re.search(rf"\b{code}\b", read("docs/errors.md"))


def test_what_silences_the_heartbeat_is_named() -> None:
    (row,) = re.findall(r"^\| cannot record \((.*?)\)", PAGE, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", row)) == NOT_RECORDING

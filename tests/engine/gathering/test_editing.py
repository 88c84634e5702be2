"""A person at an editor, and those who only look like one: real processes on real terminals, a real daemon."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.conftest import notes
from support import editors
from support.daemon import Daemon

CUT = notes(1, 6)


def verdict(daemon: Daemon, path: str = "MEMORY.md") -> tuple[str, str, str]:
    last = daemon.events(kind="change", path=path)[-1]
    return last["event_class"], last["action"], last["data"]["rule"]


def writer(daemon: Daemon, path: Path) -> dict[str, Any]:
    """The newest version that is not the daemon's own."""
    return next(each for each in daemon.versions(path) if each["actor"] != "conductd")


def saved_by_vim(daemon: Daemon, file: Path, pid: int, text: str) -> None:
    """`:w` of a changed text, in place; the editor stays."""
    with editors.saving("vim", file, pid):
        daemon.sync()
        file.write_text(text)
    daemon.sync()


@pytest.fixture
def memory(workspace: Path) -> Path:
    return workspace / "MEMORY.md"


def test_a_large_cut_in_vim_is_left_and_can_be_undone(daemon: Daemon, memory: Path) -> None:
    with editors.running("vim", "MEMORY.md", directory=memory.parent, holds=[editors.swap_file(memory)]) as pid:
        saved_by_vim(daemon, memory, pid, CUT)
        daemon.settle()
        assert verdict(daemon)[1:] == ("record", "human")
        assert memory.read_text() == CUT
        seen = writer(daemon, memory)
        assert (seen["actor"], seen["confidence"]) == ("human:vim", 0.95)
        assert "its swap file says that it has just saved" in seen["evidence"]
        assert [each["severity"] for each in daemon.events(kind="notice")] in ([], ["info"])
        editors.close(memory)
    first = daemon.versions(memory)[-1]["seq"]
    assert daemon.cli("restore", f"MEMORY.md@{first}").exit_code == 0
    assert memory.read_text() == notes()


def test_vim_that_is_left_right_after_the_save_is_known_by_its_swap_file_before(daemon: Daemon, memory: Path) -> None:
    with editors.running("vim", "MEMORY.md", directory=memory.parent, holds=[editors.swap_file(memory)]) as pid:
        editors.write_swap(memory, pid, modified=True)
        daemon.wait_until(lambda: daemon.sync() and daemon.settle() is None, "the swap file was seen")
        memory.write_text(CUT)
        editors.close(memory)
        editors.end(pid)
        daemon.settle()
    assert writer(daemon, memory)["actor"] == "human:vim"
    assert memory.read_text() == CUT or verdict(daemon)[1] == "propose"


def test_an_agents_write_while_a_file_is_open_in_vim_is_the_agents(daemon: Daemon, memory: Path) -> None:
    with editors.running("vim", "MEMORY.md", directory=memory.parent, holds=[editors.swap_file(memory)]) as pid:
        editors.write_swap(memory, pid, modified=True)
        daemon.sync()
        memory.write_text(CUT.replace("note 1", "another text"))
        daemon.settle()
        assert not writer(daemon, memory)["actor"].startswith("human:vim")
        assert verdict(daemon)[2] != "human"
        editors.close(memory)


def test_after_a_persons_save_an_agent_is_judged_as_ever(daemon: Daemon, memory: Path) -> None:
    with editors.running("vim", "MEMORY.md", directory=memory.parent, holds=[editors.swap_file(memory)]) as pid:
        saved_by_vim(daemon, memory, pid, notes(1, 30))
        editors.close(memory)
        daemon.pass_time(100)
    memory.write_text("# Memory\n\n- a stub\n")
    daemon.settle()
    assert "note 30" in memory.read_text()
    assert "note 31" not in memory.read_text()
    assert daemon.events(kind="change")[0]["data"]["rule"] == "human"


@pytest.mark.parametrize("who", ["nobody", "no editor", "another vim", "another host", "an agent's vim"])
def test_a_swap_file_alone_makes_no_person(tmp_path: Path, daemon: Daemon, memory: Path, who: str) -> None:
    other = tmp_path / "elsewhere.md"
    other.write_text("x\n")
    if who == "an agent's vim":
        spawn = (
            "import os, sys, time\n"
            f"fd = os.open({str(editors.swap_file(memory))!r}, os.O_RDWR | os.O_CREAT); os.set_inheritable(fd, True)\n"
            "pid = os.fork()\n"
            "if pid == 0:\n"
            "    os.execv(sys.executable, ['vim', '-IS', '-c', 'import time; time.sleep(900)', 'MEMORY.md'])\n"
            f"open({str(tmp_path / 'pid')!r}, 'w').write(str(pid)); time.sleep(900)\n"
        )
        with editors.running("claude", directory=tmp_path, does=spawn):
            pid = editors.pid_told_in(tmp_path / "pid")
            try:
                saved_by_vim(daemon, memory, pid, CUT)
                daemon.settle()
            finally:
                editors.end(pid)
    else:
        name = "python3" if who == "no editor" else "vim"
        with editors.running(name, other, directory=tmp_path, holds=[editors.swap_file(other)]) as pid:
            if who == "another host":
                editors.write_swap(memory, pid, modified=False, host="elsewhere.example")
            elif who == "nobody":
                editors.end(pid)
            saved_by_vim(daemon, memory, pid, CUT)
            daemon.settle()
    seen = writer(daemon, memory)
    assert seen["confidence"] < 0.8
    assert verdict(daemon)[2] != "human"
    assert verdict(daemon)[1] != "record"


def test_what_is_saved_in_place_is_known_by_the_editor_that_was_started_for_it(daemon: Daemon, memory: Path) -> None:
    with editors.running("nano", "MEMORY.md", directory=memory.parent):
        memory.write_text(CUT)
        daemon.settle()
    assert (writer(daemon, memory)["actor"], verdict(daemon)[1:]) == ("human:nano", ("record", "human"))
    assert memory.read_text() == CUT


@pytest.mark.parametrize("editor", ["nano", "micro"])
def test_an_editor_that_nobody_is_at_excuses_no_other_writer(daemon: Daemon, memory: Path, editor: str) -> None:
    with editors.running(editor, "MEMORY.md", directory=memory.parent) as pid:
        editors.leave_idle(pid)
        memory.write_text(CUT)
        daemon.settle()
    assert writer(daemon, memory)["confidence"] <= 0.6
    assert verdict(daemon)[1] == "propose"


SAVES_AND_LEAVES = """
import os, sys, time
*_, file, how, text, rest_s = sys.argv
while not os.path.exists("go"):
    time.sleep(0.001)
if how == "aside":
    with open(".goutputstream-A1B2C3", "w") as made:
        made.write(text)
    os.replace(made.name, file)
else:
    with open(file, "r+") as opened:
        opened.write(text)
        opened.truncate()
time.sleep(float(rest_s))
"""


@pytest.mark.parametrize("rest_s", [0.05, 0.1, 0.3])
@pytest.mark.parametrize(("editor", "how"), [("nano", "in place"), ("micro", "in place"), ("gedit", "aside")])
def test_an_editor_that_is_left_right_after_the_save_was_seen(
    daemon: Daemon, memory: Path, editor: str, how: str, rest_s: float
) -> None:
    words = ("MEMORY.md", how, CUT, str(rest_s))
    display = ":0" if editor == "gedit" else ""
    with editors.running(editor, *words, directory=memory.parent, display=display, does=SAVES_AND_LEAVES) as pid:
        (memory.parent / "go").touch()
        editors.wait_for_end(pid)
    daemon.settle()
    assert (writer(daemon, memory)["actor"], verdict(daemon)[1:]) == (f"human:{editor}", ("record", "human"))
    assert memory.read_text() == CUT


def test_a_large_file_is_no_exception(daemon: Daemon, memory: Path) -> None:
    lines = notes(1, 6_000).splitlines(keepends=True)
    memory.write_text("".join(lines))
    daemon.settle()
    with editors.running("nano", "MEMORY.md", directory=memory.parent):
        memory.write_text("".join(lines[:600]))
        daemon.settle()
    assert (writer(daemon, memory)["actor"], verdict(daemon)[1:]) == ("human:nano", ("record", "human"))
    assert memory.read_text() == "".join(lines[:600])


def test_where_an_agent_is_at_work_too_nothing_is_written_and_nothing_excused(daemon: Daemon, memory: Path) -> None:
    with (
        editors.running("nano", "MEMORY.md", directory=memory.parent),
        editors.running("claude", directory=memory.parent),
    ):
        memory.write_text(CUT)
        daemon.settle()
    assert verdict(daemon)[1] == "propose"
    assert memory.read_text() == CUT
    assert writer(daemon, memory)["confidence"] == pytest.approx(0.6)


def test_an_editor_with_the_workspace_open_is_only_noted(daemon: Daemon, memory: Path) -> None:
    stub = "# Memory\n\n- a stub in place of it all\n"
    with editors.running("code", str(memory.parent), directory=memory.parent.parent, display=":0"):
        memory.write_text(stub)
        daemon.settle()
    assert verdict(daemon)[1] == "merge"
    seen = writer(daemon, memory)
    assert seen["actor"] == "unknown"
    assert any("vscode" in word for word in seen["evidence"])


def test_gedit_is_known_by_its_way_of_saving_and_its_process(daemon: Daemon, memory: Path) -> None:
    aside = memory.with_name(".goutputstream-A1B2C3")
    with editors.running("gedit", "MEMORY.md", directory=memory.parent, display=":0"):
        aside.write_text(CUT)
        aside.replace(memory)
        daemon.settle()
    assert (writer(daemon, memory)["actor"], verdict(daemon)[1:]) == ("human:gedit", ("record", "human"))


@pytest.mark.parametrize("way", ["gedit", "backup", "jetbrains"])
def test_a_way_of_saving_alone_is_not_enough_to_leave_it_nor_to_write_over_it(
    daemon: Daemon, memory: Path, way: str
) -> None:
    stub = "# Memory\n\n- typed by somebody whom nobody knows\n"
    if way == "gedit":
        aside = memory.with_name(".goutputstream-A1B2C3")
        aside.write_text(stub)
        aside.replace(memory)
    elif way == "backup":
        aside = memory.with_name("MEMORY.md~")
        memory.rename(aside)
        memory.write_text(stub)
        aside.unlink()
    else:
        made, old = memory.with_name("MEMORY.md___jb_tmp___"), memory.with_name("MEMORY.md___jb_old___")
        made.write_text(stub)
        memory.rename(old)
        made.rename(memory)
        old.unlink()
    daemon.settle()
    assert memory.read_text() == stub
    assert verdict(daemon)[1] == "propose"
    assert 0.6 <= writer(daemon, memory)["confidence"] < 0.8


def test_a_temporary_file_moved_over_says_nothing_of_a_person(daemon: Daemon, memory: Path) -> None:
    aside = memory.with_name("MEMORY.md.tmp-4711")
    aside.write_text("# Memory\n\n- a stub in place of it all\n")
    aside.replace(memory)
    daemon.settle()
    assert verdict(daemon)[1] == "merge"
    assert "note 40" in memory.read_text()


def test_in_the_middle_of_a_save_nothing_is_judged(daemon: Daemon, memory: Path) -> None:
    aside = memory.with_name("MEMORY.md~")
    memory.rename(aside)
    daemon.sync()
    daemon.pass_time(1_900)
    assert not daemon.events(kind="change")
    memory.write_text(notes(1, 41))
    aside.unlink()
    daemon.settle()
    assert verdict(daemon)[:2] == ("append", "record")


@pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed")
def test_a_real_vim(daemon: Daemon, memory: Path) -> None:
    words = ["-u", "NONE", "-N", "-c", "10,$d", "-c", "write", "-c", "sleep 900", "MEMORY.md"]
    vim = shutil.which("vim") or ""
    with editors.running("vim", *words, directory=memory.parent, program=vim):
        daemon.wait_until(lambda: "note 40" not in memory.read_text() and memory.read_text(), "vim has saved")
        daemon.settle()
        assert writer(daemon, memory)["actor"] == "human:vim"
        assert verdict(daemon)[1:] == ("record", "human")
    assert "note 40" not in memory.read_text()


def test_what_was_found_out_is_in_the_journal(daemon: Daemon, memory: Path) -> None:
    with editors.running("nano", "MEMORY.md", directory=memory.parent):
        memory.write_text(CUT)
        daemon.settle()
    daemon.restart()
    assert writer(daemon, memory)["actor"] == "human:nano"
    replayed = daemon.cli("replay", "--json")
    assert replayed.exit_code == 0
    assert '"differences": []' in replayed.output

"""From a directory to a card: which files are read, which pins hold, what is loaded whole."""

from __future__ import annotations

import base64
import os
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from conductd.config import Config
from conductd.core.bootcard.card import Limits
from conductd.engine.bootcards.gathering import Place, card_of
from conductd.engine.bootcards.making import Around, Wish, made
from conductd.engine.bootcards.reading import found
from conductd.errors import UsageError
from conductd.views import PinView
from conductd.views.bootcard import BootcardView

TODAY = date(2026, 3, 8)


def write(root: Path, name: str | bytes, text: str | bytes) -> Path:
    path = Path(os.fsdecode(os.path.join(os.fsencode(root), os.fsencode(name))))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def card(root: Path, pins: list[PinView] | None = None, config: Config | None = None, **asked: object) -> BootcardView:
    around = Around(config or Config(), {}, str(root.parent / "home"), pins=pins)
    return made(os.fsencode(root), Wish(TODAY, **asked), around)  # type: ignore[arg-type]


def pin(path: str, line: int, text: str, state: str = "held") -> PinView:
    return PinView("w", "/w", path, base64.b64encode(path.encode()).decode(), line, text, state, "person")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "w", "SOUL.md", "Be calm.\n")
    write(tmp_path / "w", "MEMORY.md", "# M\n\n- never push\n- ask first\n")
    write(tmp_path / "w", "memory/2026-03-08.md", "- [ ] paint the door\n")
    return tmp_path / "w"


def test_pins_of_the_daemon_are_found_by_what_they_say(root: Path) -> None:
    write(root, "MEMORY.md", "# M\n\nA new line above.\n\n- never push\n- ask first\n")
    view = card(root, [pin("MEMORY.md", 3, "never push"), pin("MEMORY.md", 9, "gone", "missing")])
    assert view.pins == "known"
    assert [line.text for line in view.lines if line.section == "pinned"] == [
        "- pinned: never push (MEMORY.md:5)",
        "- pinned: 1 entry is not where it stood (MEMORY.md:9)",
    ]
    assert "not known" not in view.text


def test_a_pin_in_a_file_that_is_gone_is_counted(root: Path) -> None:
    view = card(root, [pin("GONE.md", 3, "never push", "missing")])
    assert view.lines[0].text == "- pinned: 1 entry is not where it stood (GONE.md:3)"


def test_without_a_daemon_pins_of_it_are_said_to_be_unknown(root: Path) -> None:
    view = card(root)
    assert view.pins == "unknown"
    assert "pins of the daemon not known" in view.text
    assert any("not known" in note for note in view.notes)


def test_what_the_configuration_pins_is_a_persons(root: Path) -> None:
    write(root, "MEMORY.md", "# M\n\n- a\n\n## Rules\n\n- never push\n")
    view = card(root, config=Config(pinned=("MEMORY.md#Rules",)))
    assert view.text.splitlines()[1] == "- pinned: never push (MEMORY.md:7)"


@pytest.mark.parametrize("pins", [None, []])
def test_of_the_configured_pins_only_the_files_of_the_card_are_looked_for(
    root: Path, monkeypatch: pytest.MonkeyPatch, pins: list[PinView] | None
) -> None:
    """However large the directory is that holds them: a workspace may have environments and builds in it."""
    write(root, "venv/lib/python3/site-packages/some/README.md", "- never push\n")
    listed: list[bytes] = []
    scandir, listdir = os.scandir, os.listdir
    monkeypatch.setattr(os, "scandir", lambda path=b".": (listed.append(os.fsencode(path)), scandir(path))[1])
    monkeypatch.setattr(os, "listdir", lambda path=b".": (listed.append(os.fsencode(path)), listdir(path))[1])
    view = card(root, pins, Config(pinned=("**",)))
    assert not [path for path in listed if b"venv" in path]
    assert ("- pinned: paint the door" in view.text) == (pins is None)


def test_what_is_loaded_whole_comes_from_the_loader(root: Path) -> None:
    write(root, "AGENTS.md", "rule\n" * 30_000)
    view = card(root, agent="openclaw", version="2026.9.6")
    (line,) = [line for line in view.lines if line.section == "loaded whole"]
    assert "SOUL.md:1-1" in line.text
    assert "AGENTS.md" not in line.text
    assert (view.agent, view.version, view.session) == ("openclaw", "2026.9.6", "main")


def test_where_nothing_says_which_agent_it_is_that_is_said(tmp_path: Path) -> None:
    write(tmp_path / "w", "notes.md", "x\n")
    view = card(tmp_path / "w")
    assert view.agent == ""
    assert any("nothing says which agent" in note for note in view.notes)


@pytest.mark.parametrize(
    "asked", [{"agent": "nobody"}, {"lines": 501}, {"tokens": 59}, {"agent": "openclaw", "version": "x"}]
)
def test_what_there_is_not_is_refused_or_said(root: Path, asked: dict[str, Any]) -> None:
    if asked.get("version"):
        assert any("not known" in note for note in card(root, **asked).notes)
        return
    with pytest.raises(UsageError):
        card(root, **asked)


def test_names_that_are_no_text_and_endings_of_windows(root: Path) -> None:
    write(root, b"memory/2026-03-08-\xff\xfe.md", b"\xef\xbb\xbf## TODO\r\n\r\n- one\r\n")
    view = card(root)
    (line,) = [line for line in view.lines if "one" in line.text]
    assert line.text == '- open: "one" (memory/2026-03-08-\ufffd\ufffd.md:3)'
    assert base64.b64decode(line.path_b64).endswith(b"/memory/2026-03-08-\xff\xfe.md")


def test_links_out_of_the_workspace_are_not_followed(root: Path, tmp_path: Path) -> None:
    outside = write(tmp_path, "outside.md", "- [ ] not mine\n")
    (root / "memory/2026-03-07.md").symlink_to(outside)
    (root / "loop").symlink_to(root)
    view = card(root)
    assert "not mine" not in view.text
    assert "not read: memory/2026-03-07.md (leads out of the workspace)" in view.notes


def test_fifos_directories_and_files_too_large_hold_nobody_up(root: Path) -> None:
    os.mkfifo(root / "memory/2026-03-07.md")
    (root / "TASKS.md").mkdir()
    write(root, "memory/big.md", b"x" * (3 * 1024 * 1024))
    view = card(root)
    assert "paint the door" in view.text
    assert len([note for note in view.notes if note.startswith("not read")]) == 2


def test_a_secret_in_a_note_is_not_quoted(root: Path) -> None:
    write(root, "memory/2026-03-07.md", "- [ ] set api_key = sk-live-4f9QzX81mPq27RtLw03KsVb6\n")
    view = card(root)
    assert "sk-live" not in view.text
    assert view.secrets == 1


def test_what_was_forgotten_is_not_quoted(root: Path) -> None:
    def clean(data: bytes) -> bytes | None:
        return None if b"Be calm" in data else data.replace(b"paint the door", b"[forgotten]")

    made_of = card_of(Place(os.fsencode(root), b"/h"), TODAY, None, [], lambda _: (), Limits(), clean)
    assert "calm" not in made_of.text
    assert "paint" not in made_of.text
    assert made_of.unread == (("SOUL.md", "forgotten"),)


def test_reports_elsewhere_are_read(root: Path, tmp_path: Path) -> None:
    write(tmp_path, "reports/qc/2026-03-07-main-qc.md", "- 4 case: FAIL\n")
    made_of = card_of(
        Place(os.fsencode(root), b"/h", reports=(os.fsencode(tmp_path / "reports"),)), TODAY, None, [], lambda _: ()
    )
    assert "4 case: FAIL" in made_of.text


def test_the_order_of_a_directory_does_not_matter(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = card(root).text
    listed = os.scandir

    class Backwards:
        def __init__(self, path: bytes) -> None:
            with listed(path) as entries:
                self._entries = list(entries)[::-1]

        def __enter__(self) -> list[os.DirEntry[bytes]]:
            return self._entries

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(os, "scandir", Backwards)
    assert card(root).text == before


def test_an_empty_and_a_missing_directory(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    assert card(tmp_path / "w").lines == []
    assert found(os.fsencode(tmp_path / "nothing"), None, b"/h").sources == ()


def test_five_hundred_files_do_not_take_long(root: Path) -> None:
    import time

    for number in range(500):
        write(root, f"memory/topic-{number}.md", "# T\n\n- a note about something currently unknown\n" * 40)
    begun = time.perf_counter()
    card(root)
    assert time.perf_counter() - begun < 5

"""Where channels lead to, and that secrets stay where they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conductd.errors import ConfigError
from conductd.notify.places import resolved, variables
from conductd.notify.spool import Spool, Waiting


@pytest.mark.parametrize(
    ("url", "kind", "label"),
    [
        ("desktop", "desktop", "desktop"),
        ("webhook+https://host/$TOKEN", "webhook", "webhook over https"),
        ("ntfys://${TOKEN}", "apprise", "ntfys"),
        ("mailto://user:$TOKEN@host", "apprise", "mailto"),
    ],
)
def test_a_place_is_shown_without_its_secrets(url: str, kind: str, label: str) -> None:
    place = resolved("c", url, "$TOKEN", {"TOKEN": "abc123"})
    assert (place.kind, place.label) == (kind, label)
    assert "abc123" not in place.label


@pytest.mark.parametrize("url", ["", "host", "$MISSING", "https//x", "webhook+ftp:x"])
def test_what_leads_nowhere_is_said(url: str) -> None:
    with pytest.raises(ConfigError):
        resolved("c", url, "", {})


def test_a_private_file_gives_values(tmp_path: Path) -> None:
    path = tmp_path / "env"
    path.write_text("# a word\nexport A=1\nB = 'two words'\nC=\"x\"\n\nnot a line\nD=a=b\n")
    path.chmod(0o600)
    found = variables(str(path), {"A": "0", "E": "5"})
    assert {name: found[name] for name in "ABCDE"} == {"A": "1", "B": "two words", "C": "x", "D": "a=b", "E": "5"}
    path.chmod(0o640)
    with pytest.raises(ConfigError, match="others may read it"):
        variables(str(path), {})
    with pytest.raises(ConfigError, match="cannot be read"):
        variables(str(tmp_path / "gone"), {})


def test_the_spool_survives_being_closed_and_being_damaged(tmp_path: Path) -> None:
    path = str(tmp_path / "spool")
    spool = Spool(path, "u")
    spool.take(7, [("a", Waiting(5, 1, 1, incident=4)), ("a", Waiting(6, 9, 1)), ("b", Waiting(5, 1, 1))])
    spool.put_off("a", [5], 100, "why")
    spool.was_sent("b", [5], 50)
    spool.close()
    spool = Spool(path, "u")
    assert spool.cursor() == 7
    assert spool.waiting("a") == [Waiting(5, 100, 1, 1, "why", 4), Waiting(6, 9, 1)]
    assert spool.counts("b").sent == 1
    spool.give_up("a", [6], 60, "too late")
    spool.close()
    spool = Spool(path, "u")
    assert spool.counts("a").error == "why", "of what still waits"
    spool.drop("a", [5])
    assert (spool.counts("a").dead, spool.counts("a").error) == (1, "too late")
    spool.add([("a", Waiting(5, 1, 1, incident=4))])
    spool.was_sent("a", [5], 70)
    assert spool.told_of(4, 71) == ["a"]
    assert spool.told_of(4, 70) == []
    assert (spool.counts("a").waiting, spool.counts("a").dead, spool.counts("a").error) == (0, 1, "")
    spool.close()
    Path(path).write_bytes(b"no database at all" * 1000)
    assert Spool(path, "u").cursor() is None


FULL = """
import resource, signal, sqlite3, sys
from conductd.notify.spool import Spool
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # as a full disk: nothing can be written
try:
    Spool(sys.argv[1], "other")
except sqlite3.OperationalError:
    print("refused")
"""


def test_a_disk_that_takes_nothing_costs_no_spool(tmp_path: Path) -> None:
    path = tmp_path / "spool"
    spool = Spool(str(path), "u")
    spool.take(7, [("a", Waiting(5, 1, 1))])
    spool.close()
    ran = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "refused\n", ran.stderr
    assert Spool(str(path), "u").waiting("a") == [Waiting(5, 1, 1)]


def test_a_spool_is_reached_through_no_link(tmp_path: Path) -> None:
    os.symlink(tmp_path / "elsewhere", tmp_path / "link")
    with pytest.raises(OSError, match="symbolic"):
        Spool(str(tmp_path / "link"), "u")


def test_what_waits_for_another_journal_is_let_go(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "spool"), "one")
    spool.take(5_000, [("a", Waiting(5, 1, 1))])
    spool.close()
    spool = Spool(str(tmp_path / "spool"), "two")
    assert (spool.cursor(), spool.waiting("a")) == (None, [])


def test_no_more_waits_than_can_ever_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conductd.notify.spool.MOST_WAITING", 3)
    spool = Spool(str(tmp_path / "spool"), "u")
    spool.take(5, [("a", Waiting(seq, 1, 1)) for seq in range(1, 6)])
    assert [each.seq for each in spool.waiting("a")] == [3, 4, 5]
    assert (spool.counts("a").dead, spool.cursor()) == (2, 5), "what is given up is counted"


def test_why_something_was_given_up_is_no_error_of_a_channel_that_works_again(tmp_path: Path) -> None:
    """Whatever the clock says: it may have been ahead when it was given up."""
    spool = Spool(str(tmp_path / "spool"), "u")
    spool.take(4, [("a", Waiting(each, 1, 1)) for each in (1, 2, 3, 4)] + [("b", Waiting(1, 1, 1))])
    spool.give_up("a", [1], 900, "the server answered 500")
    spool.give_up("b", [1], 900, "the server answered 404")
    assert spool.counts("a").error == "the server answered 500"
    spool.was_sent("a", [2], 50)
    assert (spool.counts("a").error, spool.counts("a").dead) == ("", 1)
    assert spool.counts("b").error == "the server answered 404", "another channel"
    spool.give_up("a", [3], 40, "the server answered 503")
    assert spool.counts("a").error == "the server answered 503"


def test_the_end_of_an_incident_is_told_once(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "spool"), "u")
    spool.take(7, [("a", Waiting(5, 1, 1, incident=4))])
    spool.was_sent("a", [5], 50)
    assert spool.told_of(4, 60) == ["a"]
    spool.take(9, [("a", Waiting(8, 1, 1, incident=-4))])
    assert spool.told_of(4, 60) == []
    spool.was_sent("a", [8], 60)
    assert spool.told_of(4, 90) == []


def test_what_waits_for_a_channel_that_is_gone_waits_and_is_given_up_in_the_end(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path / "spool"), "u")
    spool.take(12, [("a", Waiting(11, 1, 1)), ("b", Waiting(11, 1, 1)), ("b", Waiting(12, 60, 60))])
    assert spool.gone(["a"], 30, 50) == []
    assert spool.gone(["a", "b"], 30, 50) == [], "it came back: from the beginning"
    assert spool.gone(["a"], 30, 50) == []
    assert spool.left_behind(["a"]) == ["b"]
    spool.close()
    spool = Spool(str(tmp_path / "spool"), "u")
    assert spool.gone(["a"], 30, 50) == ["b"], "over a restart"
    spool.give_up("b", [11, 12], 70, "gone")
    assert (spool.counts("b").dead, spool.counts("b").error) == (2, "gone")
    assert [each.seq for each in spool.waiting("a")] == [11], "it is there"

"""Where channels lead to, and that secrets stay where they are."""

from __future__ import annotations

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
    spool = Spool(path)
    spool.take(7, [("a", Waiting(5, 1, 1, incident=4)), ("a", Waiting(6, 9, 1)), ("b", Waiting(5, 1, 1))])
    spool.put_off("a", [5], 100, "why")
    spool.was_sent("b", [5], 50)
    spool.close()
    spool = Spool(path)
    assert spool.cursor() == 7
    assert spool.waiting("a") == [Waiting(5, 100, 1, 1, "why", 4), Waiting(6, 9, 1)]
    assert spool.counts("b").sent == 1
    spool.give_up("a", [6], 60, "too late")
    spool.was_sent("a", [5], 70)
    assert spool.told_of(4, 71) == ["a"]
    assert spool.told_of(4, 70) == []
    assert (spool.counts("a").waiting, spool.counts("a").dead, spool.counts("a").error) == (0, 1, "too late")
    spool.close()
    Path(path).write_bytes(b"no database at all" * 1000)
    assert Spool(path).cursor() is None

"""Workspaces are added to a configuration without changing anything that stands in it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.config.addition import HEADER, Addition, added, named_in_comment
from conductd.config.load import from_text
from conductd.errors import ConfigError
from conductd.model import Mode

ENV = {"HOME": "/home/x"}
NEW = Addition("~/.openclaw/workspace", Mode.OBSERVE, "openclaw", "OpenClaw's default workspace")
OTHER = Addition("/srv/claw", Mode.PROTECT, "generic", "another one")


def is_within(short: str, long: str) -> bool:
    left = iter(long)
    return all(letter in left for letter in short)


TEXTS = [
    "# mine\nmode = 'observe'   # a reason\n\n[waits]\nquiet_ms = 300\n",
    "# no end of line at the end\nmode = 'protect'",
    "[[workspaces]]\nroot = '/srv/notes'\nprofile = 'generic'\n[log]\nlevel = 'debug'\n",
    "[[workspaces]]\nroot = '/srv/notes'\n[workspaces.roles]\n'a.md' = 'topic'\n",
    "workspaces = []\n\n[log]\nlevel = 'debug'\n",
    "workspaces=[\n]\n",
    "workspaces = [ { root = '/srv/notes', extra = ['a]b', '#'] } ] # mine\nmode = 'observe'\n",
    "workspaces = [\n  { root = '/srv/a' }, # ] one\n  { root = '/srv/b' }, # two\n]\n",
    "workspaces = [\n  { root = '/srv/a' } # last ]\n]\n",
    '"workspaces" = [] # a quoted key\n',
    "",
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("text", TEXTS)
def test_all_that_stood_there_stands_there(text: str, end: str) -> None:
    text = text.replace("\n", end)
    before = from_text(text, "c", ENV)
    once = added(text, [NEW, OTHER], "c", ENV)
    after = from_text(once, "c", ENV)
    assert msgspec.structs.replace(after, workspaces=before.workspaces) == before
    assert after.workspaces[:-2] == before.workspaces
    assert [each.root for each in after.workspaces[-2:]] == ["/home/x/.openclaw/workspace", "/srv/claw"]
    assert is_within(text, once)
    assert end == "\n" or not text or once.count("\n") == once.count("\r\n")
    assert "OpenClaw's default workspace" in once


def test_a_new_file_says_what_it_is() -> None:
    assert added("", [NEW], "c", ENV).startswith(HEADER)
    assert "Made by" not in added("mode = 'observe'\n", [NEW], "c", ENV)


def test_what_would_not_be_valid_is_not_made() -> None:
    inside = Addition("/home/x", Mode.OBSERVE, "generic", "holds the state directory")
    with pytest.raises(ConfigError):
        added("", [inside], "c", ENV)
    with pytest.raises(ConfigError):
        added("[[workspaces]]\nroot = '/srv/claw'\n", [OTHER], "c", ENV)


def test_a_comment_is_a_decision() -> None:
    text = added("", [NEW], "c", ENV)
    assert not named_in_comment(text, NEW.root)
    assert named_in_comment("".join(f"#{line}\n" for line in text.splitlines()), NEW.root)


@given(st.text(min_size=1, max_size=30), st.text(max_size=30))
def test_any_name_is_written_so_that_it_is_read_back(name: str, why: str) -> None:
    root = "/srv/" + name.replace("/", "-").replace("\0", "-")
    root = root if root.rsplit("/", 1)[1] not in (".", "..") else "/srv/x"
    try:
        root.encode()
    except UnicodeEncodeError:
        return
    text = added("", [Addition(root, Mode.OBSERVE, "generic", why)], "c", ENV)
    (table,) = from_text(text, "c", ENV).workspaces
    assert table.root == root

"""Keys before the text: lost, unreadable, renamed, and back again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.losses.frontmatter import front_matter, restored
from conductd.model import Action, EventClass
from scenarios.texts import memory
from support.cases import judged

BODY = memory(2, 4, 31)
YAML = """---
name: notes
description: what to remember
tags: [a, b]
model:
  name: small
  size: 3
---
"""
TOML = '+++\nname = "notes"\ndescription = "what to remember"\n\n[extra]\nsize = 3\n+++\n'


@pytest.mark.parametrize(
    ("old", "new", "sign"),
    [
        (YAML + BODY, BODY, "gone"),
        (YAML + "\n" + BODY, BODY, "gone"),
        (YAML + BODY, YAML.replace("tags: [a, b]\n", "") + BODY, "keys"),
        (YAML + BODY, YAML.replace("model:\n  name: small\n  size: 3\n", "") + BODY, "keys"),
        (YAML + BODY, YAML.replace("  size: 3\n---\n", "  size: 3\n") + BODY, "invalid"),
        (YAML + BODY, "\n" + YAML + BODY, "invalid"),
        (YAML + BODY, YAML.removeprefix("---\n") + BODY, "invalid"),
        (YAML + BODY, YAML.replace("notes", '"notes') + BODY, "invalid"),
        (YAML + BODY, YAML.replace("tags:", "\ttags:") + BODY, "invalid"),
        (TOML + BODY, BODY, "gone"),
        (TOML + BODY, TOML.replace('description = "what to remember"\n', "") + BODY, "keys"),
        (YAML + "# A\n\n- one two three\n", "# A\n\n- one two three\n", "gone"),
    ],
)
@pytest.mark.parametrize("crlf", [False, True])
def test_what_is_lost_is_asked_about_and_can_be_put_back(old: str, new: str, sign: str, crlf: bool) -> None:
    if crlf:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    verdict = judged(b"memory/notes.md", old, new)
    assert (verdict.event_class, verdict.action) == (EventClass.FRONTMATTER_LOSS, Action.PROPOSE)
    assert verdict.facts["front_matter"] == sign
    back = restored(old.encode(), new.encode()).decode()
    found = front_matter(back.replace("\r\n", "\n").split("\n"))
    wanted = front_matter(old.replace("\r\n", "\n").split("\n"))
    assert found is not None
    assert wanted is not None
    assert found.is_valid
    assert {(k.name, k.value) for k in found.keys} >= {(k.name, k.value) for k in wanted.keys if k.name != "name"}
    assert back.endswith(new.partition("# ")[2])
    assert judged(b"memory/notes.md", old, back).action is Action.RECORD


@pytest.mark.parametrize(
    "new",
    [
        YAML.replace("what to remember", "things that matter most") + BODY,
        YAML.replace("description:", "summary:") + BODY,
        YAML.replace("name: notes\n", "").replace("tags: [a, b]\n", "tags: [a, b]\nname: notes\n") + BODY,
        YAML.replace("tags: [a, b]", "tags:\n  - a\n  - b") + BODY,
        YAML.replace("name: notes", 'name: "notes"') + BODY,
        YAML.replace("tags:", "# about tags\ntags:") + BODY,
        YAML.replace("---\n", "---\nowner: Kim\n", 1) + BODY,
        YAML + BODY + "\n---\nnot: front matter\n---\n",
        YAML + "\n" + BODY,
    ],
)
def test_an_edit_is_none(new: str) -> None:
    assert judged(b"memory/notes.md", YAML + BODY, new).action is Action.RECORD


@pytest.mark.parametrize(("old", "new"), [(BODY, YAML + BODY), (YAML.replace("notes", "") + BODY, YAML + BODY)])
def test_what_came_is_nobody_s_business(old: str, new: str) -> None:
    assert judged(b"memory/notes.md", old, new).action is Action.RECORD


def test_an_empty_key_is_no_loss() -> None:
    assert (
        judged(b"memory/notes.md", YAML.replace("[a, b]", "") + BODY, YAML.replace("tags: [a, b]\n", "") + BODY).action
        is Action.RECORD
    )


def test_a_text_that_is_lost_with_it_is_an_overwrite() -> None:
    verdict = judged(b"memory/notes.md", YAML + BODY, "# Notes\n\n- nothing else than this line is left\n")
    assert verdict.event_class is EventClass.OVERWRITE


def test_keys_in_another_file_are_not_lost() -> None:
    elsewhere = {b"memory/meta.md": YAML + "# Meta\n"}
    assert (
        judged(b"memory/notes.md", YAML + BODY, YAML.replace("tags: [a, b]\n", "") + BODY, elsewhere=elsewhere).action
        is Action.RECORD
    )


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes_can_be_put_back(old: bytes, new: bytes) -> None:
    back = restored(b"---\n" + old, new)
    assert isinstance(back, bytes)
    assert restored(new, new) == new or front_matter(new.decode("latin-1").split("\n")) is not None

"""Entries: what they are, where they are, what they weigh."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import entries, entry_table
from scenarios.texts import memory

KEY = b"key"


def test_an_entry_knows_its_place_and_section() -> None:
    found = entries(b"# Memory\n\n## Build\n- [m-0001] use the cache\n  on every branch\n\n# Other\ntext\n", KEY)
    item = found[2]
    assert (item.kind, item.line, item.last_line) == (Kind.ITEM, 4, 5)
    assert item.headings == ("Memory", "Build")
    assert item.words == ("use", "the", "cache", "on", "every", "branch")
    assert item.span.weight == item.weight == 6
    assert found[-1].headings == ("Other",)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("- same note", "* same note"),
        ("- same note", "3. same note"),
        ("- same note", "- same\n  note"),
        ("- same note", "same note"),
        ("- same note", "\ufeff- same note\r\n"),
        ("| a | b |\n|---|---|", "|a|b|\n|-|-|"),
        ("# Build", "Build\n====="),
        ("## Build", "#### Build ####"),
        ("```\ncode\n```", "~~~python\ncode\n~~~"),
        ("- 記憶の設定", "- 記憶の\n  設定"),
        ("- Grüße", "- Gru\u0308ße"),
    ],
)
def test_layout_does_not_change_a_fingerprint(one: str, two: str) -> None:
    assert [e.fingerprint for e in entries(one.encode(), KEY)] == [e.fingerprint for e in entries(two.encode(), KEY)]


@pytest.mark.parametrize("other", ["- same notes", "- Same note", "- same note!", "- [m-1] same note"])
def test_content_changes_a_fingerprint(other: str) -> None:
    assert entries(b"- same note", KEY)[0].fingerprint != entries(other.encode(), KEY)[0].fingerprint


def test_the_key_changes_every_fingerprint() -> None:
    assert entries(b"- same note", b"a")[0].fingerprint != entries(b"- same note", b"b")[0].fingerprint
    assert len(entries(b"- same note", b"x" * 100)[0].fingerprint) == 8


@pytest.mark.parametrize("layout", ["", "\n\n", "---\n", "- \n- \n", "|---|\n", "```\n```\n", "<!-- pin -->\n", "#\n"])
def test_layout_alone_is_no_entry(layout: str) -> None:
    assert [e for e in entries(b"\n" + layout.encode(), KEY) if e.text != "|---|"] == []


def test_notes_parted_by_paragraph_signs_are_entries_of_their_own() -> None:
    assert [e.text for e in entries("first note\n§\nsecond note\n".encode(), KEY)] == ["first note", "second note"]


@given(st.binary(max_size=400))
def test_any_bytes_have_entries(data: bytes) -> None:
    table = entry_table(data, KEY)
    for entry in table.entries:
        assert 1 <= entry.line <= entry.last_line <= table.lines
        assert entry.text
    assert table.weight == sum(e.weight for e in table.entries)


@pytest.mark.parametrize("script", ["latin", "cjk", "emoji"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encoding_does_not_change_the_entries(script: str, codec: str) -> None:
    text = memory(2, 4, 3, script=script)
    assert [e.fingerprint for e in entries(text.encode(codec), KEY)] == [
        e.fingerprint for e in entries(text.encode(), KEY)
    ]

"""Decoding, normalising, counting words: in every script, for every byte string."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.reading.text import (
    Encoding,
    LineEnd,
    decode,
    features,
    ids,
    normalise,
    words,
    words_outside_brackets,
)


@given(st.binary(max_size=300))
def test_every_byte_string_has_a_text(data: bytes) -> None:
    decoded = decode(data)
    assert "\r" not in decoded.text
    normalise(decoded.text).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        (b"plain", Encoding.UTF_8, "plain"),
        ("Grüße, 記憶".encode(), Encoding.UTF_8, "Grüße, 記憶"),
        ("\ufeffGrüße".encode(), Encoding.UTF_8_BOM, "Grüße"),
        ("\ufeff記憶".encode("utf-16-le"), Encoding.UTF_16_LE, "記憶"),
        ("\ufeff記憶".encode("utf-16-be"), Encoding.UTF_16_BE, "記憶"),
        ("no mark at all".encode("utf-16-le"), Encoding.UTF_16_LE, "no mark at all"),
        ("no mark at all".encode("utf-16-be"), Encoding.UTF_16_BE, "no mark at all"),
        ("schöne Grüße".encode("latin-1"), Encoding.LATIN_1, "schöne Grüße"),
        (b"", Encoding.UTF_8, ""),
    ],
)
def test_encodings_are_told_apart(data: bytes, encoding: Encoding, text: str) -> None:
    assert (decode(data).encoding, decode(data).text) == (encoding, text)


def test_zeros_are_no_text() -> None:
    assert decode(b"\0" * 5000).encoding is Encoding.BINARY


@pytest.mark.parametrize("cut", [1, 2])
def test_a_character_cut_in_two_leaves_the_rest_utf_8(cut: int) -> None:
    data = "記憶設定".encode()[:-cut]
    decoded = decode(data)
    assert decoded.encoding is Encoding.UTF_8
    assert decoded.text.startswith("記憶設")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a", LineEnd.NONE),
        (b"a\nb\n", LineEnd.LF),
        (b"a\r\nb\r\n", LineEnd.CRLF),
        (b"a\rb\r", LineEnd.CR),
        (b"a\r\nb\n", LineEnd.MIXED),
    ],
)
def test_line_ends_are_named(data: bytes, expected: LineEnd) -> None:
    assert decode(data).line_end is expected


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("a  b\n c", "a b c"),
        ("\ufeffa", "a"),
        (unicodedata.normalize("NFD", "Grüße"), "Grüße"),
        ("記憶の\n  設定", "記憶の設定"),
        ("a\u00a0b", "a b"),
        ("確認する。\n次", "確認する。次"),
    ],
)
def test_layout_is_not_content(one: str, two: str) -> None:
    assert normalise(one) == normalise(two)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[m-0001] only entry known", ("only", "entry", "known")),
        ("(abc123) an id in brackets", ("an", "id", "in", "brackets")),
        ("【項目7】記憶", ("記", "憶")),
        ("[ ] a task", ("a", "task")),
        ("[x] a task", ("a", "task")),
        ("(checked) stays", ("checked", "stays")),
        ("note ^block-7", ("note",)),
        ("记忆 123 设置", ("记", "忆", "123", "设", "置")),
        ("メモリを確認", ("メ", "モ", "リ", "を", "確", "認")),
        ("Über die STRASSE", ("über", "die", "strasse")),
        ("مَرْحَبًا بالعالم", ("مَرْحَبًا", "بالعالم")),
        ("हिन्दी में", ("हिन्दी", "में")),
        ("[text](url/1)", ("text", "url", "1")),
        ("\U0001f980 🎉", ()),
    ],
)
def test_words(text: str, expected: tuple[str, ...]) -> None:
    assert words(normalise(text)) == tuple(unicodedata.normalize("NFC", word) for word in expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[m-0001] x", {"m-0001"}),
        ("(2026-03-08) and [12]", set()),
        ("(abc123) [m-2] {#sec1}", {"abc123", "m-2", "sec1"}),
        ("[see](a1)", set()),
    ],
)
def test_ids_that_tell_entries_apart(text: str, expected: set[str]) -> None:
    assert ids(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[m-0900] stub", (1, 0)),
        ("(new entry)", (0, 0)),
        ("(a (nested) one) out", (1, 0)),
        ("[Deployment guide now](docs/deploy.md)", (3, 0)),
        ("記憶を確認（済み）", (0, 5)),
    ],
)
def test_words_outside_brackets(text: str, expected: tuple[int, int]) -> None:
    assert words_outside_brackets(text) == expected


def test_scripts_without_spaces_are_compared_by_pairs() -> None:
    assert features(words("記憶設定 ok 確認")) == ("記憶", "憶設", "設定", "ok", "確認")
    assert features(words("plain words")) == ("plain", "words")


@given(st.text(max_size=200))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once

"""Redaction: what is forgotten is gone, everything else keeps its bytes, its line and its shape."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.forget import Marks, fold, has_literal, literal, open_text, pieces, redact
from conductd.core.forget_pattern import Pattern
from conductd.core.reading.entries import entries

KEY = b"k" * 32
SECRET = "Example-Pass-4711"


def marks(text: bytes, pattern: str) -> Marks:
    wanted = Pattern(pattern)
    return Marks(frozenset(p.entry.fingerprint for p in pieces(text, KEY) if wanted.is_in(p)))


def without(text: str, pattern: str = SECRET) -> str:
    data = text.encode()
    left = redact(data, marks(data, pattern), KEY)
    assert left is not None
    return left.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- a\n- nas is Example-Pass-4711\n- b\n", "- a\n- [forgotten]\n- b\n"),
        ("- [ ] nas is Example-Pass-4711", "- [forgotten]"),
        ("1. one\n2. Example-Pass-4711\n", "1. one\n2. [forgotten]\n"),
        ("# T\n\nlong text with\nExample-Pass-4711 in it\n\nrest\n", "# T\n\n[forgotten]\n[forgotten]\n\nrest\n"),
        ("wrapped Example-\nPass-4711\n", "[forgotten]\n[forgotten]\n"),
        ("> said Example-Pass-\n> 4711 twice\n\nx\n", "> [forgotten]\n> [forgotten]\n\nx\n"),
        ("## Example-Pass-4711 ##\n\n- a\n", "## [forgotten]\n\n- a\n"),
        ("Example-Pass-4711\n===\n\n- a\n", "[forgotten]\n===\n\n- a\n"),
        (
            "| a | b |\n|---|---|\n| nas | Example-Pass-4711 |\n| c | d |\n",
            "| a | b |\n|---|---|\n| [forgotten] | [forgotten] |\n| c | d |\n",
        ),
        ("- x\n\n  ```sh\n  login Example-Pass-4711\n\n  ```\n- y\n", "- x\n\n  ```\n  [forgotten]\n\n  ```\n- y\n"),
        ("---\ntitle: T\nkey: Example-Pass-4711\n---\n- a\n", "---\ntitle: T\nkey: [forgotten]\n---\n- a\n"),
        ("a\r\n\r\n- EXAMPLE-pass-4711\r\n- b\r\n", "a\r\n\r\n- [forgotten]\r\n- b\r\n"),
        ("- Example-Pass-4711\r- b\n", "- [forgotten]\r- b\n"),
        ("<!-- Example-Pass-4711 -->\n\n- b", "[forgotten]\n\n- b"),
        ("nothing\n", "nothing\n"),
    ],
)
def test_each_kind_of_entry_keeps_its_layout(before: str, after: str) -> None:
    assert without(before) == after


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_every_encoding(codec: str) -> None:
    data = "- für Anna\n- nas is Example-Pass-4711\n- b\n".encode(codec)
    left = redact(data, marks(data, SECRET), KEY)
    assert left == "- für Anna\n- [forgotten]\n- b\n".encode(codec)


def test_the_same_marks_find_the_entry_in_another_encoding_and_layout() -> None:
    found = marks(b"- nas is  Example-Pass-4711\n", SECRET)
    assert redact("* nas is\n  Example-Pass-4711\n".encode("utf-16"), found, KEY) == (
        "* [forgotten]\n  [forgotten]\n".encode("utf-16")
    )


def test_a_file_that_is_no_text_loses_the_run() -> None:
    data = b"\0" * 40 + b"nas is Example-Pass-4711\0\0tail\n" + b"\0" * 40
    left = redact(data, marks(data, SECRET), KEY)
    assert left == b"\0" * 40 + b"[forgotten]\0\0tail\n" + b"\0" * 40


def test_a_torn_utf_16_file_goes_as_a_whole() -> None:
    data = "- nas is Example-Pass-4711\n".encode("utf-16")[:-1]
    assert open_text(data) is None
    assert redact(data, marks(data, SECRET), KEY) is None


def test_only_the_match() -> None:
    data = "- nas is Example-Pass-4711, room 4711\n- b\n".encode("utf-16")
    exact = Marks(exact=frozenset({literal(SECRET, KEY)}))
    assert redact(data, exact, KEY) == "- nas is [forgotten], room 4711\n- b\n".encode("utf-16")


def test_a_guarded_literal_takes_every_entry_that_holds_it() -> None:
    guards = Marks(guards=frozenset({literal(fold(SECRET), KEY)}))
    text = b"- quite another line: example-PASS-4711!\n- b\n- Example-\n  Pass-4711\n"
    assert redact(text, guards, KEY) == b"- [forgotten]\n- b\n- [forgotten]\n  [forgotten]\n"
    assert has_literal(fold("xx Example-Pass-4711 yy"), guards.guards, KEY)
    assert not has_literal(fold("xx Example-Pass-4712 yy"), guards.guards, KEY)


def test_the_stand_in_is_no_entry() -> None:
    assert entries(b"- [forgotten]\n\n[forgotten]\n[forgotten]\n\n## [forgotten]\n", KEY) == ()
    assert [e.text for e in entries(b"- [forgotten] but not this\n", KEY)] == ["[forgotten] but not this"]


def test_patterns_are_compared_like_entries() -> None:
    one = next(pieces("- the NAS\u00a0 pass\n  word of caf\u0065\u0301\n".encode(), KEY))
    for text in ("nas pass word", "NAS PASSWORD", "caf\u00e9", "the  nas"):
        assert Pattern(text).is_in(one) or Pattern(text).is_in(one._replace(joined=one.joined)), text
    assert not Pattern("nap password").is_in(one)


@pytest.mark.parametrize("text", ["", " ", "ab", "密", "x" * 10_001])
def test_a_pattern_too_short_or_too_long_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="characters"):
        Pattern(text)


def test_found_in_names_each_way_it_is_written() -> None:
    found = Pattern("nas password").found_in("NAS\r\n> password; nas  password")
    assert found == ["NAS\r\n> password", "nas  password"]
    assert Pattern(SECRET).found_in("x Example-\n  Pass-4711") == ["Example-\n  Pass-4711"]
    assert Pattern("密码").is_in_bytes("的密码是".encode("utf-16-be"))


WORDS = st.text(st.sampled_from("ab é密\u0301-*#>|`~=\n\r\t 1.[]:<"), max_size=40)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6), st.sampled_from(["utf-8", "utf-16", "utf-8-sig"]))
def test_whatever_stands_around_it_the_entry_goes_and_lines_stay(around: list[str], codec: str) -> None:
    data = f" {SECRET} ".join(around).encode(codec)
    found = marks(data, SECRET)
    left = redact(data, found, KEY)
    assert left is not None
    assert not any(p.entry.fingerprint in found.entries for p in pieces(left, KEY))
    assert redact(left, found, KEY) == left
    if SECRET in data.decode(codec):
        assert len(left.decode(codec).splitlines()) == len(data.decode(codec).splitlines())


HIDDEN_FORMS = [
    "Velvet\u00ad-Otter-9",
    "Vel\u200bvet-Ot\u200dter-9",
    "\u202aVelvet-Otter-9\u202c",
    "Vel\u034fvet-Otter-9",
    "**Velvet**-Otter-9",
    "*Vel*vet-_Otter_-9",
    "Velvet\\-Otter\\-9",
    "Velvet&#45;Otter&#x2d;9",
    "Velvet&shy;-Otter-9",
    "Velvet\u2011Otter\u20119",
    "Velvet\u2013Otter\u22129",
    "\uff36\uff45\uff4c\uff56\uff45\uff54\uff0d\uff2f\uff54\uff54\uff45\uff52\uff0d\uff19",
    "<b>Velvet</b>-Otter-9",
    "`Velvet`-Otter-9",
]


@pytest.mark.parametrize("form", HIDDEN_FORMS)
@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_forms_that_read_the_same_are_found_and_go(form: str, codec: str) -> None:
    data = f"# Notes\n\n- the password is {form} here\n- something else\n".encode(codec)
    pattern = Pattern("Velvet-Otter-9")
    opened = open_text(data)
    assert opened is not None
    assert pattern.may_be_in(opened.text)
    found = [piece for piece in pieces(data, KEY) if pattern.is_in(piece)]
    assert len(found) == 1
    left = redact(data, Marks(frozenset({found[0].entry.fingerprint})), KEY)
    assert left is not None
    assert left.decode(codec) == "# Notes\n\n- [forgotten]\n- something else\n"
    guard = Marks(guards=frozenset({literal(fold("Velvet-Otter-9"), KEY)}))
    assert redact(data, guard, KEY) == left


@pytest.mark.parametrize("form", [form for form in HIDDEN_FORMS if form.isascii() is False and "\uff36" not in form])
def test_forms_that_read_the_same_are_found_in_bytes_of_any_meaning(form: str) -> None:
    assert Pattern("Velvet-Otter-9").is_in_bytes(b"\x00\x01" + form.encode() + b"\xff")


@pytest.mark.parametrize("form", HIDDEN_FORMS[:7] + HIDDEN_FORMS[9:11])
def test_only_the_stretch_is_found_in_those_forms_too(form: str) -> None:
    assert Pattern("Velvet-Otter-9").found_in(f"so {form} there")


@pytest.mark.parametrize("text", ["snake_case_name", "***", "a*b", "~~~", "sk_live_9"])
def test_what_has_marks_of_its_own_is_found_as_it_stands(text: str) -> None:
    (piece,) = pieces(f"it is {text} here\n".encode(), KEY)
    assert Pattern(text).is_in(piece)
    guards = Marks(guards=frozenset({literal(fold(text), KEY)}))
    assert redact(f"it is {text} here\n".encode(), guards, KEY) == b"[forgotten]\n"


def test_words_are_not_run_together() -> None:
    (piece,) = pieces(b"that is another one\n", KEY)
    assert not Pattern("an other").is_in(piece)

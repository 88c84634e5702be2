"""Claude Code's, Codex' and Hermes' ways of cutting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.load import claude
from conductd.core.load.body import imports, without_comments
from conductd.core.load.codex import Document, chain, summary
from conductd.core.load.counting import text_in
from conductd.core.load.finding import Known
from conductd.core.load.findings import is_news, of_load
from conductd.core.load.hermes import head_and_tail, hermes_memory
from conductd.core.load.holes import holes
from conductd.core.load.loaded import Cause, Load, LoadedFile, Unit, Why
from conductd.engine.loading.words import said

NEW, OLD = (2, 1, 300), (2, 1, 100)


def index(text: str, version: claude.Version = NEW) -> LoadedFile:
    return claude.index("MEMORY.md", "/m/MEMORY.md", text, version)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n<!-- one -->\nb\n", "a\nb\n"),
        ("a\n<!-- one\ntwo -->\n\nb", "a\n\nb"),
        ("a <!-- inline --> b", "a <!-- inline --> b"),
        ("```\n<!-- code -->\n```\n", "```\n<!-- code -->\n```\n"),
        ("<!-- x --> rest\nb", " rest\nb"),
        ("<!-- never closed\nb", "<!-- never closed\nb"),
        ("    <!-- code -->\n", "    <!-- code -->\n"),
    ],
)
def test_comments_that_are_blocks_are_not_loaded(text: str, left: str) -> None:
    body = without_comments(text)
    assert body.text == left
    assert "".join(text[low:high] for low, high in body.kept) == left


def test_the_index_ends_at_its_two_hundredth_line() -> None:
    found = index("\n".join(f"- line {n}" for n in range(1, 231)))
    assert (found.text or "").endswith("- line 200")
    assert (found.causes, found.lines, found.is_near) == ((Cause.PER_FILE,), 230, False)
    assert index("- line\n" * 200).is_near
    assert not index("- line\n" * 169).is_near
    assert found.source[found.kept[-1][1] :].startswith("\n- line 201")


def test_the_index_ends_at_25_000_bytes() -> None:
    found = index("é" * 12_499 + "x" + "字" * 10)
    assert len((found.text or "").encode()) <= 25_000
    assert found.injected == 24_999
    assert index("é" * 20_000, (2, 1, 50)).causes == ()


def test_front_matter_and_comments_are_not_counted_since_2_1_211() -> None:
    text = "---\nname: x\n---\n<!-- " + "c" * 30_000 + " -->\n- kept\n"
    assert index(text).text == "- kept"
    assert index(text).causes == ()
    assert index(text, OLD).causes == (Cause.PER_FILE,)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see @docs/a.md and @~/b.md.", ["docs/a.md", "~/b.md"]),
        ("`@no.md` me@mail.org\n```\n@code.md\n```\n@../up.md#part", ["../up.md"]),
        ("@with\\ space.md @/abs.md", ["with space.md", "/abs.md"]),
        ("<!-- @hidden.md -->\n@a @a", ["a"]),
    ],
)
def test_imports_are_found(text: str, paths: list[str]) -> None:
    assert imports(text) == paths


def test_a_rule_with_paths_is_scoped() -> None:
    assert claude.is_scoped("---\npaths:\n  - src/**\n---\ntext")
    assert not claude.is_scoped("---\ndescription: paths: x\n---\ntext")
    assert not claude.is_scoped("paths: all")


def doc(name: str, data: bytes) -> Document:
    return Document(name, f"/{name}", data)


def test_codex_cuts_at_the_byte_and_drops_the_deeper() -> None:
    root, mid, deep = chain([doc("a", b"x" * 30_000), doc("b", "é".encode() * 2_000), doc("c", b"y")])
    assert (root.causes, root.injected) == ((), 30_000)
    assert mid.text == "é" * 1_384
    cut = chain([doc("a", b"x" * 30_001), doc("b", "é".encode() * 2_000)])[1]
    assert (cut.text or "").endswith("é\ufffd")
    assert cut.kept == ((0, 1_383),)
    assert (cut.splits, mid.splits) == (True, False)
    assert (deep.text, deep.causes, deep.why) == (None, (Cause.TOTAL,), Why.NO_ROOM)


def test_codex_takes_nothing_for_a_file_without_text() -> None:
    empty, full = chain([doc("a", b" \n"), doc("b", b"x" * 32_768)])
    assert (empty.why, full.causes) == (Why.EMPTY, ())


@pytest.mark.parametrize(
    ("left", "data"), [(1, b"\n\n# Rules\n- a rule\n"), (3, b"  \n\t- a rule\n"), (0, b"- a rule\n")]
)
def test_of_white_space_alone_codex_loads_nothing_and_stops(left: int, data: bytes) -> None:
    _, cut, deeper = chain([doc("a", b"x" * (100 - left)), doc("b", data), doc("c", b"y")], 100)
    assert (cut.text, cut.why, cut.causes, cut.injected) == (None, Why.NO_ROOM, (Cause.TOTAL,), 0)
    assert [(each.start, each.end) for each in holes(cut, Unit.BYTES)] == [(0, len(data))]
    assert (deeper.text, deeper.why, deeper.causes) == (None, Why.NO_ROOM, (Cause.TOTAL,))


def test_codex_counts_bytes_that_are_no_text_as_they_are() -> None:
    latin, later = chain([doc("a", b"\xe4\xf6\xfc\n" * 20), doc("b", b"\xff\xfe" * 30)], 100)
    assert (latin.raw, latin.causes, later.injected, later.kept) == (80, (), 20, ((0, 20),))
    assert [(each.start, each.end, each.size) for each in holes(later, Unit.BYTES)] == [(20, 60, 40)]
    assert set(later.text or "") == {"\ufffd"}
    middle = summary(doc("memory_summary.md", b"\xe4" * 30_000))
    assert (middle.raw, middle.kept) == (30_000, ((0, 10_000), (20_000, 30_000)))
    assert "\ufffd" in (middle.text or "")
    assert (middle.text or "").encode()


def test_claude_counts_bytes_that_are_no_text_as_they_are() -> None:
    data = b"- caf\xe9 in M\xfcnchen\n" * 150
    found = claude.index("MEMORY.md", "/m/MEMORY.md", text_in(data, Unit.BYTES), NEW)
    assert (found.raw, found.causes) == (len(data) - 1, ())
    assert "caf\ufffd" in (found.text or "")
    assert "caf\ufffd" in found.source
    whole = claude.instructions("CLAUDE.md", "/CLAUDE.md", text_in(data, Unit.BYTES))
    assert (whole.raw, whole.injected) == (len(data), len(data))


def test_the_summary_of_codex_loses_its_middle() -> None:
    found = summary(doc("memory_summary.md", b"a" * 15_000 + b"b" * 15_000))
    assert found.text == "a" * 10_000 + "…2500 tokens truncated…" + "b" * 10_000
    assert summary(doc("memory_summary.md", b" \n")).why is Why.EMPTY


def test_hermes_keeps_seventy_and_twenty_percent() -> None:
    found = head_and_tail("AGENTS.md", "/AGENTS.md", "x" * 20_001)
    assert [end - start for start, end in found.kept] == [14_000, 4_000]
    assert "[...truncated AGENTS.md: kept 14000+4000 of 20001 chars. " in (found.text or "")


def test_hermes_memory_is_loaded_whole_and_judged() -> None:
    found = hermes_memory("USER.md", "/USER.md", "one\n§\n" + "x" * 1_400, 1_375)
    assert (found.truncated, found.injected) == (False, 1_406)
    assert "1,406 of 1,375 characters" in found.note
    assert hermes_memory("MEMORY.md", "/M", "one\n§\ntwo\n", 2_200).note == ""
    assert "will not write" in hermes_memory("MEMORY.md", "/M", "one\n\n§\n\ntwo", 2_200).note


def test_the_limit_of_hermes_memory_is_one_of_writing() -> None:
    """It cuts nothing: told is that the memory tool adds nothing more, again when it is full."""
    told: list[str] = []
    known: dict[str, Known] = {}
    for size in (2_000, 2_500):
        load = Load("hermes", "", "main", Unit.CHARACTERS, (hermes_memory("MEMORY.md", "/M", "x" * size, 2_200),))
        (found,) = of_load(load, known)
        assert is_news(found, known.get(found.place))
        known = {found.place: Known(found.marks)}
        told.append(said(found))
    assert told[0].startswith("MEMORY.md takes 90 % of what hermes's memory tool takes (2,000 of 2,200 characters)")
    assert told[1].startswith("MEMORY.md is over what hermes's memory tool takes (2,500 of 2,200 characters)")
    assert all("all of it is loaded" in each and "adds nothing more" in each for each in told)


texts = st.text(st.sampled_from("ab \n<!->-`~é字😀"), max_size=300)


@given(texts)
def test_what_is_loaded_is_what_is_kept(text: str) -> None:
    body = without_comments(text)
    assert "".join(text[low:high] for low, high in body.kept) == body.text


@given(st.lists(st.binary(max_size=60), max_size=5), st.integers(0, 100))
def test_codex_never_spends_more_than_its_budget(files: list[bytes], limit: int) -> None:
    found = chain([doc(str(n), data) for n, data in enumerate(files)], limit)
    assert sum(each.injected for each in found) <= limit
    assert len(found) == len(files)

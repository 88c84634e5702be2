"""What holds for every card, whatever the files: limits, determinism, true quotations, pins first."""

from __future__ import annotations

import random
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.bootcard.card import Card, Given, Limits, Whole, make
from conductd.core.bootcard.finding import Section
from conductd.core.notes.quoting import content, harmless, unbold
from conductd.core.notes.source import Source
from conductd.core.tokens import Calibration, estimate

TODAY = date(2026, 3, 8)
NAMES = (
    "MEMORY.md",
    "IDENTITY.md",
    "USER.md",
    "HEARTBEAT.md",
    "memory/2026-03-08.md",
    "memory/2026-03-07.md",
    "memory/continuity/parser.md",
    "memory/qc/2026-03-07-main-qc.md",
    "memory/日記.md",
    "memory/odd \x1b[31m (name):1.md",
)
PIECES = (
    "- [ ] open item\n",
    "- [x] done\n",
    "## In progress\n",
    "## Next steps\n",
    "- Status: in progress\n",
    "- **Name:** Quince\n",
    "- 4 case: FAIL\n",
    "<!-- pin -->\n",
    "<!-- /pin -->\n",
    "- [ ] 你好，请不要在星期五发布任何东西，先问安娜。\n",
    "- [ ] \U0001f468\u200d\U0001f469\u200d\U0001f467 \u202ehidden\x07\n",
    '- [ ] <!-- x --> ```sh @~/.ssh ![a](b) “q” "r"\n',
    "| a | in progress |\n|---|---|\n| b | wip |\n",
    "```\n",
    "\n",
    "---\n",
)
line = st.one_of(st.sampled_from(PIECES), st.text(max_size=120).map(lambda text: f"- [ ] {text}\n"))
texts = st.lists(line, max_size=25).map("".join)
files = st.dictionaries(st.sampled_from(NAMES), texts, max_size=6)


def sources(written: dict[str, str], pinned: int) -> list[Source]:
    made = []
    for name, text in written.items():
        confirmed = frozenset({pinned}) if pinned else frozenset[int]()
        made.append(Source(name, b"/w/" + name.encode(), text.encode("utf-8", "surrogatepass"), confirmed))
    return made


def card(of: list[Source], lines: int = 20, tokens: int = 500, ratio: float = 1.0) -> Card:
    whole = tuple(Whole(each.name, each.path, len(each.raw_lines)) for each in of)
    about = Given(TODAY, tuple(of), whole, gone=(("MEMORY.md", b"/w/MEMORY.md", 2),), pins_known=False)
    return make(about, lambda _: [], Limits(lines, tokens), Calibration(ratio))


@settings(deadline=None, max_examples=35)
@given(files, st.integers(0, 6), st.integers(1, 40), st.integers(60, 900), st.sampled_from([0.5, 1.0, 1.7]))
def test_it_is_never_over_its_limits(
    written: dict[str, str], pinned: int, lines: int, tokens: int, ratio: float
) -> None:
    made = card(sources(written, pinned), lines, tokens, ratio)
    assert len(made.text.splitlines()) <= lines
    assert estimate(made.text, Calibration(ratio)).high <= tokens
    assert made.text.endswith("\n")


@settings(deadline=None, max_examples=25)
@given(files, st.integers(0, 6), st.integers(0, 1_000))
def test_it_is_the_same_in_whatever_order_the_files_come(written: dict[str, str], pinned: int, seed: int) -> None:
    once = sources(written, pinned)
    again = sources(written, pinned)
    random.Random(seed).shuffle(again)
    whole = tuple(Whole(each.name, each.path, 1) for each in once)
    first, second = (make(Given(TODAY, tuple(each), whole), lambda _: []) for each in (once, again))
    assert first == second


@settings(deadline=None, max_examples=35)
@given(files, st.integers(0, 6))
def test_every_quotation_stands_in_its_place(written: dict[str, str], pinned: int) -> None:
    of = sources(written, pinned)
    by_path = {each.path: each for each in of}
    for each in card(of, 40, 3_000).lines:
        for quote in each.quotes:
            there = harmless(content(by_path[each.path].raw_lines[quote.line - 1]))
            if each.section is not Section.PINNED:
                there = unbold(there)
            assert there.startswith(quote.text[:-1]) if quote.is_cut else there == quote.text
            assert quote.text.replace('"', "'") in each.text.replace('"', "'")


@settings(deadline=None, max_examples=25)
@given(files, st.integers(0, 6))
def test_pins_are_first_and_the_frame_holds(written: dict[str, str], pinned: int) -> None:
    made = card(sources(written, pinned))
    sections = [each.section for each in made.lines]
    assert sections == sorted(sections, key=list(Section).index)
    first, *rest = made.text.splitlines()
    assert first.startswith("# Boot card 2026-03-08: ")
    assert [each.text for each in made.lines] == rest
    assert all(each.startswith("- ") for each in rest)
    assert "<!--" not in made.text
    assert "\x1b" not in made.text


@settings(deadline=None, max_examples=25)
@given(files)
def test_all_that_is_found_is_on_it_or_counted(written: dict[str, str]) -> None:
    made = card(sources(written, 0), 12, 250)
    assert sum(number for _, number in made.found) == len(made.lines) + made.left_out

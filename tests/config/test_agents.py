"""What `[[agents]]` makes of a description, and which descriptions contradict themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conductd.config.load import parse
from conductd.core.load.limits import Keep, Limits
from conductd.core.load.loaded import Unit
from conductd.errors import ConfigError
from conductd.model import Role

TEN_LINES = """
[[agents]]
name = "robin"
marks = ["ROBIN.md"]
unit = "bytes"
per_file = 9000
total = 30000
find = ["~/robin/*"]
roles = { "/ROBIN.md" = "curated" }
[[agents.steps]]
names = ["ROBIN.md", "notes/*.md"]
"""


def test_ten_lines_describe_an_agent() -> None:
    assert len(TEN_LINES.strip().splitlines()) == 10
    (agent,) = parse(TEN_LINES).agents
    chain = agent.chain()
    assert (chain.name, chain.display, chain.unit, chain.total) == ("robin", "robin", Unit.BYTES, 30_000)
    assert chain.steps[0].limits == Limits(per_file=9_000)
    assert (chain.find, chain.roles) == (("~/robin/*",), (("/ROBIN.md", Role.CURATED),))


def test_a_step_overrides_what_the_agent_says() -> None:
    text = TEN_LINES + 'per_file = 0\nlines = 200\nfrontmatter = false\nin_total = false\nmarker = "[cut]"\n'
    (agent,) = parse(text).agents
    assert agent.chain().steps[0].limits == Limits(0, 200, marker="[cut]", frontmatter=False, in_total=False)
    assert agent.chain().limits == Limits(9_000)
    text = TEN_LINES.replace("total = 30000", 'keep = "head-tail"\nhead = 0.5\ntail = 0.5\nmarker = "x"')
    (agent,) = parse(text + 'keep = "head"\nhead = 0\ntail = 0\nmarker = ""\n').agents
    assert agent.chain().steps[0].limits == Limits(9_000)
    assert agent.chain().limits == Limits(9_000, keep=Keep.HEAD_TAIL, head=0.5, tail=0.5, marker="x")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('unit = "tokens"', 'agents[0].unit: must be one of "utf16", "characters", "bytes", is "tokens"'),
        ('keep = "head-tail"', "agents[0].keep: needs `head` and `tail`"),
        ('keep = "head-tail"\nhead = 0.7', "agents[0].keep: needs `head` and `tail`"),
        ('keep = "head-tail"\nhead = 0.8\ntail = 0.3', "agents[0].tail: `head` and `tail` together must be at most 1"),
        ("head = 0.7", 'agents[0].keep: `head` and `tail` are for "head-tail", not for "head"'),
        ("tail = 1.5", "agents[0].tail: must be between 0 and 1, is 1.5"),
        ('keep = "middle"', 'agents[0].keep: must be one of "head", "tail", "head-tail", is "middle"'),
        ('keep = "tail"\nlines = 9', "agents[0].lines: are counted from the top"),
        ('marker = "[{lost}]"', "agents[0].marker: {lost} means nothing"),
        ("marker_counted = true", "agents[0].marker_counted: there is no `marker` to count"),
        ("skip_over = -1", "agents[0].skip_over: must be 0 or more"),
        ('packages = ["robin"]', "agents[0].packages: needs `program`"),
        ('trees = ["../elsewhere"]', "agents[0].trees[0]: must be a path below the workspace"),
        ("imports = 99", "agents[0].imports: must be between 0 and 10"),
    ],
)
def test_a_contradiction_is_a_fault_with_its_line(line: str, fault: str) -> None:
    text = TEN_LINES.replace('unit = "bytes"', line)
    with pytest.raises(ConfigError) as caught:
        parse(text)
    (told,) = caught.value.faults
    assert told.startswith("line ")
    assert fault in told


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('keep = "head-tail"', "agents[0].steps[0].keep: needs `head` and `tail`"),
        ('where = "below"', "agents[0].steps[0].where: must be one of"),
        ("per_file = -1", "agents[0].steps[0].per_file: must be 0 or more, is -1"),
        ("tail = 2.0", "agents[0].steps[0].tail: must be between 0 and 1, is 2.0"),
        ("limit = 5", "agents[0].steps[0].limit: unknown key"),
        ("marker_counted = true", "agents[0].steps[0].marker_counted: there is no `marker` to count"),
    ],
)
def test_so_is_one_of_a_step(line: str, fault: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(TEN_LINES + line)
    assert [fault in each for each in caught.value.faults] == [True]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('"ROBIN.md", "notes/*.md"', '"~/ROBIN.md"', "steps[0].names[0]: must be a relative path"),
        ('"ROBIN.md", "notes/*.md"', '"/ROBIN.md"', "steps[0].names[0]: must be a relative path"),
        ('"ROBIN.md", "notes/*.md"', "", "steps[0].names: must name at least one file"),
        ('"~/robin/*"', '"robin"', "find[0]: must be absolute or start with ~/"),
        ('marks = ["ROBIN.md"]', 'marks = ["/etc"]', "marks[0]: must be a path below the workspace"),
        ('"curated"', '"important"', 'must be one of "curated"'),
        ('[[agents.steps]]\nnames = ["ROBIN.md", "notes/*.md"]', "", "agents[0]: the key `steps` is missing"),
        ('[[agents.steps]]\nnames = ["ROBIN.md", "notes/*.md"]', "steps = []", "must have at least one step"),
    ],
)
def test_so_is_a_place_that_is_none(old: str, new: str, fault: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(TEN_LINES.replace(old, new))
    assert [fault in each for each in caught.value.faults] == [True]


def test_a_name_is_described_once() -> None:
    with pytest.raises(ConfigError) as caught:
        parse(TEN_LINES * 2)
    assert [each.split(": ", 1)[1] for each in caught.value.faults] == ["agents[1].name: robin is described twice"]


@pytest.mark.parametrize("page", ["config.md", "agents.md"])
def test_the_examples_of_the_pages_load(page: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8")
    blocks = [each for each in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "[[agents]]" in each]
    assert blocks
    for block in blocks:
        lines = [line for line in block.splitlines() if line.strip()]
        assert len(lines) <= 10
        assert len(parse(block).agents) == 1

"""A line that led to a file which is gone says nothing more; any other line does."""

from __future__ import annotations

import pytest

from conductd.core.losses.pointers import named, pointer
from conductd.core.reading.entries import entries
from conductd.model import Action
from support.cases import KEY, judged

INDEX = (
    "# Index\n\n- [Tests](memory/tests.md): why golden files are kept\n- [People](memory/people.md): who decides what\n"
    "- the release goes out on Tuesdays\n"
)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("- [Deploy](memory/deploy.md): hosts and ports", b"memory/deploy.md"),
        ("- [Deploy](<memory/my deploy.md>): hosts and ports", b"memory/my deploy.md"),
        ("- [Deploy](./memory/my%20deploy.md#ports) hosts and ports", b"memory/my deploy.md"),
        ("- see [[deploy]] for hosts and ports", b"memory/deploy.md"),
        ("- hosts and ports are in memory/Deploy.md", b"memory/deploy.md"),
        ("| [[memory/deploy|Deploy]] | hosts and ports |", b"memory/deploy.md"),
        ("- 部署主机与端口：见 [部署](memory/部署.md)", "memory/部署.md".encode()),
        ("- @memory/уклад.md, правила дома", "memory/уклад.md".encode()),
    ],
)
def test_a_line_that_goes_with_its_file_is_no_loss(line: str, path: bytes) -> None:
    old = INDEX + ("\n" if line.startswith("|") else "") + line + "\n"
    together = judged(b"MEMORY.md", old, INDEX, gone=(path,))
    assert (together.action, together.facts["lost_share"]) == (Action.RECORD, 0)
    alone = judged(b"MEMORY.md", old, INDEX, gone=(b"memory/other.md",))
    assert alone.facts["lost_share"] != 0


@pytest.mark.parametrize(
    "line",
    [
        "- heron is the staging host",  # no pointer
        "- [Deploy](memory/deploy.md) and [Keys](memory/tests.md): one of them is there",
        "- [Deploy](memory/deploy.md): " + " ".join(f"word{n}" for n in range(40)),
    ],
)
def test_what_says_more_is_lost(line: str) -> None:
    verdict = judged(b"MEMORY.md", INDEX + line + "\n", INDEX, gone=(b"memory/deploy.md",))
    assert verdict.facts["lost_share"] != 0


def test_an_index_that_is_emptied_is_lost_whatever_became_of_the_files() -> None:
    lines = "".join(f"- [Topic {n}](memory/topic-{n}.md): the {n}. of many topics\n" for n in range(8))
    gone = tuple(b"memory/topic-%d.md" % n for n in range(8))
    assert judged(b"MEMORY.md", "# Index\n\n" + lines, "# Index\n", gone=gone).action is not Action.RECORD


def test_files_that_a_text_names() -> None:
    paths = (b"memory/deploy.md", "memory/café.md".encode(), b"memory/a\xff.md", b"memory/none.md")
    assert named(paths, "see [[Deploy]], cafe\u0301.md, a".encode() + b"\xff.md") == paths[:3]
    assert pointer(entries(b"- [a](b.md)", KEY)[0]).targets == {"b.md"}

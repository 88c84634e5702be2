"""The plans of the safe fixes, and the merging of two files of notes: nothing is lost, nothing is doubled."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from conductd.core.doctor.facts import AgentFacts, Entry, Kind, Leads, Workspace
from conductd.core.doctor.fixes import MOST, Plan, Unsafe, plans
from conductd.core.doctor.links import memory_links
from conductd.core.doctor.root_import import HEADING, merged, why_not
from conductd.core.reading.blocks import Kind as Block
from conductd.core.reading.entries import entry_table
from conductd.model import Role

STAMP = "2026-11-30T22-10-00-000Z"
AGENT = AgentFacts("openclaw", "OpenClaw", exact=("AGENTS.md", "USER.md", "MEMORY.md", "memory"))


def entry(path: bytes, kind: Kind = Kind.FILE, role: Role | None = Role.CURATED, **more: Any) -> Entry:
    return Entry(path, kind, role, **more)


def of(*entries: Entry) -> Workspace:
    return Workspace(b"/w", entries=entries, case_insensitive=False, agents=(AGENT,))


def planned(workspace: Workspace, contents: dict[bytes, bytes], gate: str = "") -> list[Plan | Unsafe]:
    return plans(workspace, contents, STAMP, lambda _path, _data: gate)


def digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


SPLIT = of(entry(b"MEMORY.md"), entry(b"memory.md"))


def test_a_split_is_merged_and_archived() -> None:
    own, other = b"# M\n\n- one thing here\n", b"- two things there\n"
    (plan,) = planned(SPLIT, {b"MEMORY.md": own, b"memory.md": other})
    assert isinstance(plan, Plan)
    archive, grown, gone = plan.changes
    assert (archive.path, archive.data, archive.was) == (
        b".openclaw-repair/root-memory/" + STAMP.encode() + b"/memory.md",
        other,
        None,
    )
    assert (grown.path, grown.was) == (b"MEMORY.md", digest(own))
    assert grown.data is not None
    assert grown.data.startswith(own)
    assert (gone.path, gone.data, gone.was) == (b"memory.md", None, digest(other))


def test_of_a_copy_only_the_copy_goes() -> None:
    (plan,) = planned(SPLIT, {b"MEMORY.md": b"- same note\n", b"memory.md": b"- same note\n"})
    assert isinstance(plan, Plan)
    assert [each.path for each in plan.changes][1:] == [b"memory.md"]


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (b"- a b c\n", b"\xff\xfe\x00bin\x00"),
        (b"- a b c\n", b"<<<<<<< HEAD\n- x y z\n=======\n- u v w\n>>>>>>> other\n"),
        (b"caf\xe9 au lait\n", b"- x\n"),
        (b"- a b c\n", b"- x y z\n" * (MOST // 8 + 1)),
    ],
)
def test_what_cannot_be_merged_safely_is_left(own: bytes, other: bytes) -> None:
    (found,) = planned(SPLIT, {b"MEMORY.md": own, b"memory.md": other})
    assert isinstance(found, Unsafe)
    assert found.why


def test_where_openclaw_would_leave_the_file_out_nothing_is_planned() -> None:
    contents = {b"MEMORY.md": b"- a b c\n", b"memory.md": b"- d e f\n"}
    (found,) = planned(SPLIT, contents, "OpenClaw would leave it out")
    assert isinstance(found, Unsafe)
    assert found.why == "OpenClaw would leave it out"
    linked = of(entry(b"MEMORY.md", Kind.LINK, target=b"x", leads=Leads.FILE))
    (found,) = planned(linked, {b"MEMORY.md": b"- a\n"}, "no")
    assert isinstance(found, Unsafe)
    (found,) = planned(of(entry(b"Memory.md")), {b"Memory.md": b"- a\n"}, "no")
    assert isinstance(found, Unsafe)


def test_another_spelling_that_is_a_link_goes_and_is_made_no_file() -> None:
    alias = of(
        entry(b"MEMORY.md"), entry(b"memory.md", Kind.LINK, target=b"MEMORY.md", leads=Leads.FILE, real=b"MEMORY.md")
    )
    (plan,) = planned(alias, {b"MEMORY.md": b"- a\n", b"memory.md": b"- a\n"})
    assert isinstance(plan, Plan)
    assert [(each.path, each.data, each.was_link) for each in plan.changes] == [(b"memory.md", None, b"MEMORY.md")]


def test_two_spellings_of_one_inode_become_one() -> None:
    one = of(
        entry(b"MEMORY.md", nlink=2, device=1, inode=9, others=(b"memory.md",)),
        entry(b"memory.md", nlink=2, device=1, inode=9, others=(b"MEMORY.md",)),
    )
    first, *_ = planned(one, {b"MEMORY.md": b"- a\n", b"memory.md": b"- a\n"})
    assert isinstance(first, Plan)
    assert b"MEMORY.md" not in {each.path for each in first.changes}


def test_a_hard_link_of_the_other_one_is_no_way_round_the_conditions() -> None:
    linked = of(entry(b"MEMORY.md"), entry(b"memory.md", nlink=2, device=1, inode=9))
    (found, *_) = planned(linked, {b"MEMORY.md": b"- a\n", b"memory.md": b"<<<<<<< a\n- b\n>>>>>>> c\n"})
    assert isinstance(found, Unsafe)


def test_a_topic_of_another_agent_is_not_merged() -> None:
    other = replace(SPLIT, agents=(AgentFacts("claude-code", "Claude Code", exact=("MEMORY.md",)),))
    (found,) = planned(other, {b"MEMORY.md": b"- a b c\n", b"memory.md": b"- d e f\n"})
    assert isinstance(found, Unsafe)
    nobody = replace(SPLIT, agents=())
    (found,) = planned(nobody, {b"MEMORY.md": b"- a b c\n", b"memory.md": b"- d e f\n"})
    assert isinstance(found, Plan)


def test_two_files_of_instructions_are_for_a_person() -> None:
    both = of(entry(b"AGENTS.md", role=Role.INSTRUCTIONS), entry(b"agents.md", role=Role.INSTRUCTIONS))
    (found,) = planned(both, {b"AGENTS.md": b"- a\n", b"agents.md": b"- b\n"})
    assert isinstance(found, Unsafe)


def test_a_wrong_case_is_renamed_with_its_bytes() -> None:
    (plan,) = planned(of(entry(b"uSER.md")), {b"uSER.md": b"- Ana\n"})
    assert isinstance(plan, Plan)
    assert [(each.path, each.data) for each in plan.changes] == [(b"USER.md", b"- Ana\n"), (b"uSER.md", None)]


@pytest.mark.parametrize("is_one", [True, None])
def test_where_cases_are_one_nothing_is_renamed(is_one: bool | None) -> None:
    (found,) = planned(replace(of(entry(b"Memory.md")), case_insensitive=is_one), {b"Memory.md": b"- a\n"})
    assert isinstance(found, Unsafe)


def test_of_several_misspelt_names_one_is_renamed_and_the_others_are_left() -> None:
    several = of(entry(b"Memory.md"), entry(b"mEMORY.md"))
    found = planned(several, {b"Memory.md": b"- a\n", b"mEMORY.md": b"- b\n"})
    assert [type(each) for each in found] == [Plan, Unsafe]


@pytest.mark.parametrize("leads", [Leads.NOWHERE, Leads.DIRECTORY, Leads.OTHER])
def test_a_link_to_no_file_is_left(leads: Leads) -> None:
    (found,) = planned(of(entry(b"MEMORY.md", Kind.LINK, target=b"x", leads=leads)), {})
    assert isinstance(found, Unsafe)


def test_a_link_that_leads_out_of_the_workspace_is_left_and_explained() -> None:
    linked = of(entry(b"memory/notes.md", Kind.LINK, target=b"/home/me/.netrc", leads=Leads.FILE, inside=False))
    (found,) = planned(linked, {b"memory/notes.md": b"- a\n"})
    assert isinstance(found, Unsafe)
    assert "out of the workspace" in found.why


def test_a_link_to_what_is_no_text_is_left() -> None:
    linked = of(entry(b"MEMORY.md", Kind.LINK, target=b"x", leads=Leads.FILE))
    (found,) = planned(linked, {b"MEMORY.md": b"\x7fELF\x00\x01\x02" * 50})
    assert isinstance(found, Unsafe)


def test_of_two_names_of_one_file_one_gets_a_copy() -> None:
    two = of(
        entry(b"MEMORY.md", nlink=2, device=1, inode=9, others=(b"memory/a.md",)),
        entry(b"memory/a.md", nlink=2, device=1, inode=9, others=(b"MEMORY.md",)),
    )
    found = planned(two, {b"MEMORY.md": b"- a\n", b"memory/a.md": b"- a\n"})
    assert len(found) == 1
    one = of(entry(b"MEMORY.md", nlink=2, device=1, inode=9))
    assert len(planned(one, {b"MEMORY.md": b"- a\n"})) == 1


def test_no_file_is_in_two_plans() -> None:
    both = of(entry(b"MEMORY.md", nlink=2, device=1, inode=9), entry(b"memory.md", Kind.LINK, leads=Leads.FILE))
    found = planned(both, {b"MEMORY.md": b"- a\n", b"memory.md": b"- b\n"})
    paths = [change.path for each in found if isinstance(each, Plan) for change in each.changes]
    assert len(paths) == len(set(paths))


# ------------------------------------------------------------------ merging

WORDS = ["gate", "boiler", "Lisbon", "blue", "folder", "キー", "日記", "Ana", "x", "ok", "…", "naïve"]
LINES = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(lambda words: "- " + " ".join(words)),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(lambda words: "  - " + " ".join(words)),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(lambda words: "# " + " ".join(words)),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(lambda words: "## " + " ".join(words)),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join),
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=2).map(lambda words: f"| {words[0]} | {words[1]} |"),
    st.sampled_from(["", "", "---", "```", "<!-- pin -->", "<!-- /pin -->", "> a quotation", "1. first of all"]),
)
TEXTS = st.tuples(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda each: (each[1].join(each[0]) + (each[1] if each[2] else "")).encode()
)


def noted(data: bytes) -> Counter[bytes]:
    """The entries of a text but its headings, by fingerprint."""
    return Counter(each.fingerprint for each in entry_table(data, b"").entries if each.kind is not Block.HEADING)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_nothing_of_either_is_lost(own: bytes, other: bytes) -> None:
    if why_not(own, other):
        return
    result = merged(own, other, "memory.md")
    assert result.startswith(own) or not own.strip()
    assert not set(noted(other)) - set(noted(result))


@settings(max_examples=40, deadline=None)
@given(TEXTS)
def test_what_is_there_already_is_not_added(own: bytes) -> None:
    if not why_not(own, own):
        assert merged(own, own, "memory.md") == own


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(WORDS), unique=True, min_size=1), st.lists(st.sampled_from(WORDS), unique=True))
def test_of_plain_lists_no_item_is_doubled(one: list[str], two: list[str]) -> None:
    lists = [
        ("# Notes\n\n" + "".join(f"- the {word} stands for {word}\n" for word in each)).encode() for each in (one, two)
    ]
    result = merged(*lists, "memory.md")
    assert max(noted(result).values()) == 1
    assert merged(result, lists[1], "memory.md") == result


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_merging_again_adds_nothing(own: bytes, other: bytes) -> None:
    if why_not(own, other):
        return
    once = merged(own, other, "memory.md")
    if why_not(once, other):
        return
    assert merged(once, other, "memory.md") == once


def test_the_heading_names_the_file_and_line_ends_stay() -> None:
    result = merged(b"# M\r\n\r\n- one thing\r\n", b"- another one\n", "memory.md")
    assert (HEADING + "memory.md\r\n").encode() in result
    assert b"\n" not in result.replace(b"\r\n", b"")


def test_pin_marks_keep_what_they_hold() -> None:
    other = b"- known here\n<!-- pin -->\n- never push\n<!-- /pin -->\n"
    result = merged(b"- known here\n", other, "memory.md")
    assert b"<!-- pin -->\n- never push\n<!-- /pin -->" in result


def test_a_heading_that_is_a_note_by_itself_is_imported() -> None:
    own, other = b"# Memory\n\n- the boat is blue\n", b"# Old\n\n## Never deploy on a Friday\n\n- the boat is blue\n"
    assert b"Never deploy" not in merged(own, other, "memory.md"), "its note is known, and so what it is about"
    other = b"# Old\n\n- the boat is blue\n\n## Never deploy on a Friday\n"
    result = merged(own, other, "memory.md")
    assert result.startswith(own)
    assert b"## Never deploy on a Friday\n" in result
    assert merged(result, other, "memory.md") == result


@pytest.mark.parametrize(("agent", "is_a_fault"), [("claude-code", False), ("openclaw", True)])
def test_a_second_name_of_instructions_is_left_to_those_who_made_it(agent: str, is_a_fault: bool) -> None:
    instructions = entry(b"AGENTS.md", role=Role.INSTRUCTIONS)
    link = entry(b"CLAUDE.md", Kind.LINK, Role.INSTRUCTIONS, target=b"AGENTS.md", leads=Leads.FILE, real=b"AGENTS.md")
    workspace = replace(of(instructions, link), agents=(replace(AGENT, name=agent),))
    assert bool(list(memory_links(workspace))) is is_a_fault

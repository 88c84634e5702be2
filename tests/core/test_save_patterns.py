"""Names that editors make beside a file, and what two of them hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.save_patterns import Kind, read_lock, read_swap, trace_of


@pytest.mark.parametrize(
    ("name", "editor", "kind", "target"),
    [
        (b".MEMORY.md.swp", "vim", Kind.SWAP, b"MEMORY.md"),
        (b".MEMORY.md.swo", "vim", Kind.SWAP, b"MEMORY.md"),
        ("..笔记.md.swp".encode(), "vim", Kind.SWAP, ".笔记.md".encode()),
        (b"4913", "vim", Kind.PROBE, None),
        (b"MEMORY.md~", "", Kind.BACKUP, b"MEMORY.md"),
        (b".#MEMORY.md", "emacs", Kind.LOCK, b"MEMORY.md"),
        (b"#MEMORY.md#", "emacs", Kind.TEMP, b"MEMORY.md"),
        (b".goutputstream-7QX2TZ", "gedit", Kind.TEMP, None),
        (b".MEMORY.md.kate-swp", "kate", Kind.SWAP, b"MEMORY.md"),
        (b"MEMORY.md___jb_tmp___", "jetbrains", Kind.TEMP, b"MEMORY.md"),
        (b"MEMORY.md___jb_old___", "jetbrains", Kind.BACKUP, b"MEMORY.md"),
        (b".subl7ee.tmp", "sublime", Kind.TEMP, None),
        (b"MEMORY.mdaB3xYz.bck", "helix", Kind.BACKUP, b"MEMORY.md"),
        (b".MEMORY.md.kak.aB3xYz", "kakoune", Kind.TEMP, b"MEMORY.md"),
        (b".~lock.MEMORY.md#", "libreoffice", Kind.LOCK, b"MEMORY.md"),
        (b"MEMORY.md.sb-1a2b3c4d-Xyz123", "textedit", Kind.TEMP, b"MEMORY.md"),
    ],
)
def test_a_name_tells_the_editor_and_the_file(name: bytes, editor: str, kind: Kind, target: bytes | None) -> None:
    assert trace_of(name) == (editor, kind, target)


@pytest.mark.parametrize(
    "name",
    [
        *(
            b"MEMORY.md",
            b"memory.md",
            b".hidden.md",
            b"MEMORY.md.tmp-4711",
            b"MEMORY.md.tmp",
            b"tmpabc123",
            b"4914",
            b"~",
        ),
        *(
            b".git",
            b".conductd-0011223344556677.tmp",
            b"MEMORY.md.bak",
            b"sedAbC123",
            b"#",
            b"##",
            b".swp",
            b"notes.swp",
        ),
    ],
)
def test_other_names_say_nothing(name: bytes) -> None:
    assert trace_of(name) is None


def header(**fields: bytes | int) -> bytes:
    data = bytearray(1024)
    data[0:2], data[2:12] = b"b0", b"VIM 9.0\0\0\0"
    data[24:28] = int(fields.get("pid", 4711)).to_bytes(4, "little")
    data[28:32], data[68:72] = b"pat\0", b"box\0"
    data[1007] = int(fields.get("dirty", 0))
    return bytes(data)


def test_a_swap_file_tells_who_has_it_open_and_whether_the_text_was_changed() -> None:
    swap = read_swap(header())
    assert swap is not None
    assert (swap.version, swap.pid, swap.user, swap.host, swap.modified) == ("VIM 9.0", 4711, "pat", "box", False)
    changed = read_swap(header(dirty=0x55))
    assert changed is not None
    assert changed.modified


@pytest.mark.parametrize("data", [b"", b"b0", header()[:1023], b"x" * 1024, header(dirty=7), header(pid=0)])
def test_what_is_no_swap_file_is_none(data: bytes) -> None:
    assert read_swap(data) is None


@given(st.binary(max_size=2048))
def test_any_bytes_may_stand_there(data: bytes) -> None:
    read_swap(data)
    read_lock(data)
    trace_of(data)


def test_a_lock_link_tells_the_process() -> None:
    lock = read_lock(b"pat@box.example.org.4711:1700000000")
    assert lock == ("pat", "box.example.org", 4711)
    assert read_lock(b"pat@box.4711") == ("pat", "box", 4711)
    assert read_lock(b"../other.md") is None

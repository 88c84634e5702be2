"""A name of any bytes is written down as a text of its own."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from conductd.core.load.writable_names import is_writable, named, path_of

paths = st.lists(st.sampled_from([b"a", b"\\", b"x", b"5c", b"e8", b"\xe8", b"\xe9", "é".encode(), b"/", b"\n"])).map(
    b"".join
)


@given(st.lists(paths | st.binary(max_size=8), max_size=8))
@example([b"\xe8.md", b"\\xe8.md", b"\\x5cxe8.md", b"\xe9.md"])
def test_each_path_has_a_name_of_its_own(those: list[bytes]) -> None:
    names = {named(each) for each in those}
    assert len(names) == len(set(those))
    assert all(path_of(named(each)) == each for each in those)
    assert all(each.encode() for each in names if each)


def test_what_is_text_is_called_as_it_is() -> None:
    assert named("notes/straße \\x.md".encode()) == "notes/straße \\x.md"
    assert is_writable("notes/straße.md".encode())
    assert not is_writable(b"notes/stra\xdfe.md")

"""The book of watches as a value."""

from __future__ import annotations

from conductd.watch.watchmap import WatchMap


def filled(*paths: bytes) -> WatchMap:
    book = WatchMap()
    for number, path in enumerate(paths, 1):
        book.add(path, number, (1, number))
    return book


def test_removing_a_tree_leaves_its_neighbours() -> None:
    book = filled(b"", b"a", b"a/b", b"a/b/c", b"ab")
    assert book.remove_tree(b"a") == [4, 3, 2]
    assert (book.path(1), book.path(5), len(book)) == (b"", b"ab", 2)


def test_a_late_removal_does_not_take_a_newer_watch_away() -> None:
    book = filled(b"", b"a")
    book.remove(b"a")
    book.add(b"a", 9, (1, 9))
    assert book.remove(b"gone") is None
    assert book.path(9) == b"a"


def test_clear_gives_every_descriptor_back() -> None:
    book = filled(b"", b"a", b"a/b")
    assert sorted(book.clear()) == [1, 2, 3]
    assert len(book) == 0
    assert book.place((1, 2)) is None

"""Keys are found on their lines."""

from __future__ import annotations

import time

from conductd.config.lines import key_lines

TEXT = """\
# a comment = 1
a = 1
"b.c".d = 2
text = '''
inside = 3
[not a table]
'''
list = [
  # x = 4
  {y = 5},
]
[table] # comment
k = 1
[table.inner]
k = 2
[[many]]
k = 3
[many.sub]
k = 4
[[many]]
k = 5
"""


def test_keys_and_tables_have_their_lines() -> None:
    assert key_lines(TEXT) == {
        ("a",): 2,
        ("b.c", "d"): 3,
        ("text",): 4,
        ("list",): 8,
        ("table",): 12,
        ("table", "k"): 13,
        ("table", "inner"): 14,
        ("table", "inner", "k"): 15,
        ("many", 0): 16,
        ("many", 0, "k"): 17,
        ("many", 0, "sub"): 18,
        ("many", 0, "sub", "k"): 19,
        ("many", 1): 20,
        ("many", 1, "k"): 21,
    }


def test_line_ends_of_another_system() -> None:
    assert key_lines("a = 1\r\nb = 2\r\n") == {("a",): 1, ("b",): 2}


def test_an_endless_value_takes_no_endless_time() -> None:
    text = "a = [\n" + "  1,\n" * 20_000 + "]\nb = 2\n"
    start = time.monotonic()
    assert key_lines(text)[("b",)] == 20_003
    assert time.monotonic() - start < 20

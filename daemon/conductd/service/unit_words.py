"""Words of a unit file: written so that systemd reads exactly what was meant, and read as it does. Pure.

Sources: systemd.syntax(7), systemd.service(5) (command lines, `$`), systemd.unit(5) (specifiers, `%`), and a real
systemd (252), by which tests/systemd/test_unit_words.py tries all of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from conductd.errors import ServiceManagerError

# What systemd's own check of text (utf8_is_valid) does not let pass in a line: bytes that are no UTF-8, noncharacters.
# As an escape of each byte they pass in a word of a command.
_NO_TEXT = "\ud800-\udfff\ufdd0-\ufdef" + "".join(
    f"{chr(n | 0xFFFE)}{chr(n | 0xFFFF)}" for n in range(0, 0x110000, 1 << 16)
)
_PLAIN = re.compile(rf"""[^\x00-\x20\x7f"'\\;{_NO_TEXT}]+""")
_ESCAPED = re.compile(rf"[\x00-\x1f\x7f{_NO_TEXT}]")
_NO_PROGRAM = re.compile(r"""["'\\\x00-\x1f\x7f]""")
_NO_VALUE = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f{_NO_TEXT}]")
_WORD = re.compile(r"""[@:+!-]*"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^ \t\r\n]+)""")
_PART = re.compile(r"\\x([0-9a-fA-F]{2})|\\(.)|([^\\]+)")
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "s": " ", "t": "\t", "v": "\v"}
_PREFIXES = "@:+!-"


def command(given: Sequence[str]) -> str:
    """A command line: an absolute program and its arguments. Raises ServiceManagerError where systemd takes no such
    program."""
    program, *arguments = given
    if _NO_PROGRAM.search(program):
        raise ServiceManagerError(
            f"systemd starts no program whose path has quotes, backslashes or control characters: {program}",
            "install conductd under another path",
        )
    # Variables are filled in from the second word on; in the first only in what the program is told of its own path.
    # The colon, of systemd 244 and later, ends that for the whole line.
    colon = ":" if "$" in program else ""
    written = arguments if colon else [word.replace("$", "$$") for word in arguments]
    return colon + " ".join(map(_quoted, (program, *written)))


def assignment(name: str, value: str) -> str:
    """A variable of the environment. Raises ServiceManagerError where systemd passes on no such value."""
    if _NO_VALUE.search(value):
        raise ServiceManagerError(
            f"{name} holds control characters, or bytes that are no UTF-8: systemd would not pass it on",
            f"give it a path without, by a symbolic link for instance, or unset {name}",
        )
    return _quoted(f"{name}={value}")


def words(line: str, home: str) -> tuple[str, ...]:
    """The program and its arguments in a command line. ``home``: what `%h` stands for, in a unit copied by hand."""
    found = [_bytes(next(each for each in match.groups() if each is not None)) for match in _WORD.finditer(line)]
    if not found:
        return ()
    plain = [re.sub("%(.)", lambda m: {"%": "%", "h": home}.get(m[1], m[0]), word) for word in found]
    prefixes = line[: len(line) - len(line.lstrip(_PREFIXES))]
    arguments = plain[1:] if ":" in prefixes else [word.replace("$$", "$") for word in plain[1:]]
    return (plain[0].lstrip(_PREFIXES), *arguments)


def _quoted(word: str) -> str:
    word = word.replace("%", "%%")
    if _PLAIN.fullmatch(word):
        return word
    return '"' + _ESCAPED.sub(_by_bytes, word.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def _by_bytes(found: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in found[0].encode("utf-8", "surrogateescape"))


def _bytes(word: str) -> str:
    """Without its escapes."""
    out = bytearray()
    for code, letter, text in _PART.findall(word):
        out += (
            bytes([int(code, 16)])
            if code
            else (text or _LETTERS.get(letter, letter)).encode("utf-8", "surrogateescape")
        )
    return out.decode("utf-8", "surrogateescape")

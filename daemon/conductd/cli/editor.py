"""Which program a person edits with, as git and other tools find it, and whether it waits until the file is closed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from conductd.errors import UsageError

# Tried in this order where neither VISUAL nor EDITOR says: what the system calls its editor, then what most have.
_FALLBACKS = ("editor", "nano", "vim", "vi", "emacs", "micro")

_WAIT = ("--wait", "-w")
_NO_FORK = ("-f", "--nofork", "--no-fork")
# Programs that open a window and come back at once, and the options that keep them waiting; the first is named.
_WINDOWS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("code", "code-insiders", "code-oss", "codium", "vscodium", "positron"), _WAIT),
    **dict.fromkeys(("cursor", "windsurf", "kiro", "trae", "antigravity", "zed", "zeditor", "zed-editor"), _WAIT),
    **dict.fromkeys(("subl", "sublime_text", "atom", "mate", "gedit", "xed"), _WAIT),
    **dict.fromkeys(("idea", "pycharm", "webstorm", "phpstorm", "goland", "clion", "rider", "rubymine"), ("--wait",)),
    **dict.fromkeys(("gvim", "mvim", "gview", "nvim-qt", "neovide"), _NO_FORK),
    "gnome-text-editor": ("--standalone", "-s"),
    "kate": ("--block", "-b"),
    "open": ("-W", "--wait-apps"),
    "xdg-open": (),
}
_EMACS_LEAVES = ("-n", "--no-wait")


@dataclass(frozen=True)
class Editor:
    """`words`: the program and its arguments. `name`: what it is called in the history. `waits_with`: None when it
    waits by itself, else the option that would make it wait, "" when there is none."""

    words: tuple[str, ...]
    name: str
    waits_with: str | None = None


def find(environ: Mapping[str, str]) -> Editor:
    """From VISUAL, else EDITOR (both may hold arguments), else what is installed. Raises UsageError."""
    for variable in ("VISUAL", "EDITOR"):
        value = environ.get(variable, "").strip()
        if value:
            words = _words(variable, value)
            if shutil.which(words[0], path=environ.get("PATH")) is None:
                raise UsageError(f"{variable} names no program: {words[0]}", f"set {variable} to your editor")
            return described(words)
    for name in _FALLBACKS:
        if shutil.which(name, path=environ.get("PATH")):
            return described((name,))
    raise UsageError("there is no editor", "set EDITOR, for example: export EDITOR=vim")


def _words(variable: str, value: str) -> tuple[str, ...]:
    if os.path.isabs(value) and os.access(value, os.X_OK):
        return (value,)  # a path with a space in it
    try:
        words = tuple(shlex.split(value))
    except ValueError as error:
        raise UsageError(f"{variable} cannot be read: {error}", f"correct the quotes in {variable}") from None
    return words


def described(words: tuple[str, ...]) -> Editor:
    name = os.path.basename(words[0])
    if name in ("editor", "sensible-editor"):
        # The system's name for it: a link (by way of the alternatives) to the program it is.
        found = shutil.which(words[0])
        real = os.path.basename(os.path.realpath(found)) if found else name
        name = real if real != "sensible-editor" else "editor"
    name = re.sub(r"\.(?:basic|tiny|nox|gtk3?|exe|sh|bin)$", "", name)
    return Editor(words, name, _waits_with(name, words[1:]))


def _waits_with(name: str, arguments: tuple[str, ...]) -> str | None:
    if name == "emacsclient":
        return "" if any(word in _EMACS_LEAVES for word in arguments) else None
    options = _WINDOWS.get(name)
    if options is None or any(word in options for word in arguments):
        return None
    return options[0] if options else ""

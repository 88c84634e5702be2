"""The programs people edit text with: data, and one question about a name.

An editor that is here may be believed to be a person's when it runs on a terminal or a display and no
agent started it. One that can let an agent write for it (``hosts_agents``) is believed only with the
file named on its command line, an agent's own editor never.
"""

from __future__ import annotations

import re
from enum import StrEnum

from conductd.model import Frozen


class Hosts(StrEnum):
    """Whether agents write through this editor."""

    NO = "no"
    MAY = "may"  # an extension, if one is installed
    DOES = "does"  # it is made for that


class Program(Frozen, frozen=True):
    """``editor``: the name after ``human:``. ``traces``: a save of its leaves something beside the file, so that one
    without such a trace is not its."""

    editor: str
    hosts: Hosts = Hosts.NO
    traces: bool = False


def _same(*names: str, editor: str = "", hosts: Hosts = Hosts.NO, traces: bool = False) -> dict[str, Program]:
    return {name: Program(editor or names[0], hosts, traces) for name in names}


PROGRAMS: dict[str, Program] = {
    **_same("vim", "vi", "view", "vimdiff", "gvim", "rvim", "evim", "mvim", traces=True),
    **_same("nvim", "nvim-qt", "neovide", editor="neovim", traces=True),
    **_same("nano", "rnano", "pico"),
    **_same("emacs", "emacs-gtk", "emacs-nox", "emacs-lucid", "emacs-pgtk", "xemacs", "mg", "zile", traces=True),
    **_same("joe", "jmacs", "jstar", "jpico", "rjoe", traces=True),
    **_same("micro"),
    **_same("helix", "hx", traces=True),
    **_same("kakoune", "kak"),
    **_same("jed"),
    **_same("ne"),
    **_same("tilde"),
    **_same("mcedit", "mc"),
    **_same("gedit", "gnome-text-editor", "pluma", "xed", "mousepad", "featherpad", "l3afpad", "leafpad", traces=True),
    **_same("geany"),
    **_same("kate", "kwrite", traces=True),
    **_same("sublime", "sublime_text", "subl"),
    **_same("obsidian"),
    **_same("typora"),
    **_same("zettlr"),
    **_same("marktext"),
    **_same("ghostwriter"),
    **_same("libreoffice", "soffice", "soffice.bin", "lowriter", traces=True),
    **_same("code", "code-oss", "codium", "vscodium", "code-insiders", "positron", editor="vscode", hosts=Hosts.MAY),
    **_same("zed", "zed-editor", "zeditor", hosts=Hosts.MAY),
    **_same(
        *("idea", "pycharm", "webstorm", "phpstorm", "goland", "clion", "rider", "rubymine", "rustrover", "studio"),
        editor="jetbrains",
        hosts=Hosts.MAY,
        traces=True,
    ),
    **_same("cursor", "windsurf", "antigravity", "kiro", "trae", "void", hosts=Hosts.DOES),
}

_VARIANT = re.compile(r"(?:[.-](?:basic|tiny|nox|gtk3?|athena|motif|huge|small|bin|exe|sh|appimage|real|\d[\d.]*)|64)$")


def editor_program(program_name: str) -> Program | None:
    """The editor behind a program's name (`watch.ancestry.Process.name`), None for any other program."""
    name = program_name.split(" ", 1)[0].lower()
    while name:
        if name in PROGRAMS:
            return PROGRAMS[name]
        shorter = _VARIANT.sub("", name)
        if shorter == name:
            return None
        name = shorter
    return None

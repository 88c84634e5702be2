"""The command reference and the man page, made from the command line itself: `make reference` writes both."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from conductd import __version__
from conductd.cli.main import SECTIONS, cli

ROOT = Path(__file__).parents[2]
PAGE, MAN = ROOT / "docs" / "commands.md", ROOT / "man" / "conductd.1"
COMMON = ("state_dir", "socket", "config", "json")


def write() -> None:
    PAGE.write_text(page(), encoding="utf-8")
    MAN.parent.mkdir(exist_ok=True)
    MAN.write_text(man(), encoding="utf-8")


def walked() -> Iterator[tuple[str, str, click.Command, click.Context]]:
    """Section, name, command, context: commands of groups after their group."""
    top = click.Context(cli, info_name="conductd")
    for section, commands in SECTIONS.items():
        for name in commands:
            command = cli.get_command(top, name)
            assert command is not None
            context = click.Context(command, info_name=name, parent=top)
            yield section, name, command, context
            if isinstance(command, click.Group):
                for below in command.list_commands(context):
                    inner = command.get_command(context, below)
                    assert inner is not None
                    yield section, f"{name} {below}", inner, click.Context(inner, info_name=below, parent=context)


def told(command: click.Command) -> list[str]:
    """The paragraphs of its help; one that click is told not to wrap keeps its lines."""
    parts = re.split(r"\n\s*\n", inspect.cleandoc(command.help or ""))
    return [part.removeprefix("\b\n") if part.startswith("\b") else " ".join(part.split()) for part in parts]


def options(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    """Its own, not those that every command has."""
    own = [each for each in command.params if isinstance(each, click.Option) and each.name not in COMMON]
    return [record for each in own if (record := each.get_help_record(context)) is not None]


def usage(command: click.Command, context: click.Context) -> str:
    return " ".join(["conductd", *context.command_path.split()[1:], *command.collect_usage_pieces(context)])


def page() -> str:
    lines = [
        "# Commands",
        "",
        "Made from the command line itself by `make reference`. What they are for: [cli.md](cli.md).",
        "Every command takes `--state-dir`, `--socket`, `--config`, `--json` and `--help` as well.",
    ]
    before = ""
    for section, name, command, context in walked():
        if section != before:
            lines += ["", f"## {section}"]
            before = section
        lines += ["", f"### {name}", "", "```", usage(command, context), "```", ""]
        for part in told(command):
            lines += [part if "\n" not in part else f"```\n{part}\n```", ""]
        lines += [f"- `{what}`: {' '.join(why.split())}" for what, why in options(command, context)]
        if lines[-1] == "":
            lines.pop()
    return "\n".join(lines) + "\n"


def man() -> str:
    lines = [
        f'.TH CONDUCTD 1 "" "conductd {__version__}" "User Commands"',
        ".SH NAME",
        r"conductd \- keeps the memory files of coding agents whole",
        ".SH SYNOPSIS",
        r".B conductd",
        r"[\fIOPTIONS\fR] \fICOMMAND\fR [\fIARGUMENTS\fR]",
        ".SH DESCRIPTION",
    ]
    for part in told(cli):
        lines += [roff(part), ".PP"]
    before = ""
    for section, _, command, context in walked():
        if section != before:
            lines += [f".SH {section.upper()}"]
            before = section
        lines += [".SS " + roff(usage(command, context))]
        for part in told(command):
            lines += [".PP", *([".nf", *map(roff, part.splitlines()), ".fi"] if "\n" in part else [roff(part)])]
        for what, why in options(command, context):
            lines += [".TP", rf"\fB{roff(what)}\fR", roff(" ".join(why.split()))]
    lines += [
        ".SH OPTIONS OF EVERY COMMAND",
        *(".TP", r"\fB\-\-state\-dir\fR DIR", "Where the journal is [CONDUCTD_STATE_DIR]."),
        *(".TP", r"\fB\-\-socket\fR PATH", "The daemon's socket [CONDUCTD_SOCKET]."),
        *(".TP", r"\fB\-\-config\fR FILE", "The configuration file [CONDUCTD_CONFIG]."),
        *(".TP", r"\fB\-\-json\fR", "Print JSON."),
        ".SH EXIT STATUS",
        "0 when done; every other one is listed by",
        r".B conductd help errors",
        ".SH FILES",
        *(".TP", roff("~/.config/conductd/config.toml"), "The configuration."),
        *(".TP", roff("~/.local/state/conductd"), "The history, the index, the socket."),
    ]
    return "\n".join(lines) + "\n"


def roff(text: str) -> str:
    """Text that stands for itself: backslashes, hyphens, and a dot or quote that begins a line."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    text = "".join(each if each.isascii() else rf"\[u{ord(each):04X}]" for each in text)
    return rf"\&{text}" if text[:1] in (".", "'") else text

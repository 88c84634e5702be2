"""The entry point: finds the command, runs it, and turns every failure into a sentence and a code.

Imports click and nothing else before a command is known; each command is a module that is loaded
when it is named.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import NoReturn

import click

from conductd import __version__
from conductd.cli import failures
from conductd.cli.options import Options, common
from conductd.errors import ConductdError, UsageError

# name: (module in this package, the line of `conductd --help`)
SECTIONS = {
    "Start": {
        "init": ("init", "Find the agents here and write the configuration."),
        "run": ("run", "Run the daemon in the foreground."),
        "protect": ("protect", "Put back what is destroyed in a directory."),
        "observe": ("observe", "Only record and tell in a directory, write nothing."),
    },
    "Look": {
        "status": ("status", "One screen: is everything recorded and well?"),
        "watch": ("watch", "Follow what happens."),
        "bootcard": ("bootcard", "What an agent must know at its start, on one page."),
        "report": ("report", "What became of memory on a day: clean, handled, or something for you."),
        "load": ("load", "What the agent really gets to see of its files."),
        "doctor": ("doctor", "What is wrong, why it matters, and how it is mended."),
        "memory": ("memory", "What OpenClaw's own memory tools find and read."),
        "log": ("log", "The history of a file, or of all."),
        "show": ("show", "Print a file as it was."),
        "diff": ("diff", "What changed between two versions."),
        "incidents": ("incidents", "What was lost, put back or proposed."),
        "replay": ("replay", "Judge the recorded history again, also by other settings."),
        "explain": ("explain", "Why an incident was judged as it was."),
    },
    "Act": {
        "restore": ("restore", "Write an earlier version back."),
        "undo": ("undo", "Reverse the last restore or repair; again: reverse the undo."),
        "rotate": ("rotate", "Move what an agent does not load of a file to a topic file."),
        "forget": ("forget", "Take a secret out of the whole history."),
    },
    "Decide": {
        "accept": ("accept", "Say that a loss was meant."),
        "lease": ("lease", "Leave a file alone for a while: you are at it."),
        "leases": ("leases", "Which files are left alone, until when."),
        "edit": ("edit", "Open a file in your editor and leave it alone meanwhile."),
        "pin": ("pin", "Entries whose loss counts at any size."),
        "unpin": ("unpin", "Let a pin go."),
        "pins": ("pins", "Which entries are pinned, and whether they are there."),
        "role": ("role", "Say what files like these are for."),
        "roles": ("roles", "What you said that files are for."),
        "requests": ("requests", "What an agent asked for and you may confirm."),
        "confirm": ("confirm", "Do what was asked for."),
        "refuse": ("refuse", "Do not do what was asked for."),
    },
    "Keep": {
        "notify": ("notify", "The channels that notices go out on; try one."),
        "reload": ("reload", "Have the daemon read its configuration again."),
        "service": ("service", "Install the daemon under systemd or launchd, and look after it."),
        "export": ("export", "The history as a git repository, or the files of a moment."),
        "snapshot": ("snapshot", "A checked copy of the whole history, for backups."),
        "jobs": ("jobs", "What is done by itself every night; run one now."),
        "gc": ("gc", "Erase the content of old versions, by the policy."),
        "verify": ("verify", "Check the whole journal; also while no daemon runs."),
        "index": ("index", "Make the index anew from the journal."),
        "help": ("help", "What a command does, or a page of the documentation."),
        "completion": ("completion", "What a shell needs to complete commands."),
        "version": ("version", "Print the version."),
    },
}
COMMANDS = {name: command for section in SECTIONS.values() for name, command in section.items()}


class Commands(click.Group):
    """Knows the names and their help without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"conductd.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f"did you mean: conductd {near[0]}?" if near else "see: conductd --help"
            raise _Unknown(f"there is no command {args[0]}", hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<9}", text) for name, (_, text) in commands.items()])


class _Unknown(click.UsageError):
    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def _print_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(__version__)
        context.exit()


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
@common
def cli(_options: Options) -> None:
    """Keeps the memory files of coding agents whole: every version recorded, every loss judged,
    what was destroyed put back.

    First `conductd run --workspace DIR` in one terminal, then the others in another. `conductd COMMAND --help`
    says more about each.
    """
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> NoReturn:
    """Run the command line of this process and exit."""
    if "_CONDUCTD_COMPLETE" in os.environ:
        cli.main(prog_name="conductd")
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _broken_pipe()
    except OSError as error:
        code = failures.of_the_system(error, as_json=False)
        _let_go()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command; returns the exit code. Nothing but SystemExit gets out."""
    as_json = "--json" in arguments
    try:
        # Not cli.main(): that would turn a broken pipe and Ctrl-C into exit codes of its own.
        with cli.make_context("conductd", arguments) as context:
            return _code(cli.invoke(context))
    except click.exceptions.Exit as end:
        return end.exit_code
    except ConductdError as error:
        return failures.tell(error, as_json)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "conductd"
        hint = getattr(error, "hint", "") or f"see: {command} --help"
        return failures.tell(UsageError(error.format_message().rstrip("."), hint), as_json)
    except click.ClickException as error:
        return failures.tell(UsageError(error.format_message(), "see: conductd --help"), as_json)
    except (KeyboardInterrupt, click.Abort):
        return failures.INTERRUPTED
    except BrokenPipeError:
        return _broken_pipe()
    except OSError as error:
        return failures.of_the_system(error, as_json)
    except Exception as error:  # the last door: nobody is shown a traceback
        return failures.unexpected(error, as_json)


def _code(result: object) -> int:
    return result if isinstance(result, int) else 0


def _broken_pipe() -> int:
    """Whoever read us has left."""
    _let_go()
    return failures.BROKEN_PIPE


def _let_go() -> None:
    """Python must not complain about standard output again when it exits."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())

"""`conductd forget`: take a secret out of every version, and keep it out."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from conductd.cli import files, output
from conductd.cli.failures import DECLINED
from conductd.cli.options import Number, Options, common, person_at_terminal
from conductd.cli.outcome import REQUESTED
from conductd.errors import DaemonNotRunning, UsageError

if TYPE_CHECKING:
    from conductd.api.client import Client
    from conductd.views import ForgetView

LEFT = 16  # `--check` found something
TYPED = "yes"


@click.command()
@click.option("--matching", metavar="PATTERN", help="What holds this text, whatever its case, spaces and line breaks.")
@click.option("--regex", is_flag=True, help="PATTERN is a regular expression (Python's), matched entry by entry.")
@click.option("--version", "version", metavar="VERSION", help="The content of a version, wherever it stands.")
@click.option("--file", "file", metavar="FILE", help="The content of every version of a file.")
@click.option("--stdin", is_flag=True, help="Read the secret from standard input.")
@click.option("--bytes", "only_match", is_flag=True, help="Only what matches, not the whole entries.")
@click.option("--in-files", is_flag=True, help="Take it out of the files that hold it now, too.")
@click.option("--now", is_flag=True, help="Erase at once, not after a day.")
@click.option("--dry-run", is_flag=True, help="Only say what would be forgotten.")
@click.option("--cancel", type=Number(min=0), metavar="NUMBER", help="Show again what is not erased yet.")
@click.option("--check", is_flag=True, help="Look whether anything is left in the store.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask (`--now` asks all the same).")
@common
def command(
    options: Options,
    matching: str | None,
    regex: bool,
    version: str | None,
    file: str | None,
    stdin: bool,
    only_match: bool,
    in_files: bool,
    now: bool,
    dry_run: bool,
    cancel: int | None,
    check: bool,
    yes: bool,
) -> int:
    """Hide what holds a secret from everything, at once, and erase it a day later.

    The secret itself is never an argument: without --matching, --version or --file it is asked for (or read with
    --stdin). Every entry that holds it becomes [forgotten], in every version of every file. --check says whether
    anything is left.
    """
    if cancel is not None:
        from conductd.cli import outcome

        with options.client() as client:
            return outcome.tell(options, client.cancel_forget(cancel))
    if sum((matching is not None, stdin, version is not None or file is not None)) > 1:
        raise UsageError("more than one thing to forget", "give one of --matching, --stdin, --version and --file")
    secret = _read_secret(stdin, check) if not (matching or version or file) else ""
    if check:
        return _check(options, matching or "", secret)
    path = files.path(file) if file else None
    asked = {
        "matching": matching or "",
        "secret": secret,
        "regex": regex,
        "only_match": only_match,
        "version": version or "",
        "path": path,
    }
    with options.client() as client:
        if not dry_run and not _meant(client, asked, now=now, yes=yes or options.json):
            click.echo("nothing is forgotten", err=True)
            return DECLINED
        view = client.forget(**asked, now=now, in_files=in_files, dry_run=dry_run)  # type: ignore[arg-type]
    _tell(options, view)
    return 0 if view.request is None else REQUESTED


def _read_secret(stdin: bool, check: bool) -> str:
    """From standard input, or asked for without showing it."""
    if stdin or not sys.stdin.isatty():
        if check and not stdin:
            return ""
        data = sys.stdin.buffer.read(1 << 20).strip(b"\r\n")
        try:
            secret = data.decode("utf-8")
        except UnicodeDecodeError:
            raise UsageError("the secret is not UTF-8 text", "use --version or --file") from None
    elif check:
        return ""
    else:
        secret = click.prompt("secret", hide_input=True, err=True)
    if not secret:
        raise UsageError("there is nothing to forget", "conductd forget --help")
    return secret


def _meant(client: Client, asked: dict[str, object], *, now: bool, yes: bool) -> bool:
    """Show what would go, and have it confirmed; what goes at once is confirmed in a whole word, whatever was given.

    Without a terminal nobody is asked: the daemon makes a request of it then.
    """
    from conductd.cli import render_forget

    if not (_terminal() if now else person_at_terminal() and not yes):
        return True
    for line in render_forget.forgetting(client.forget(**asked, dry_run=True)):  # type: ignore[arg-type]
        output.say(line)
    if not now:
        return click.confirm("forget it?", default=False, err=True)
    return _typed(f"this cannot be undone: erase it for good, now? Type {TYPED} [{TYPED}/no]: ")


def _terminal() -> bool:
    """There is a controlling terminal, whatever the input is."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _typed(question: str) -> bool:
    """Ask on the terminal itself: the input may be the secret."""
    with open("/dev/tty", "r+b", buffering=0) as terminal:
        terminal.write(question.encode())
        return terminal.readline().strip().lower() == TYPED.encode()


def _tell(options: Options, view: ForgetView) -> None:
    if options.json:
        output.as_json(view)
        return
    from conductd.cli import render_forget

    output.lines(render_forget.forgetting(view))


def _check(options: Options, matching: str, secret: str) -> int:
    from conductd.cli.progress import finished

    try:
        with options.client() as client:
            view = finished(client.check_forgotten(matching, secret), "looking", options.json)
    except DaemonNotRunning:
        from conductd.cli import offline

        view = finished(offline.check_forgotten(options.state_path(), matching or secret), "looking", options.json)
    if options.json:
        output.as_json(view)
    else:
        from conductd.cli import render_forget

        output.lines(render_forget.check(view))
    return 0 if view.clean else LEFT

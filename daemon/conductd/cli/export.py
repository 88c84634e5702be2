"""`conductd export`: the history for other tools. Reads the journal itself, beside a daemon or without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from conductd.cli import output
from conductd.cli.options import Options, common

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conductd.engine.exporting.writing import Written


@click.command()
@click.option("--git", "git", metavar="DIR", help="A git repository, one commit a version, writers as authors.")
@click.option("--dir", "directory", metavar="DIR", help="The files as they stood at a time.")
@click.option("--at", metavar="TIME", default="", help='With --dir: which time, as "yesterday 14:00" (default: now).')
@click.option("--workspace", metavar="DIR", help="Only this workspace (default: all, each in a directory of its own).")
@common
def command(options: Options, git: str | None, directory: str | None, at: str, workspace: str | None) -> None:
    """Write the recorded history into a new directory outside of every workspace.

    What is forgotten is not in it. What you export is no longer in the hands of `conductd forget`.
    """
    from conductd.cli.progress import finished
    from conductd.errors import UsageError
    from conductd.views.words import counted

    if (git is None) == (directory is None):
        raise UsageError("say what to make: --git DIR or --dir DIR", "see: conductd export --help")
    if at and git is not None:
        raise UsageError("a git repository holds every version: --at goes with --dir", "leave --at out")
    written: Written = finished(_steps(options, git, directory, at, workspace), "exporting", options.json)
    if options.json:
        output.as_json(written)
        return
    noun = "version" if git is not None else "file"
    output.lines([f"{counted(written.written, noun)} in {output.harmless(written.directory)}"])
    if written.left_out:
        output.say(f"{counted(written.left_out, 'version')} left out:")
        output.say("\n".join(f"  {output.harmless(each)}" for each in written.named))


def _steps(
    options: Options, git: str | None, directory: str | None, at: str, workspace: str | None
) -> Iterator[float | Written]:
    import os
    import sys

    from conductd.cli import offline
    from conductd.cli.moments import moment_ns
    from conductd.engine.exporting.walking import Walk
    from conductd.engine.exporting.writing import new_directory, to_directory, to_git
    from conductd.engine.recording.recovery import open_state

    at_ns = moment_ns(at) if at else sys.maxsize
    state_dir = options.state_path()
    with offline.open_journal(state_dir) as journal:
        state = open_state(journal)
        walk = Walk(journal, state, workspace)
        never_in = [os.fsencode(state_dir), *(each.root for each in state.workspaces.values())]
        if git is not None:
            yield from to_git(walk, new_directory(git, never_in), journal.last_seq)
        else:
            assert directory is not None
            yield from to_directory(walk, new_directory(directory, never_in), at_ns)

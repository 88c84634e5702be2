"""`conductd snapshot`: a checked copy of the journal. Beside a daemon or without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from conductd.cli import output
from conductd.cli.options import Options, common

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conductd.engine.exporting.snapshot import Snapshot


@click.command()
@click.argument("directory", metavar="DIR")
@common
def command(options: Options, directory: str) -> None:
    """Copy the whole history into DIR (new or empty) and check every record of the copy.

    DIR can be used as a state directory: conductd --state-dir DIR log. Files on disk are not in it, nor is the index,
    which is made from it.
    """
    from conductd.cli.progress import finished
    from conductd.views.words import counted

    taken: Snapshot = finished(_steps(options, directory), "copying", options.json)
    if options.json:
        output.as_json(taken)
    else:
        can = f"{counted(taken.versions, 'version')} that can be restored"
        what = f"{counted(taken.records, 'record')}, {can}, {taken.bytes:,} bytes"
        output.lines([f"{output.harmless(taken.directory)}: {what}; every record was read again"])


def _steps(options: Options, directory: str) -> Iterator[float | Snapshot]:
    import os

    from conductd.cli import offline
    from conductd.engine.exporting.snapshot import take
    from conductd.engine.exporting.writing import new_directory
    from conductd.engine.recording.recovery import open_state

    state_dir = options.state_path()
    with offline.open_journal(state_dir) as journal:
        roots = [each.root for each in open_state(journal).workspaces.values()]
        at_least = journal.last_seq
    target = new_directory(directory, [os.fsencode(state_dir), *roots])
    yield from take(state_dir, target, at_least)

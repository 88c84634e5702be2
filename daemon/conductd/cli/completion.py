"""`conductd completion`: the script that lets a shell complete commands, options and files."""

from __future__ import annotations

import click

from conductd.cli import output
from conductd.cli.options import Options, common

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@common
def command(options: Options, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    bash: conductd completion bash > ~/.local/share/bash-completion/completions/conductd
    zsh:  conductd completion zsh > ~/.zfunc/_conductd     (with ~/.zfunc in fpath)
    fish: conductd completion fish > ~/.config/fish/completions/conductd.fish
    """
    script = script_of(shell)
    if options.json:
        output.as_json({"shell": shell, "script": script})
    else:
        output.text(script.encode())


def script_of(shell: str) -> str:
    """Made by click for its own protocol; it calls `conductd` for every answer and knows no command by itself."""
    from click.shell_completion import get_completion_class

    from conductd.cli.main import cli

    found = get_completion_class(shell)
    assert found is not None, shell
    return found(cli, {}, "conductd", "_CONDUCTD_COMPLETE").source() + "\n"

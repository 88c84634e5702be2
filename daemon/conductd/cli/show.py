"""`conductd show FILE[@VERSION]`: the bytes of a version."""

from __future__ import annotations

import base64

import click

from conductd.cli import files, output
from conductd.cli.options import Options, common


@click.command()
@click.argument("file", metavar="FILE[@VERSION]")
@common
def command(options: Options, file: str) -> None:
    """Print FILE as it was: VERSION is a sequence number, a digest prefix or a time (default: the newest)."""
    path, version = files.path_and_version(file)
    with options.client() as client:
        view, content = client.content(path, version)
    if options.json:
        import msgspec

        described = msgspec.to_builtins(view)
        output.as_json({"version": described, "content_b64": base64.b64encode(content).decode("ascii")})
        return
    output.text(content)

"""A git repository that git itself makes, without the machine's configuration."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def git(directory: Path, *arguments: str, check: bool = True) -> str:
    """Run git there; what it prints."""
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_EDITOR": "true"}
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main"]
    command += ["-c", "protocol.file.allow=always", *arguments]
    ran = subprocess.run(command, cwd=directory, check=check, capture_output=True, env=quiet, timeout=60)
    return ran.stdout.decode()


def committed(directory: Path, message: str = "base") -> None:
    """A repository in which all that is there is committed."""
    if not (directory / ".git").exists():
        git(directory, "init", "-q")
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "-m", message)

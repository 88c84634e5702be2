"""What must never be in the tree: the places and hosts of whoever built it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from .pages import ROOT

HOSTS = {"www.w3.org", "www.apple.com", "git-lfs.github.com"}  # parts of formats, nobody is asked
# Nobody's: what RFC 2606 reserves, and a word without a dot, such as the API's own made-up host.
_NOBODYS = re.compile(r"127\.0\.0\.1|[^.]*|(?:.*\.)?(?:example(?:\.(?:com|org|net))?|invalid|test)")
_URL = re.compile(r"\bhttps?://([^/\s\"'`)>:\\]+)")


def tracked() -> list[Path]:
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout: nothing says which files belong to the project")
    return [ROOT / name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


def texts() -> list[tuple[Path, str]]:
    return [(path, path.read_bytes().decode("utf-8", "replace")) for path in tracked()]


def test_no_file_names_a_host_that_is_not_allowed() -> None:
    named = {(str(path), host) for path, text in texts() for host in _URL.findall(text) if host not in HOSTS}
    assert not {each for each in named if not _NOBODYS.fullmatch(each[1])}


def test_no_file_names_the_place_it_was_built_in() -> None:
    places = {f"{ROOT}/", f"{Path.home()}/"} - {"//", "/"}
    found = {(str(path), place) for path, text in texts() for place in places if place in text}
    assert not found


def test_nothing_outside_the_tree_is_referred_to() -> None:
    beside = "../" + "shared"
    assert not [path for path, text in texts() if beside in text]

"""Which zone the system is in, by every way that systems say it, and when that changes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from conductd.engine.jobs.zones import SystemZone

SYSTEM = Path("/usr/share/zoneinfo")
has_zones = pytest.mark.skipif(not (SYSTEM / "Asia/Tokyo").exists(), reason="this system has no time zones of its own")


@pytest.mark.parametrize(
    ("written", "zone"),
    [
        ("Asia/Tokyo", "Asia/Tokyo"),
        (":Europe/Berlin", "Europe/Berlin"),
        ("/usr/share/zoneinfo/Asia/Kolkata", "Asia/Kolkata"),
        ("Mars/Olympus", "UTC"),
        ("../../etc/passwd", "UTC"),
        ("", "UTC"),
    ],
)
def test_the_environment_says_it(tmp_path: Path, written: str, zone: str) -> None:
    assert SystemZone({"TZ": written}, str(tmp_path / "localtime")).zone().key == zone


@has_zones
def test_the_link_says_it_and_is_read_again_when_it_changes(tmp_path: Path) -> None:
    link = tmp_path / "localtime"
    system = SystemZone({}, str(link))
    assert system.zone().key == "UTC"
    for zone in ("Asia/Tokyo", "Europe/Berlin"):
        (tmp_path / "new").symlink_to(SYSTEM / zone)
        os.replace(tmp_path / "new", link)
        assert system.zone().key == zone
    link.unlink()
    assert system.zone().key == "UTC"


@has_zones
def test_a_copy_of_a_zone_is_known_for_what_it_is(tmp_path: Path) -> None:
    shutil.copyfile(SYSTEM / "Australia/Lord_Howe", tmp_path / "localtime")
    found = SystemZone({}, str(tmp_path / "localtime")).zone()
    assert found.key in ("Australia/Lord_Howe", "Australia/LHI")


def test_the_environment_is_read_again(tmp_path: Path) -> None:
    environ = {"TZ": "Asia/Tokyo"}
    system = SystemZone(environ, str(tmp_path / "localtime"))
    assert system.zone().key == "Asia/Tokyo"
    environ["TZ"] = "Europe/Berlin"
    assert system.zone().key == "Europe/Berlin"

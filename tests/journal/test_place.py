"""The state directory: private, ours, and warned about where it is unwise."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from conductd.errors import Refused, StoreUnavailable
from conductd.journal import place


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_made_private(tmp_path: Path) -> None:
    place.prepare(tmp_path / "a" / "state")
    assert mode(tmp_path / "a" / "state") == 0o700


def test_an_open_one_is_closed_with_a_warning(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    state.chmod(0o755)
    warnings = place.prepare(state)
    assert mode(state) == 0o700
    assert any("0700" in warning for warning in warnings)


def test_a_link_or_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(Refused):
        place.prepare(tmp_path / "link")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable):
        place.prepare(tmp_path / "file")


def test_somebody_elses_is_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("giving a directory away needs root")
    state = tmp_path / "state"
    state.mkdir()
    os.chown(state, 12345, 12345)
    with pytest.raises(Refused, match="12345"):
        place.prepare(state)


@pytest.mark.parametrize("name", ["Dropbox", "OneDrive - Example", "Nextcloud"])
def test_a_sync_folder_is_named(tmp_path: Path, name: str) -> None:
    state = tmp_path / name / "deep" / "state"
    assert any("synced" in warning for warning in place.prepare(state))


def test_a_folder_with_a_sync_clients_mark_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes" / ".stfolder").mkdir(parents=True)
    assert place.sync_folder(str(tmp_path / "notes" / "x")) == os.fsencode(tmp_path.resolve() / "notes")
    assert place.sync_folder(str(tmp_path / "other")) is None


def test_the_file_system_is_the_one_of_the_longest_mount(tmp_path: Path) -> None:
    real = os.fsdecode(os.path.realpath(os.fsencode(tmp_path)))
    odd = real.replace("/", "/", 1)
    table = tmp_path / "mountinfo"
    table.write_text(
        "22 1 8:1 / / rw - ext4 /dev/a rw\n"
        f"23 22 0:5 / {odd} rw,nosuid shared:3 - tmpfs tmpfs rw\n"
        f"24 23 0:6 / {odd}/with\\040space rw - nfs4 host:/x rw\n"
    )
    assert place.filesystem(real + "/state", str(table)) == "tmpfs"
    assert place.filesystem(real + "/with space/state", str(table)) == "nfs4"
    assert place.filesystem("/", str(table)) == "ext4"
    assert place.filesystem("/", str(tmp_path / "none")) == ""


def test_a_volatile_file_system_is_warned_about(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(place, "filesystem", lambda _path: "tmpfs")
    assert any("next boot" in warning for warning in place.unwise(str(tmp_path)))
    monkeypatch.setattr(place, "filesystem", lambda _path: "nfs4")
    assert any("network" in warning for warning in place.unwise(str(tmp_path)))


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "fuse.sshfs", "9p", "lustre"])
def test_a_network_file_system_is_refused_unless_the_risk_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    monkeypatch.setattr(place, "filesystem", lambda _path: kind)
    with pytest.raises(Refused, match=kind) as refused:
        place.prepare(tmp_path / "state")
    assert "CONDUCTD_ALLOW_NETWORK_STATE=1" in refused.value.hint
    assert any(kind in warning for warning in place.prepare(tmp_path / "state", allows_network=True))

"""After a reload no part of the daemon holds the policy or the configuration that was in force before."""

from __future__ import annotations

import gc
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from conductd import app
from conductd.config import Config
from conductd.core.policy import Policy


class NoFace:
    path = b"/nowhere"
    alive = True

    def start(self) -> None: ...
    def stop(self) -> None: ...


def held(kind: type[Any], value: float) -> list[object]:
    """What holds one of this kind by whose figures an overwrite is one from this share on."""
    gc.collect()
    found = [each for each in gc.get_objects() if type(each) is kind and each.thresholds.overwrite_share == value]
    return [type(holder) for each in found for holder in gc.get_referrers(each) if holder is not found]


def test_every_holder_of_a_figure_takes_the_new_one(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "MEMORY.md").write_text("# Memory\n")
    config = tmp_path / "config.toml"
    text = f'thresholds = {{ overwrite_share = %s }}\n[[workspaces]]\nroot = "{root}"\n'
    config.write_text(text % 0.83125)
    ports = app.Ports(environ={**os.environ, "HOME": str(tmp_path)}, jobs=())
    with ExitStack() as stack:
        request = app.Request(config=str(config), state_dir=str(tmp_path / "state"))
        daemon = app.App(request, lambda _service, _path: NoFace(), ports, stack)
        daemon.start()
        assert held(Policy, 0.83125)
        config.write_text(text % 0.84125)
        assert daemon.reload().changed == ["thresholds.overwrite_share"]
        del daemon.config, daemon._read  # of the start
        assert held(Policy, 0.83125) == []
        assert held(Config, 0.83125) == []
        assert held(Policy, 0.84125)

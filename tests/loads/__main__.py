"""`PYTHONPATH=daemon:tests python -m loads`: keep what is loaded now. Look at what changed before it is committed."""

from __future__ import annotations

import tempfile
from pathlib import Path

from loads.golden import PICTURE, drawn, write
from loads.workspaces import WORKSPACES

for each in WORKSPACES:
    with tempfile.TemporaryDirectory() as place:
        write(each, Path(place) / each)
with tempfile.TemporaryDirectory() as place:
    PICTURE.write_text(drawn(Path(place) / "drawn"), encoding="utf-8")

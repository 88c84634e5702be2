"""The pages of the night for the workspaces of `workspaces`, as the files in `golden/` hold them.

`PYTHONPATH=daemon:tests python -m core.night.golden`: keep what is written now. Look at what changed before it is
committed.
"""

from __future__ import annotations

import re
from pathlib import Path

from conductd.core.checkpoint.checkpoint import checkpoint
from conductd.core.continuity.plan import plan
from conductd.core.qc.checks import examine
from conductd.core.qc.page import page
from core.night.workspaces import NAMES, night, qc_facts

DIRECTORY = Path(__file__).parent / "golden"


def _hidden(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer("SECRET", text)]


def qc(name: str) -> str:
    facts = qc_facts(name)
    return page(facts.night.occasion, facts.night.agent, facts.night.version, examine(facts))


def checkpoint_text(name: str) -> str:
    made = checkpoint(night(name, "checkpoint"), "03:30", _hidden)
    return made.text or f"nothing is written{made.why and ': '}{made.why}\n"


def continuity(name: str) -> str:
    """All pages of it, each under its name."""
    made = plan(night(name, "continuity"), {}, {}, _hidden)
    pages = [f"==> {each.name.decode()}\n{each.text.decode()}" for each in made.writes]
    return "\n".join([*pages, f"unfinished: {made.unfinished}\n"])


KINDS = {"qc": qc, "checkpoint": checkpoint_text, "continuity": continuity}

if __name__ == "__main__":
    for kind, made in KINDS.items():
        for name in NAMES:
            (DIRECTORY / f"{name}.{kind}.md").write_text(made(name), encoding="utf-8")

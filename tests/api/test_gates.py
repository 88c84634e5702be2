"""Every route that changes something: the acts that it passes the gate of `weakening` as, or why it need not."""

from __future__ import annotations

import re
from pathlib import Path

import conductd
from conductd.api.routes import ROUTES

GATED = {
    "/v1/workspaces": {"observe", "end"},  # to protect strengthens
    "/v1/restore": {"restore"},  # what takes nothing away brings back only
    "/v1/restore/at": {"restore_at"},
    "/v1/undo": {"undo"},
    "/v1/accept": {"accept"},
    "/v1/rotate": {"rotate"},  # an agent may bring notes that are over a limit below it, nothing else
    "/v1/forget": {"forget"},
    "/v1/forget/cancel": {"forget_cancel"},
    "/v1/gc": {"gc"},
    "/v1/leases": {"lease", "long_lease"},
    "/v1/leases/end": {"lease_end"},
    "/v1/pins": {"pin"},
    "/v1/pins/remove": {"unpin"},
    "/v1/roles": {"role"},
    "/v1/roles/forget": {"role"},
    "/v1/doctor/fix": {"fix"},  # it moves text between files, and changes what an agent gets to see
}
OPEN = {
    "/v1/sync": "looks and records",
    "/v1/reload": "the file is read as at a start; what protects less in it is told before it holds",
    "/v1/confirm": "is refused to who may not decide",
    "/v1/refuse": "is refused to who may not decide; an agent takes back what it asked for itself",
    "/v1/forget/check": "looks",
    "/v1/leases/renew": "is refused to who may not have a lease",
    "/v1/evidence": "nobody can claim to be a person; what is announced is less excused",
    "/v1/verify": "looks",
    "/v1/jobs/run": "what runs every night by itself, no other than the configuration allows",
    "/v1/index/rebuild": "the index is made from the journal, whoever asks",
}


def test_every_route_that_changes_something_has_its_gate() -> None:
    changing = {route.path for route in ROUTES if route.method != "GET"}
    assert changing == GATED.keys() | OPEN.keys()
    assert not GATED.keys() & OPEN.keys()


def test_every_act_is_reached_by_a_route() -> None:
    engine = Path(conductd.__file__).parent / "engine"
    sources = "".join(each.read_text() for each in engine.rglob("*.py"))
    registered = set(re.findall(r'weakening\.register\(\s*"(\w+)"', sources))
    assert registered == set().union(*GATED.values())

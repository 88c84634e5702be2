from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.served import Served, serving
from support.service import FakeService


@pytest.fixture
def service() -> FakeService:
    return FakeService()


@pytest.fixture
def served(service: FakeService, tmp_path: Path) -> Iterator[Served]:
    with serving(service, tmp_path) as running:
        yield running

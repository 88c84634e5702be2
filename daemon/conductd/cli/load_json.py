"""`conductd load --json`: see `core.load.told`, which the daemon answers with as well."""

from __future__ import annotations

from conductd.core.load.told import as_object, plain

__all__ = ["as_object", "plain"]

"""The globs of the configuration: the same as everywhere, see `core.globs`."""

from __future__ import annotations

from conductd.core.globs import actor_matches, any_matches, first_match, matches

__all__ = ["actor_matches", "any_matches", "first_match", "matches"]

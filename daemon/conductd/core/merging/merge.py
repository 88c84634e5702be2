"""Merging memory files: the door to every way two texts become one.

`three_way` for two writers who had the same text, `merge_new_entries` and `append_after` for an
overwrite, `merge_missing` for what was cut. All of them: never a conflict mark, no entry twice,
every byte outside the changes as it was, and the same again changes nothing. Pure.
"""

from __future__ import annotations

from conductd.core.merging.put_back import append_after, merge_missing, merge_new_entries
from conductd.core.merging.three_way import Merged, three_way

__all__ = ["Merged", "append_after", "merge_missing", "merge_new_entries", "three_way"]

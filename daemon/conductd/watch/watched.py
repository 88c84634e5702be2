"""Which directories of a workspace are watched: what its profile keeps memory in, and where agents keep rules.

Values only. Used by the daemon (`workspaces`), by `conductd init`, which shows the same files, and by all that ask
whether a workspace may lie in another one (`leaves`).
"""

from __future__ import annotations

from collections.abc import Iterable

from conductd.agents.profiles import Profile
from conductd.core.globs import glob_place
from conductd.watch.watchset import WatchSet, watch_set

RULE_DIRECTORIES = (b".claude", b".github")
RULE_TREES = (
    b".claude/rules",
    b".github/instructions",
    b".cursor/rules",
    b".windsurf/rules",
    b".devin/rules",
    b".agent/rules",
    b".agents/rules",
    b".clinerules",
)


def watched(profile: Profile, extra: Iterable[str] = ()) -> WatchSet:
    """``extra``: the globs of further files that were configured."""
    trees, directories = {*profile.trees, *RULE_TREES}, {*profile.directories, *RULE_DIRECTORIES}
    for pattern in extra:
        place, is_tree = glob_place(pattern)
        (trees if is_tree else directories).add(place)
    return watch_set(trees=sorted(trees), directories=sorted(directories - {b""}))


def leaves(profile: Profile, extra: Iterable[str], below: bytes) -> bool:
    """Whether a workspace watches nothing in a directory ``below`` it: another one can lie there, no file is in both.

    The one rule for `conductd init`, the daemon and the doctor. What it watches further below counts, too: every
    directory on the way is watched.
    """
    return not watched(profile, extra).watches(below)

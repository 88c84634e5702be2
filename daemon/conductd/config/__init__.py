"""The configuration: TOML in, one frozen `Config` out, or every fault at once.

Owns the keys and their defaults (`schema`), the checking (`check`, `lines`), where things
lie on this platform (`paths`) and the glob rules (`globs`). Never starts, watches or writes
anything. `app` and the command line call `load`.
"""

from conductd.config.globs import first_match, matches
from conductd.config.load import load, refuse_state_dir_in
from conductd.config.schema import PROFILES, Config, Consolidator, Log, RetentionJob, WorkspaceConfig

__all__ = [
    "PROFILES",
    "Config",
    "Consolidator",
    "Log",
    "RetentionJob",
    "WorkspaceConfig",
    "first_match",
    "load",
    "matches",
    "refuse_state_dir_in",
]

"""The configuration: TOML in, one frozen `Config` out, or every fault at once.

Owns the keys and their defaults (`schema`), the checking (`check`, `lines`) and where
things lie on this platform (`paths`). Never starts, watches or writes
anything. `app` and the command line call `load`.
"""

from conductd.config.load import load, refuse_state_dir_in
from conductd.config.schema import PROFILES, Config, Consolidator, Log, RetentionJob, WorkspaceConfig

__all__ = [
    "PROFILES",
    "Config",
    "Consolidator",
    "Log",
    "RetentionJob",
    "WorkspaceConfig",
    "load",
    "refuse_state_dir_in",
]

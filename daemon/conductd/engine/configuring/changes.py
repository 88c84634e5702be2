"""Which keys two configurations differ in. Pure; names keys, never values."""

from __future__ import annotations

import msgspec

from conductd.config import Config

# Where the journal and the socket are is settled when a daemon starts.
AT_START = ("state_dir", "socket")


def changed_keys(old: Config, new: Config) -> list[str]:
    """As they are written, those of a table as `table.key`."""
    found: list[str] = []
    for name in Config.__struct_fields__:
        one, other = getattr(old, name), getattr(new, name)
        if one == other:
            continue
        if isinstance(one, msgspec.Struct) and isinstance(other, msgspec.Struct):
            keys = one.__struct_fields__
            found += [f"{name}.{key}" for key in keys if getattr(one, key) != getattr(other, key)]
        else:
            found.append(name)
    return found


def as_running(old: Config, new: Config) -> Config:
    """The new one, but for what only a start takes."""
    return msgspec.structs.replace(new, **{key: getattr(old, key) for key in AT_START})

"""Puts a configuration file into place: whole or not at all, never through a link, never over what somebody wrote
meanwhile.

The only part of `config` that writes. Called by `conductd init`.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress

from conductd.config.load import MAX_BYTES
from conductd.errors import ConfigError, Refused

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def read(path: str) -> bytes | None:
    """What stands there; None: nothing.

    Raises ConfigError for what is a link, no regular file, cannot be read, or is larger than any configuration."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error) from None
    if stat.S_ISLNK(found.st_mode):
        raise ConfigError(
            f"{path} is a link, and nothing is written through one",
            f"name the file itself: conductd init --config {os.path.realpath(path)}",
        )
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(f"{path} is no regular file", "name another one with --config")
    try:
        descriptor = os.open(path, _READ)
        with open(descriptor, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _unreadable(path, error) from None
    if len(data) > MAX_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_BYTES} bytes", "a configuration is not")
    return data


def put(path: str, data: bytes, was: bytes | None) -> None:
    """Write the file (0600, its directory 0700 where it is made). `was`: what must still stand there, None: nothing.

    Raises Refused when something else stands there by now, ConfigError when it cannot be written. Durable on return.
    """
    directory = os.path.dirname(path)
    temporary = os.path.join(directory, f".conductd-config-{secrets.token_hex(8)}")
    try:
        _make(directory)
        descriptor = os.open(temporary, _NEW, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), 0o600)
                os.fsync(file.fileno())
            _publish(temporary, path, was)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
        _sync(directory)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror}", "make its directory writable, or name another with --config"
        ) from None


def _publish(temporary: str, path: str, was: bytes | None) -> None:
    if was is None:
        try:
            os.link(temporary, path)  # fails where something stands
        except FileExistsError:
            raise _changed(path) from None
        except OSError:  # a file system without hard links
            if os.path.lexists(path):
                raise _changed(path) from None
            os.rename(temporary, path)
        return
    if read(path) != was:
        raise _changed(path)
    os.rename(temporary, path)


def _make(directory: str) -> None:
    missing = []
    while directory and not os.path.isdir(directory):
        missing.append(directory)
        directory = os.path.dirname(directory)
    for each in reversed(missing):
        os.mkdir(each, 0o700)


def _sync(directory: str) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # some file systems take no sync of a directory
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unreadable(path: str, error: OSError) -> ConfigError:
    return ConfigError(f"{path} cannot be read: {error.strerror}", "make it readable for yourself")


def _changed(path: str) -> Refused:
    return Refused(f"{path} was written meanwhile, and stays as it is", "conductd init")

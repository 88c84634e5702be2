"""Every failure a user can meet: a sentence, a hint, an exit code, an API code.

Codes are documented in docs/errors.md (a test holds the two together). Layers raise these;
only the faces (cli, api) print or serialise them.
"""

from __future__ import annotations


class ConductdError(Exception):
    """Base. ``code`` is the API's word, ``exit_code`` the process's, ``status`` HTTP's.

    ``message`` is one sentence (no trailing period after an id or path); ``hint`` says what to do next.
    """

    code = "internal"
    exit_code = 70
    status = 500

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ConductdError):
    code, exit_code, status = "usage", 2, 400


class ConfigError(ConductdError):
    """``faults`` lists every fault found, one sentence each."""

    code, exit_code, status = "config", 78, 400

    def __init__(self, message: str, hint: str = "", faults: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint)
        self.faults = faults


class NotFound(ConductdError):
    code, exit_code, status = "not_found", 3, 404


class Ambiguous(ConductdError):
    code, exit_code, status = "ambiguous", 4, 409


class DaemonNotRunning(ConductdError):
    code, exit_code, status = "not_running", 5, 503


class NotOurSocket(ConductdError):
    code, exit_code, status = "not_our_socket", 6, 403


class AlreadyRunning(ConductdError):
    code, exit_code, status = "already_running", 7, 409


class Refused(ConductdError):
    """The daemon will not do this now (a lease, a stand-down, no terminal, a git operation)."""

    code, exit_code, status = "refused", 8, 409


class StoreUnavailable(ConductdError):
    """The journal cannot take writes (disk full, read-only, failed fsync)."""

    code, exit_code, status = "store_unavailable", 9, 503


class StoreDamaged(ConductdError):
    code, exit_code, status = "store_damaged", 10, 500


class StoreTooNew(ConductdError):
    code, exit_code, status = "store_too_new", 11, 500


class ContentUnavailable(ConductdError):
    """A version is known but its bytes are not (oversize, damaged, erased)."""

    code, exit_code, status = "content_unavailable", 12, 410


class Busy(ConductdError):
    """Too much of one kind at once (event streams, long jobs, connections): try again later."""

    code, exit_code, status = "busy", 13, 503


class TooLarge(ConductdError):
    """A request body over the limit."""

    code, exit_code, status = "too_large", 14, 413


class MethodNotAllowed(UsageError):
    """The route exists, the method does not."""

    code, exit_code, status = "method_not_allowed", 2, 405


class MemoryPathNotAllowed(ConductdError):
    """What was asked for is no memory to the agent's own tool, which would not read it."""

    code, exit_code, status = "memory_path_not_allowed", 8, 403


class ServiceManagerError(ConductdError):
    """systemd or launchd is not there, cannot be reached, or refuses."""

    code, exit_code, status = "service_manager", 22, 503


class ExportFailed(ConductdError):
    """A tool that an export needs is not there or refuses."""

    code, exit_code, status = "export_failed", 23, 500


class DiskRefused(ConductdError):
    """A file or directory that a command was to read or write, and the system does not let it."""

    code, exit_code, status = "disk", 28, 500

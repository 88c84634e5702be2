"""How a command ends that could not do its work: one sentence, an empty line, a hint, an exit code.

docs/errors.md lists the codes. An unexpected failure writes its traceback to a file of ours and
says where; CONDUCTD_DEBUG=1 shows it instead.
"""

from __future__ import annotations

import errno
import os
import sys

from conductd.errors import ConductdError, ConfigError, DiskRefused

DECLINED = 1  # asked, and answered no
INTERRUPTED = 130
BROKEN_PIPE = 141  # what a shell reports for a process that SIGPIPE ended
_OF_THE_DISK = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.ESTALE),
        *(errno.EACCES, errno.EPERM, errno.ENOENT, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY),
        *(errno.ENAMETOOLONG, errno.ELOOP, errno.EMLINK, errno.EXDEV, errno.EBUSY, errno.ETXTBSY),
    }
)


def tell(error: ConductdError, as_json: bool) -> int:
    """Print the failure and return the exit code. With --json the error is data as well."""
    if as_json:
        from conductd.views import encoded

        told = {"code": error.code, "message": error.message, "hint": error.hint}
        faults = {"faults": list(error.faults)} if isinstance(error, ConfigError) else {}
        print(encoded({"error": told | faults}).decode(), flush=True)
    text = [f"conductd: {_plain(error.message)}"]
    text += [f"  {_plain(fault)}" for fault in error.faults] if isinstance(error, ConfigError) else []
    if error.hint:
        text += ["", f"hint: {_plain(error.hint)}"]
    sys.stderr.buffer.write(("\n".join(text) + "\n").encode("utf-8", "surrogateescape"))
    sys.stderr.flush()
    return error.exit_code


def _plain(text: str) -> str:
    from conductd.cli.output import harmless

    return "\n".join(map(harmless, text.split("\n")))


def of_the_system(error: OSError, as_json: bool) -> int:
    """What the system refused and a person can do something about; else as `unexpected`."""
    if error.errno not in _OF_THE_DISK or os.environ.get("CONDUCTD_DEBUG") == "1":
        return unexpected(error, as_json)
    named = [os.fsdecode(each) for each in (error.filename, error.filename2) if isinstance(each, str | bytes)]
    where = " to ".join(named) or "standard output"
    refused = DiskRefused(f"{where}: {error.strerror}", "make room or give permission there, or name another place")
    return tell(refused, as_json)


def unexpected(error: BaseException, as_json: bool) -> int:
    import traceback

    if os.environ.get("CONDUCTD_DEBUG") == "1":
        traceback.print_exception(error)
    where = _write_traceback(error)
    told = ConductdError(
        f"something went wrong inside this command: {type(error).__name__}",
        f"the traceback is in {where}; please report it" if where else "set CONDUCTD_DEBUG=1 to see the traceback",
    )
    return tell(told, as_json)


def _write_traceback(error: BaseException) -> str | None:
    """A fresh private file each time; never in a workspace."""
    import tempfile
    import traceback

    try:
        fd, name = tempfile.mkstemp(prefix="conductd-", suffix=".log")
        with os.fdopen(fd, "w", encoding="utf-8", errors="surrogateescape") as log:
            traceback.print_exception(error, file=log)
    except OSError:
        return None
    return name

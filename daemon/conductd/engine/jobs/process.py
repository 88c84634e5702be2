"""The process that `engine/jobs/apart.py` starts: one order in, how far it is and the answer out. Never imported."""

from __future__ import annotations

import os
import sys
import threading

import msgspec

from conductd import own_process
from conductd.engine.jobs.apart import Said
from conductd.engine.jobs.orders import carried_out, unpacked
from conductd.errors import ConductdError, StoreUnavailable

MEMORY_BYTES = 2 * 1024**3  # of address space
NICENESS = 10


def main() -> None:
    own_process.stand_back(MEMORY_BYTES, NICENESS)
    data = own_process.receive(sys.stdin.buffer)
    if data is None:
        return
    threading.Thread(target=_end_with_the_daemon, daemon=True).start()
    _say(_answer(data))


def _answer(data: bytes) -> Said:
    try:
        answer = carried_out(unpacked(data), lambda done: _say(Said(done)))
        return Said(1.0, msgspec.msgpack.encode(answer))
    except MemoryError:
        return Said(trouble="it takes more memory than it may", hint="conductd jobs")
    except UnicodeEncodeError:
        return Said(is_unsayable=True)
    except ConductdError as error:
        return Said(trouble=error.message, hint=error.hint, is_store=isinstance(error, StoreUnavailable))
    except OSError as error:
        what = f"the journal cannot be read: {error.strerror}"
        return Said(trouble=what, hint="check the disk", is_store=True)
    except Exception as error:  # its words may hold what stands in a file
        return Said(trouble=f"{type(error).__name__} in the process of the job", hint="conductd jobs")


def _say(said: Said) -> None:
    own_process.send(sys.stdout.buffer, msgspec.msgpack.encode(said))


def _end_with_the_daemon() -> None:
    """Nothing more comes: the end of the input is the end of the daemon, or of the run."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()

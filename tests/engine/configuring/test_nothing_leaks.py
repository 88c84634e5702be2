"""A daemon that reads its configuration again and again holds no more descriptors and threads than after the first.

Left out are segments of the journal and idle connections to the index: both are kept for the next question, whatever
the configuration says, up to a number of their own.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from support.daemon import Daemon
from support.receiver import Receiver

RELOADS = 200
KEPT = (".seg", "index.sqlite3", "index.sqlite3-wal", "index.sqlite3-shm")


def held(daemon: Daemon) -> tuple[Counter[str], int]:
    """What its descriptors lead to, without numbers of their own, and how many threads there are."""
    assert daemon.process is not None
    place = Path(f"/proc/{daemon.process.pid}")
    found: Counter[str] = Counter()
    for each in os.listdir(place / "fd"):
        try:
            leads = os.readlink(place / "fd" / each).partition(":[")[0]
        except FileNotFoundError:  # closed meanwhile
            continue
        if not leads.endswith(KEPT):
            found[leads] += 1
    return found, len(os.listdir(place / "task"))


def test_no_descriptor_and_no_thread_stays_of_what_was_taken_out(tmp_path: Path) -> None:
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    for each in (one, two, three):
        (each / "memory").mkdir(parents=True)
        (each / "MEMORY.md").write_text("# Memory\n\n- a note\n")
    with Receiver() as receiver, Daemon(tmp_path, [], config=f'[[workspaces]]\nroot = "{one}"\n') as daemon:
        daemon.workspaces.append(one)
        web = f"http://127.0.0.1:{receiver.port}"

        def config(roots: list[Path], channels: list[str], beat: str) -> str:
            text = "".join(f'[[channels]]\nname = "{each}"\nurl = "webhook+{web}/{each}"\n' for each in channels)
            text += f'[heartbeat]\nurl = "{web}/{beat}"\n' if beat else ""
            return text + "".join(f'[[workspaces]]\nroot = "{each}"\n' for each in roots)

        turns = [
            config([one], [], ""),
            config([one, two, three], ["a", "b"], "beat"),
            config([two], ["b", "c", "d"], "other"),
            config([one, three], ["a"], ""),
        ]
        seen: dict[int, tuple[Counter[str], int]] = {}
        for number in range(RELOADS + 1):
            daemon.config_path.write_text(turns[number % len(turns)])
            assert daemon.api.post("/v1/reload")["applied"]
            if number in (len(turns) * 2, RELOADS):
                daemon.sync()
                seen[number] = held(daemon)
        first, most = seen[len(turns) * 2], seen[RELOADS]
        daemon.wait_until(lambda: not grown(first, held(daemon)), f"nothing more is held than {first}, after {most}")


def grown(first: tuple[Counter[str], int], now: tuple[Counter[str], int]) -> bool:
    return bool(now[0] - first[0]) or now[1] > first[1]

"""The daemon is killed at random moments while files are written, and forgets nothing it acknowledged."""

from __future__ import annotations

import random
from pathlib import Path

from crash import survey
from support.daemon import Daemon

ROUNDS = 20
FILES = 4


def _write_burst(dice: random.Random, workspace: Path, number: int) -> int:
    """Some appends and some destruction, over several files."""
    for _ in range(dice.randint(1, 6)):
        number += 1
        file = workspace / "memory" / f"topic-{dice.randrange(FILES)}.md"
        if dice.random() < 0.2:
            file.write_text(f"# stub {number}\n")
        else:
            with file.open("a") as stream:
                stream.write(f"- note {number} about the {dice.choice(['build', 'deploy', 'review'])} of the day\n")
    return number


def test_killed_at_random_while_files_are_written(tmp_path: Path) -> None:
    dice = random.Random(20_260_308)
    workspace = tmp_path / "ws"
    (workspace / "memory").mkdir(parents=True)
    files = [workspace / "memory" / f"topic-{number}.md" for number in range(FILES)]
    for file in files:
        file.write_text("# Topic\n\n" + "".join(f"- {file.stem} rule {number} stands\n" for number in range(40)))

    daemon = Daemon(tmp_path / "d", [workspace])
    number = 0
    acknowledged: dict[Path, list[survey.Json]] = {}
    with daemon.ended_at_exit():
        for _ in range(ROUNDS):
            daemon.start()
            for file, versions in acknowledged.items():
                survey.assert_durable(daemon, file, versions[:8])
            for _ in range(dice.randint(1, 3)):
                number = _write_burst(dice, workspace, number)
                acknowledged = {file: survey.acknowledged(daemon, file) for file in files}
                daemon.pass_time(dice.choice([0, 50, 260, 2_100]))
            # Unacknowledged work is under way when it dies.
            number = _write_burst(dice, workspace, number)
            if dice.random() < 0.5:
                daemon.advance(300)
            daemon.kill()

        daemon.start()
        for file, versions in acknowledged.items():
            survey.assert_durable(daemon, file, versions)
        daemon.settle()
        survey.assert_every_write_was_planned(daemon, workspace)
        survey.assert_whole_store(daemon)
        once = survey.picture(daemon, workspace)
        daemon.kill()
        daemon.start()
        daemon.settle()
        assert survey.picture(daemon, workspace) == once

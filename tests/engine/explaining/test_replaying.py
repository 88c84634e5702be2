"""The recorded history judged again gives what was decided; under another policy it says what would be different."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from conductd.config.load import load, parse
from conductd.config.schema import Config
from conductd.engine.explaining.rejudging import ERASED, OLDER
from conductd.engine.explaining.replayed import ReplayView
from conductd.engine.explaining.replaying import Wanted, replay
from conductd.journal.journal import Draft, Journal
from conductd.journal.storage import DirectoryStorage
from conductd.model import ChangeRecord, EvidenceRecord
from conductd.ports import SystemClock
from engine.conftest import notes
from engine.test_replay import live
from support.daemon import Daemon

CONFIG = """
replaceable = ["HANDOFF.md"]
retention_jobs = [{ match = "memory/archive/**", actor = "cron:sweep" }]
consolidators = [{ actor = "cron:dreaming" }]
[actions]
shrink.topic = "merge"
[[rules]]
match = "memory/log-*.md"
action = "record"
"""


@pytest.fixture
def daemon(tmp_path: Path, workspace: Path) -> Iterator[Daemon]:
    with Daemon(tmp_path / "d", [workspace], config=CONFIG) as running:
        yield running


def opened(state: Path) -> Journal:
    storage = DirectoryStorage(state / "journal")
    return Journal.open(storage, clock=SystemClock(), writer="test", read_only=True)[0]


def replayed(daemon: Daemon, other: str | None = None, wanted: Wanted | None = None) -> ReplayView:
    config = load(str(daemon.config_path), daemon.environment).with_real_roots()
    tried = None if other is None else parse(other)
    return found(daemon.state_dir, config, tried, wanted)


def found(state: Path, config: Config, other: Config | None = None, wanted: Wanted | None = None) -> ReplayView:
    with closing(opened(state)) as journal:
        steps = list(replay(journal, config, other, wanted))
    assert all(isinstance(step, float) and 0 <= step <= 1 for step in steps[:-1])
    assert isinstance(steps[-1], ReplayView)
    return steps[-1]


def says_the_same(view: ReplayView) -> None:
    assert not view.differences, msgspec.json.format(msgspec.json.encode(view.differences[0])).decode()
    assert not view.reasons
    assert view.same == view.verdicts > 0


def announce(daemon: Daemon, path: Path, actor: str) -> None:
    daemon.api.post("/v1/evidence", {"path": str(path), "actor": actor})


def everything(daemon: Daemon, workspace: Path) -> None:
    """A change of every kind, with everything around it that a verdict can depend on."""
    memory, topic = workspace / "MEMORY.md", workspace / "memory" / "topic.md"
    topic.write_text(notes(200, 240))
    daily, log = workspace / "memory" / "2026-01-05.md", workspace / "memory" / "log-a.md"
    daily.write_text(notes(300, 330))
    log.write_text(notes(400, 420))
    (workspace / "memory" / "archive").mkdir()
    old = workspace / "memory" / "archive" / "old.md"
    old.write_text(notes(500, 510))
    daemon.settle()
    # moved into a file that nobody records, and into one that is recorded; reworded on the way
    (workspace / "elsewhere.txt").write_text(notes(1, 8).replace("note 3:", "the note 3 says:"))
    memory.write_text(notes(9, 40))
    daemon.settle()
    topic.write_text(notes(200, 240) + notes(33, 40))
    memory.write_text(notes(9, 32))
    daemon.settle()
    # losses by known writers: merged by a setting, recorded by a rule, asked about, merged into a log
    for path, first, last, actor in (
        (topic, 200, 225, "agent:one"),
        (log, 400, 404, "agent:one"),
        (memory, 9, 14, "cron:dreaming"),
        (daily, 300, 310, "cron:append"),
    ):
        announce(daemon, path, actor)
        path.write_text(notes(first, last))
        daemon.settle()
    # small losses again and again, an encoding, a layout, links, a stale copy, two sessions at once
    for last in (239, 238, 236, 235):
        announce(daemon, topic, "agent:slow")
        topic.write_text(notes(200, last))
        daemon.settle()
    topic.write_bytes(topic.read_text().encode("utf-16"))
    daemon.settle()
    topic.write_text(notes(200, 235))
    daemon.settle()
    daily.write_text(notes(300, 334))
    daemon.settle()
    daily.write_text(notes(300, 331) + "- and one more thing that a stale session knows of\n")
    daemon.settle()
    announce(daemon, old, "cron:sweep")
    old.unlink()
    handoff = workspace / "HANDOFF.md"
    handoff.write_text(notes(1, 4))
    daemon.settle()
    handoff.write_text("# nothing\n")
    log.rename(workspace / "memory" / "log-b.md")
    memory.write_bytes(memory.read_bytes()[:300])
    daemon.settle()
    # placeholders, front matter, a secret
    memory.write_text(notes(9, 12) + "\n[rest of the file unchanged]\n")
    daemon.settle()
    topic.write_text("---\nkind: topic\nowner: somebody\n---\n" + notes(200, 235))
    daemon.settle()
    topic.write_text(notes(200, 235) + "\nthe password of the build machine is hunter2hunter2\n")
    daemon.settle()
    # several at once, a set
    for path in (memory, topic, daily):
        path.write_text("# gone\n")
    daemon.settle()


def large(daemon: Daemon, workspace: Path) -> None:
    """More than the judge thread takes."""
    huge = workspace / "memory" / "huge.md"
    huge.write_text(notes(1000, 6000))
    daemon.settle()
    huge.write_text(notes(1000, 3000))
    daemon.settle()


def git_takes_it(daemon: Daemon, workspace: Path) -> None:
    """What was written since the last commit is stashed away."""
    memory = workspace / "MEMORY.md"
    run = ["git", "-C", str(workspace), "-c", "user.name=a", "-c", "user.email=a@b"]

    def git(*arguments: str) -> None:
        # git tells real time, the daemon the test's
        moment = {"GIT_COMMITTER_DATE": f"{daemon.wall_ns // 1_000_000_000} +0000"}
        subprocess.run([*run, *arguments], check=True, env=daemon.environment | moment, capture_output=True)
        for name in ("HEAD", "logs/HEAD", "ORIG_HEAD", "refs/stash", "logs/refs/stash"):
            if (workspace / ".git" / name).exists():
                os.utime(workspace / ".git" / name, ns=(daemon.wall_ns, daemon.wall_ns))

    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    memory.write_text(memory.read_text() + notes(700, 740))
    daemon.settle()
    git("stash", "-q")
    daemon.settle()
    assert daemon.events(event_class="external_reset", kind="change")


def test_the_history_judged_again_is_what_was_decided(daemon: Daemon, workspace: Path) -> None:
    everything(daemon, workspace)
    large(daemon, workspace)
    git_takes_it(daemon, workspace)
    running = replayed(daemon)
    says_the_same(running)
    assert running.given, "nothing was moved into a file that nobody records"
    assert daemon.stop() == 0
    ended = replayed(daemon)
    says_the_same(ended)
    assert len({(turn.event_class, turn.action) for turn in ended.turns}) > 12


def test_decisions_of_people_fights_and_restarts_are_replayed_too(daemon: Daemon, workspace: Path) -> None:
    live(daemon, workspace)
    assert daemon.stop() == 0
    says_the_same(replayed(daemon))


def test_nothing_is_written_by_it(daemon: Daemon, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("# Memory\n")
    daemon.settle()
    daemon.stop()
    before = {path: path.read_bytes() for path in sorted(daemon.state_dir.rglob("*")) if path.is_file()}
    replayed(daemon, "[actions]\noverwrite = 'record'\n")
    assert {path: path.read_bytes() for path in sorted(daemon.state_dir.rglob("*")) if path.is_file()} == before


def test_another_policy_says_what_would_be_different(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text(notes(1, 24))
    daemon.settle()
    memory.write_text("# Memory\n\n- something else entirely, and new\n")
    daemon.settle()
    view = replayed(daemon, CONFIG + "[thresholds]\noverwrite_share = 0.35\n")
    assert (view.verdicts, view.different, view.not_replayable) == (2, 1, 0)
    turn = view.turns[0]
    assert (turn.event_class, turn.action, turn.now_class, turn.now_action) == (
        "shrink",
        "propose",
        "overwrite",
        "revert",
    )
    one = view.differences[0]
    assert (one.path, one.recorded.rule, one.replayed.rule) == ("MEMORY.md", "large-loss", "mostly-lost")
    says_the_same(replayed(daemon, CONFIG))


def test_what_the_configuration_says_of_writers_and_files_is_tried_too(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    announce(daemon, memory, "cron:dreaming")
    memory.write_text(notes(1, 4))
    daemon.settle()
    assert replayed(daemon, CONFIG).same == 1
    fought = replayed(daemon, CONFIG.replace("cron:dreaming", "cron:other"))
    assert [each.replayed.action for each in fought.differences] == ["revert"]
    spared = replayed(daemon, CONFIG.replace("HANDOFF.md", "MEMORY.md"))
    assert [each.replayed.rule for each in spared.differences] == ["replaceable"]


def test_it_can_be_narrowed(daemon: Daemon, workspace: Path) -> None:
    topic = workspace / "memory" / "topic.md"
    topic.write_text(notes(200, 240))
    daemon.settle()
    for path in (workspace / "MEMORY.md", topic):
        path.write_text("# Nothing\n")
        daemon.settle()
        daemon.advance(60_000)
    # Two overwrites; what was seen first has no verdict.
    assert replayed(daemon).verdicts == 3
    root = bytes(workspace)
    assert replayed(daemon, wanted=Wanted(file=root + b"/memory/topic.md")).verdicts == 2
    assert replayed(daemon, wanted=Wanted(workspace=root)).verdicts == 3
    assert replayed(daemon, wanted=Wanted(workspace=b"/nowhere")).verdicts == 0
    assert replayed(daemon, wanted=Wanted(since_ns=daemon.wall_ns - 90_000_000_000)).verdicts == 1


def test_what_was_kept_is_needed_and_is_missed_honestly(
    daemon: Daemon, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A journal of an older release holds no inputs: what depends on them is not guessed."""
    git_takes_it(daemon, workspace)
    (workspace / "MEMORY.md").write_text("# Memory\n")
    daemon.settle()
    daemon.stop()
    config = load(str(daemon.config_path), daemon.environment).with_real_roots()
    with closing(opened(daemon.state_dir)) as journal:
        key, other = journal.key, secrets.token_bytes
    monkeypatch.setattr(secrets, "token_bytes", lambda size: key if size == len(key) else other(size))
    view = found(older(daemon.state_dir, tmp_path / "older"), config)
    assert set(view.reasons) == {OLDER}
    assert view.assumed == view.same > 0
    assert not view.differences


def older(state: Path, copy: Path) -> Path:
    """The same history without what an older release did not keep."""
    (copy / "journal").mkdir(parents=True)
    with closing(opened(state)) as journal:
        storage = DirectoryStorage(copy / "journal", exclusive=True)
        target, _ = Journal.open(storage, clock=SystemClock(), writer="test")
        with closing(target):
            for stored in journal.replay():
                record = stored.record
                if isinstance(record, ChangeRecord):
                    record = msgspec.structs.replace(record, inputs=b"")
                if isinstance(record, EvidenceRecord):
                    record = msgspec.structs.replace(record, version=0)  # it found nobody out either
                try:
                    body = journal.body(stored.seq)
                except Exception:
                    body = None
                target.append((Draft(record, body),))
    return copy


def test_the_rules_decide_a_recorded_history_as_they_did() -> None:
    """A change of the rules shows here. If it was meant: `make_judged.py --accept`, and read the difference."""
    from engine import make_judged

    known = json.loads((make_judged.PLACE / "decisions.json").read_text())
    assert make_judged.decisions() == known


def test_the_command_shows_what_would_be_different_and_how_to_go_on(
    daemon: Daemon, workspace: Path, tmp_path: Path
) -> None:
    (workspace / "MEMORY.md").write_text(notes(1, 24))
    daemon.settle()
    same = daemon.cli("replay")
    assert same.exit_code == 0
    assert "1 verdict judged again by the configuration in force" in same.output
    assert "conductd replay --policy COPY" in same.output
    other = tmp_path / "other.toml"
    other.write_text(CONFIG + "[thresholds]\noverwrite_share = 0.35\n")
    daemon.stop()
    for arguments in (("replay", "--policy", str(other)), ("replay", "--policy", str(other), "--file", "MEMORY.md")):
        ran = daemon.cli(*arguments)
        assert ran.exit_code == 0
        assert "1  would be decided differently" in ran.output
        assert "shrink, propose" in ran.output
        assert "mostly-lost" in ran.output
    assert "nothing was judged of memory/none.md" in daemon.cli("replay", "--file", "memory/none.md").output
    report = msgspec.json.decode(daemon.cli("replay", "--json").output.replace("\r\n", "\n"), type=ReplayView)
    assert (report.verdicts, report.same) == (1, 1)


def test_a_policy_with_faults_lists_them_all(daemon: Daemon, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[thresholds]\nshrnk_share = 1\n[actions]\nshrink = 'burn'\n")
    ran = daemon.cli("replay", "--policy", str(other))
    assert ran.exit_code == 78
    assert "shrnk_share: unknown key, did you mean `shrink_share`?" in ran.output
    assert "actions.shrink: must be one of" in ran.output


def test_what_rests_on_something_that_was_erased_is_no_difference(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    kept = notes(1, 24)
    memory.write_text(kept + "- the nas password is velvet-otter-9 for the time being\n")
    daemon.settle()
    memory.write_text(kept)
    daemon.settle()
    (workspace / "memory" / "tea.md").write_text("# Tea\n\n- green, at eighty degrees\n")
    daemon.settle()
    before = replayed(daemon)
    assert daemon.cli("forget", "--matching", "velvet-otter-9", "--now").exit_code == 0
    view = replayed(daemon)
    assert (view.different, view.figures) == (0, 0), view.differences
    assert view.reasons.get(ERASED)
    assert before.verdicts == view.verdicts
    assert view.same + view.not_replayable == view.verdicts

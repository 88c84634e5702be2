"""Pinned entries and slow loss against a running daemon: put back, offered, told once, remembered."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.losses.test_erosion import DE, EN, text
from support.api import ApiError
from support.daemon import Daemon

Json = dict[str, object]


def announced(daemon: Daemon, target: Path, content: str, by: str) -> None:
    """A write that its writer's hook tells of."""
    daemon.api.post("/v1/evidence", {"path": str(target), "actor": by})
    target.write_text(content)
    daemon.settle()


def pins(daemon: Daemon) -> list[tuple[int, str, str]]:
    return [(one["line"], one["state"], one["text"]) for one in daemon.api.get("/v1/pins")]


def notices(daemon: Daemon) -> list[str]:
    return [one["text"] for one in daemon.events(kind="notice")]


def rules(daemon: Daemon) -> list[str]:
    return [one["data"]["rule"] for one in daemon.events(kind="change")]


@pytest.fixture
def memory(workspace: Path, daemon: Daemon) -> Path:
    """A file of twenty-four rules that is seen for the first time."""
    target = workspace / "memory" / "rules.md"
    target.parent.mkdir(exist_ok=True)
    target.write_text(text(EN))
    daemon.settle()
    return target


# --------------------------------------------------------------------------- pins


def test_a_pinned_entry_comes_back_and_the_rest_is_offered(daemon: Daemon, memory: Path) -> None:
    assert daemon.cli("pin", f"{memory}:9").exit_code == 0
    assert pins(daemon) == [(9, "held", EN[4])]
    left = [rule for n, rule in enumerate(EN) if n not in (4, 5)]
    announced(daemon, memory, text(left), "agent:main")
    assert memory.read_text() == text([*left[:4], EN[4], *left[4:]])
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    assert (incident["event_class"], incident["state"]) == ("pinned_loss", "open")
    assert sum("lost pinned entries" in told for told in notices(daemon)) == 1
    assert daemon.cli("restore", "--incident", str(incident["id"])).exit_code == 0
    assert memory.read_text() == text(EN)
    assert daemon.api.get("/v1/incidents?state=open") == []


def test_a_pin_stays_over_a_restart_a_rename_and_other_line_ends(daemon: Daemon, memory: Path) -> None:
    daemon.cli("pin", str(memory), "espresso machine contract")
    daemon.restart()
    moved = memory.with_name("house.md")
    memory.rename(moved)
    daemon.settle()
    moved.write_bytes(moved.read_bytes().replace(b"\n", b"\r\n"))
    daemon.settle()
    assert pins(daemon) == [(14, "held", EN[9])]
    announced(daemon, moved, text([rule for rule in EN if rule != EN[9]]), "agent:main")
    assert EN[9] in moved.read_text()
    assert rules(daemon)[-1] in ("pin-lost", "same-bytes", "layout")


def test_other_words_with_another_meaning_are_offered_back(daemon: Daemon, memory: Path) -> None:
    daemon.cli("pin", f"{memory}#Rules")
    assert len(pins(daemon)) == len(EN)
    weaker = text(EN).replace("Do not send newsletters", "Usually send newsletters")
    announced(daemon, memory, weaker, "agent:main")
    assert memory.read_text() == weaker
    assert rules(daemon)[-1] == "pin-altered"
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    assert incident["action"] == "propose"
    daemon.cli("restore", "--incident", str(incident["id"]))
    assert "Do not send newsletters" in memory.read_text()


def test_marks_of_first_sight_count_and_cannot_be_taken_away(tmp_path: Path, workspace: Path) -> None:
    target = workspace / "memory" / "marked.md"
    marked = text(EN[:12], []) + "\n## Held\n\n<!-- pin -->\n- " + "\n- ".join(EN[12:15]) + "\n<!-- /pin -->\n"
    target.write_text(marked)
    with Daemon(tmp_path / "d", [workspace]) as daemon:
        assert [state for _, state, _ in pins(daemon)] == ["held"] * 3
        daemon.cli("unpin", f"{target}:23")
        assert [entry for _, _, entry in pins(daemon)] == EN[12:14]
        bare = marked.replace("<!-- pin -->\n", "").replace("<!-- /pin -->\n", "")
        announced(daemon, target, bare, "agent:main")
        assert [told for told in notices(daemon) if "took the pin marks of" in told]
        announced(daemon, target, bare.replace(f"- {EN[13]}\n", ""), "agent:main")
        assert EN[13] in target.read_text()


def test_marks_of_an_agent_are_only_proposed_once(daemon: Daemon, memory: Path) -> None:
    marked = text(EN[:20]) + "<!-- pin -->\n- " + "\n- ".join(EN[20:]) + "\n<!-- /pin -->\n"
    announced(daemon, memory, marked, "agent:main")
    assert pins(daemon) == []
    announced(daemon, memory, marked + "\nOne line more for the day.\n", "agent:main")
    (told,) = [one for one in daemon.events(kind="notice") if "as pinned" in one["text"]]
    assert told["data"]["command"].endswith("--marked")
    assert daemon.cli("pin", str(memory), "--marked").exit_code == 0
    assert [entry for _, _, entry in pins(daemon)] == EN[20:]


def test_what_is_not_there_cannot_be_pinned(daemon: Daemon, memory: Path) -> None:
    assert daemon.cli("pin", f"{memory}:2").exit_code != 0
    assert daemon.cli("pin", str(memory), "nothing like that").exit_code != 0
    ran = daemon.cli("pin", str(memory), "the")
    assert ran.exit_code != 0
    assert "FILE:LINE" in ran.output
    assert daemon.cli("pin", f"{memory}:6", "text").exit_code != 0


def test_to_unpin_without_a_terminal_is_only_asked_for(daemon: Daemon, memory: Path) -> None:
    daemon.cli("pin", f"{memory}:9")
    answer = daemon.api.post("/v1/pins/remove", {"path": str(memory), "line": 9})
    assert answer["request"] is not None
    assert pins(daemon) == [(9, "held", EN[4])]
    with pytest.raises(ApiError):
        daemon.api.post("/v1/pins/remove", {"path": str(memory), "line": 10})


# --------------------------------------------------------------------------- slow loss


def eroded(daemon: Daemon, memory: Path, states: Sequence[str], by: str = "cron:review") -> Json:
    for state in states:
        announced(daemon, memory, state, by)
        daemon.pass_time(3_600_000)
    (incident,) = [one for one in daemon.api.get("/v1/incidents") if one["event_class"] == "erosion"]
    found: Json = incident
    return found


def test_slow_loss_is_one_incident_that_grows_and_is_told_once(daemon: Daemon, memory: Path) -> None:
    incident = eroded(daemon, memory, [text(EN[n:]) for n in range(1, 7)])
    assert (incident["lost"], incident["state"]) == (6, "open")
    assert len([told for told in notices(daemon) if "is eroding" in told]) == 1
    explained = daemon.api.get(f"/v1/incidents/{incident['id']}")["changes"]
    writes = explained[0]["writes"]
    assert [write["writer"] for write in writes] == ["cron:review"] * 5
    assert [write["lost"][0]["text"] for write in writes] == [f"- {rule}" for rule in EN[:5]]
    assert [write["at_ns"] for write in writes] == sorted(write["at_ns"] for write in writes)


def test_all_small_losses_come_back_and_what_was_written_since_stays(daemon: Daemon, memory: Path) -> None:
    incident = eroded(daemon, memory, [text(EN[:2] + EN[2 + n :]) for n in range(1, 6)])
    announced(daemon, memory, memory.read_text() + "- A rule that came after all that.\n", "agent:main")
    daemon.restart()
    assert daemon.cli("restore", "--incident", str(incident["id"])).exit_code == 0
    assert memory.read_text() == text(EN, ["A rule that came after all that."])
    daemon.settle()
    assert daemon.api.get("/v1/incidents?state=open") == []
    assert daemon.cli("undo", str(incident["id"])).exit_code == 0
    assert EN[3] not in memory.read_text()


def test_other_proposals_between_do_not_hide_what_is_owed(daemon: Daemon, memory: Path) -> None:
    incident = eroded(daemon, memory, [text(EN[n:]) for n in range(1, 6)])
    announced(daemon, memory, text(EN[5:15]), "agent:main")
    assert daemon.cli("restore", "--incident", str(incident["id"])).exit_code == 0
    lines = [line[2:] for line in memory.read_text().splitlines() if line.startswith("- ")]
    assert sorted(lines) == sorted(EN[:15])


@pytest.mark.parametrize("left_there", [True, False], ids=["copied", "moved"])
def test_what_comes_out_of_another_file_makes_up_for_nothing(
    daemon: Daemon, memory: Path, workspace: Path, left_there: bool
) -> None:
    notes = workspace / "memory" / "notes.md"
    notes.write_text(text(DE))
    daemon.settle()
    for n in range(1, 6):
        if not left_there:
            announced(daemon, notes, text(DE[n:]), "cron:review")
        announced(daemon, memory, text(EN[n:], DE[:n]), "cron:review")
        daemon.pass_time(3_600_000)
    (incident,) = [one for one in daemon.api.get("/v1/incidents") if one["event_class"] == "erosion"]
    assert incident["lost"] >= 4
    assert daemon.cli("restore", "--incident", str(incident["id"])).exit_code == 0
    assert memory.read_text() == text(EN, DE[:5])
    assert "would be decided differently" not in daemon.cli("replay").output


def test_what_is_new_makes_up_for_what_went(daemon: Daemon, memory: Path) -> None:
    for n in range(1, 6):
        announced(daemon, memory, text(EN[n:], DE[:n]), "cron:review")
        daemon.pass_time(3_600_000)
    assert not [one for one in daemon.api.get("/v1/incidents") if one["event_class"] == "erosion"]


def test_accepted_it_starts_anew(daemon: Daemon, memory: Path) -> None:
    incident = eroded(daemon, memory, [text(EN[n:]) for n in range(1, 6)])
    assert daemon.cli("accept", str(incident["id"])).exit_code == 0
    announced(daemon, memory, text(EN[6:]), "cron:review")
    found = [one for one in daemon.api.get("/v1/incidents") if one["event_class"] == "erosion"]
    assert [one["state"] for one in found] == ["accepted"]


@pytest.fixture
def topics(workspace: Path, daemon: Daemon) -> dict[Path, list[str]]:
    """Four files of eight rules each."""
    found = {}
    for number in range(4):
        target = workspace / "memory" / f"topic-{number}.md"
        found[target] = [*EN[4 * number : 4 * number + 4], *DE[4 * number : 4 * number + 4]]
        target.write_text(text(found[target]))
    daemon.settle()
    return found


def test_one_entry_from_each_of_many_files_is_one_incident_of_all(
    daemon: Daemon, topics: dict[Path, list[str]]
) -> None:
    for target, entries in topics.items():
        announced(daemon, target, text(entries[1:]), "cron:review")
        daemon.pass_time(3_600_000)
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    assert (incident["event_class"], incident["lost"], incident["writer"]) == ("erosion", 4, "cron:review")
    assert len(incident["files"]) == 4
    assert len([told for told in notices(daemon) if "is eroding" in told]) == 1
    assert daemon.cli("restore", "--incident", str(incident["id"])).exit_code == 0
    assert {target: target.read_text() for target in topics} == {t: text(rules) for t, rules in topics.items()}
    assert daemon.api.get("/v1/incidents?state=open") == []


def test_of_many_files_it_can_be_accepted_as_a_whole(daemon: Daemon, topics: dict[Path, list[str]]) -> None:
    for target, entries in topics.items():
        announced(daemon, target, text(entries[1:]), "cron:review")
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    assert daemon.cli("accept", str(incident["id"])).exit_code == 0
    assert [one["state"] for one in daemon.api.get("/v1/incidents")] == ["accepted"]
    first, entries = next(iter(topics.items()))
    announced(daemon, first, text(entries[2:]), "cron:review")
    assert [one["state"] for one in daemon.api.get("/v1/incidents")] == ["accepted"]


def test_a_known_job_is_named_and_what_is_packed_is_not_lost(daemon: Daemon, memory: Path) -> None:
    marks = (
        "\n## Promoted From Short-Term Memory (2026-03-08)\n\n<!-- openclaw-memory-promotion:k1 -->\n- A new thing.\n"
    )
    memory.write_text(text(EN) + marks)
    daemon.settle()
    (version, *_) = daemon.versions(memory)
    assert (version["actor"], version["evidence"]) == ("cron:dreaming", ["promotion marks"])
    assert version["confidence"] < 0.5
    packed = memory.with_name("rules.md.gz")
    packed.write_bytes(gzip.compress(memory.read_bytes()))
    memory.unlink()
    daemon.settle()
    assert not memory.exists()
    assert rules(daemon)[-1] == "moved"

"""The daemon's figures for Prometheus: what each is called, and what it is made from. Reads memory and the spool.

No path and no content is in them: a workspace is its id and the last part of its directory's name. Counters begin
with the start of the daemon, or with the journal; what can fall is a gauge.
"""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence

from conductd import __version__
from conductd.core.exposition import COUNTER, GAUGE, SUMMARY, Family, Sample, one
from conductd.engine.health.overview import Parts
from conductd.views import ChannelView, JobView, PendingView, StatusView, WorkspaceView
from conductd.views.reasons import REASONS, kind_of

MOST_WORKSPACES = 500  # with samples of their own; the rest is in the sums
JOB_RESULTS = ("ok", "warn", "fail", "unknown", "nothing", "refused", "failed", "timed out")
LONGEST_NAME = 64  # characters of a directory's name


def families(
    parts: Parts, status: StatusView, pending: Sequence[PendingView], sent: dict[str, int]
) -> Iterator[Family]:
    """``sent``: messages taken since the start, by channel."""
    yield Family("conductd_build_info", GAUGE, "The release that runs.", (Sample(1, (("version", __version__),)),))
    yield one("conductd_start_time_seconds", GAUGE, "When the daemon was started, Unix time.", parts.started_ns / 1e9)
    yield one("conductd_uptime_seconds", GAUGE, "How long it runs.", status.uptime_s)
    yield one("conductd_health", GAUGE, "1: nothing is wrong that is known; 0: degraded.", status.health == "ok")
    yield _degraded(status)
    yield from _recording(parts, status)
    yield from _incidents(status)
    yield _depths(parts)
    yield _waiting(pending)
    yield one("conductd_event_streams", GAUGE, "Readers of the event stream.", parts.hub.streams)
    yield from _workspaces(status.workspaces)
    yield from _channels(status.channels, sent)
    yield from _heartbeat(status)
    yield from _jobs(status.jobs)
    yield from _process()


def _degraded(status: StatusView) -> Family:
    stands = {kind_of(each.reason) for each in status.degraded}
    samples = [Sample(kind in stands, (("reason", kind),)) for kind in sorted({*REASONS, *stands})]
    return Family("conductd_degraded", GAUGE, "1 while this reason stands: conductd help health.", tuple(samples))


def _recording(parts: Parts, status: StatusView) -> Iterator[Family]:
    recorder, intake = parts.recorder, parts.intake
    yield one("conductd_recording", GAUGE, "0 while the store takes no writes.", not recorder.down)
    yield one("conductd_versions_total", COUNTER, "Versions recorded since the journal began.", status.versions)
    yield one("conductd_coalesced_total", COUNTER, "States known to have been missed.", status.coalesced)
    yield one("conductd_reads_total", COUNTER, "Files read since the start.", intake.reads)
    yield one("conductd_journal_records_total", COUNTER, "Records in the journal since it began.", status.last_seq)
    yield one("conductd_journal_bytes", GAUGE, "Bytes of the journal on disk.", status.journal_bytes)
    yield one("conductd_journal_segments", GAUGE, "Files of the journal.", status.journal_segments)
    if status.grown_bytes is not None:
        text = "Bytes written to the journal in the last 7 days, or since it began."
        yield one("conductd_journal_grown_bytes", GAUGE, text, status.grown_bytes)
    text = "What it took to make a batch of records durable, since the start."
    took = (Sample(recorder.append_ns / 1e9, suffix="_sum"), Sample(recorder.appends, suffix="_count"))
    yield Family("conductd_append_seconds", SUMMARY, text, took)
    yield one("conductd_files", GAUGE, "Protected files.", status.files)
    if status.last_change_ns is not None:
        text = "When a protected file last changed, Unix time."
        yield one("conductd_last_change_timestamp_seconds", GAUGE, text, status.last_change_ns / 1e9)


def _incidents(status: StatusView) -> Iterator[Family]:
    open_ones = tuple(Sample(count, (("severity", name),)) for name, count in status.open_by_severity.items())
    yield Family("conductd_incidents_open", GAUGE, "Open incidents.", open_ones)
    yield one("conductd_false_alarms", GAUGE, "Repairs undone, or losses accepted after one.", status.false_positives)
    yield one("conductd_requests_waiting", GAUGE, "Requests that a person has to answer.", status.requests)
    yield one("conductd_leases", GAUGE, "Leases that stand.", len(status.leases))
    yield one("conductd_forgotten_waiting", GAUGE, "What is hidden and not erased yet.", len(status.forgotten))


def _depths(parts: Parts) -> Family:
    depths = {
        "intake": parts.intake.depth(),
        "recorder": parts.recorder.depth(),
        "judge": parts.judge.depth(),
        "secrets": parts.secrets.depth(),
    }
    samples = tuple(Sample(depth, (("queue", name),)) for name, depth in depths.items())
    return Family("conductd_queue_depth", GAUGE, "Messages that wait for a thread.", samples)


def _waiting(pending: Sequence[PendingView]) -> Family:
    counts = Counter(each.what for each in pending)
    names = sorted({"judgement", "repair", *counts})
    samples = tuple(Sample(counts[name], (("what", name),)) for name in names)
    return Family("conductd_pending", GAUGE, "What waits for its time.", samples)


def _workspaces(views: Sequence[WorkspaceView]) -> Iterator[Family]:
    yield one("conductd_workspaces", GAUGE, "Workspaces.", len(views))
    shown = [(_of(each), each) for each in views[:MOST_WORKSPACES]]
    up = [Sample(each.state == "ok", of) for of, each in shown]
    yield Family("conductd_workspace_up", GAUGE, "1: it is there and this daemon has it.", tuple(up))
    protected = [Sample(each.mode == "protect", of) for of, each in shown]
    yield Family("conductd_workspace_protected", GAUGE, "0: it is only observed.", tuple(protected))
    polled = [Sample(each.watched == "polling", of) for of, each in shown]
    yield Family("conductd_workspace_polled", GAUGE, "1: it sends no events and is compared.", tuple(polled))
    files = [Sample(each.files, of) for of, each in shown]
    yield Family("conductd_workspace_files", GAUGE, "Protected files.", tuple(files))
    versions = [Sample(each.versions, of) for of, each in shown]
    yield Family("conductd_workspace_versions_total", COUNTER, "Versions recorded.", tuple(versions))
    incidents = [Sample(each.open_incidents, of) for of, each in shown]
    yield Family("conductd_workspace_incidents_open", GAUGE, "Open incidents.", tuple(incidents))


def _of(view: WorkspaceView) -> tuple[tuple[str, str], ...]:
    name = os.path.basename(view.root.rstrip("/"))[:LONGEST_NAME]
    return (("workspace", view.id), ("name", name))


def _channels(views: Sequence[ChannelView], sent: dict[str, int]) -> Iterator[Family]:
    def of(view: ChannelView) -> tuple[tuple[str, str], ...]:
        return (("channel", view.name),)

    waiting = tuple(Sample(each.waiting, of(each)) for each in views)
    yield Family("conductd_channel_waiting", GAUGE, "Notices that wait to be sent.", waiting)
    taken = tuple(Sample(sent.get(each.name, 0), of(each)) for each in views)
    yield Family("conductd_channel_sent_total", COUNTER, "Notices sent since the start.", taken)
    dead = tuple(Sample(each.dead, of(each)) for each in views)
    yield Family("conductd_channel_dead", GAUGE, "Notices that were given up.", dead)
    failing = tuple(Sample(bool(each.error and each.waiting), of(each)) for each in views)
    yield Family("conductd_channel_failing", GAUGE, "1: the last attempt of what waits failed.", failing)


def _heartbeat(status: StatusView) -> Iterator[Family]:
    if status.heartbeat is None:
        return
    yield one("conductd_heartbeat_failing", GAUGE, "1: the last ping was not taken.", bool(status.heartbeat.error))
    if status.heartbeat.last_ns is not None:
        text = "When a ping was last taken, Unix time."
        yield one("conductd_heartbeat_timestamp_seconds", GAUGE, text, status.heartbeat.last_ns / 1e9)


def _jobs(views: Sequence[JobView]) -> Iterator[Family]:
    """The last runs; of a job that never ran there is nothing."""
    places = {each: number for number, each in enumerate(dict.fromkeys(each.workspace for each in views))}
    ran = [
        ((("job", each.job), ("workspace", each.workspace)), each.last)
        for each in views
        if each.last is not None and places[each.workspace] < MOST_WORKSPACES
    ]
    started = tuple(Sample(last.started_ns / 1e9, of) for of, last in ran)
    yield Family("conductd_job_timestamp_seconds", GAUGE, "When the job last ran, Unix time.", started)
    took = tuple(Sample(last.duration_s, of) for of, last in ran)
    yield Family("conductd_job_seconds", GAUGE, "How long the last run took.", took)
    results = tuple(Sample(last.result == name, (*of, ("result", name))) for of, last in ran for name in JOB_RESULTS)
    yield Family("conductd_job_result", GAUGE, "1: what came of the last run.", results)


def _process() -> Iterator[Family]:
    """By the names that every client library of Prometheus gives them."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    yield one("process_cpu_seconds_total", COUNTER, "Processor time used.", used.ru_utime + used.ru_stime)
    yield one("conductd_threads", GAUGE, "Threads of Python.", threading.active_count())
    if sys.platform != "linux":
        return
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
        descriptors = len(os.listdir("/proc/self/fd"))
    except (OSError, ValueError, IndexError):
        return
    page = os.sysconf("SC_PAGE_SIZE")
    yield one("process_resident_memory_bytes", GAUGE, "Resident memory.", pages * page)
    yield one("process_open_fds", GAUGE, "Open file descriptors.", descriptors)

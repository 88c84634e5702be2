"""The composition root: wires every part, starts in order, stops in reverse.

Owns nothing that happens in between. A test entry point hands in other ports; everybody else calls
`run`. A start: lock → journal → state → index → recorder → workspaces → open plans → watcher and
first scan → judge → API → READY. A stop is the reverse, so that nothing is told after the journal closed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress

import structlog

from conductd import __version__
from conductd.agents.discover import home_of
from conductd.agents.recognised import recognised
from conductd.config import Config, refuse_state_dir_in
from conductd.engine.answering.answers import Answers
from conductd.engine.answering.judging import Judge
from conductd.engine.answering.repairing import Repairer
from conductd.engine.answering.sets import Sets
from conductd.engine.answering.together import Together
from conductd.engine.bootcards.keeping import Keeping
from conductd.engine.configuring.asked import AskedReloads
from conductd.engine.configuring.reading import at_start, keep_place, read, refuse_lost_place
from conductd.engine.configuring.reloading import Reloading
from conductd.engine.fold.state import State
from conductd.engine.forgetting.forgetting import Forgetting
from conductd.engine.forgetting.secret_watch import SecretWatch
from conductd.engine.forgetting.veil import Veil
from conductd.engine.gathering.cases import Gatherer
from conductd.engine.gathering.content import Contents
from conductd.engine.gathering.editing import Editing
from conductd.engine.gathering.gate import Gate
from conductd.engine.gathering.prints import Prints
from conductd.engine.gathering.tables import Tables
from conductd.engine.gathering.witness import Witness
from conductd.engine.health.degraded import Degraded
from conductd.engine.health.events import Hub
from conductd.engine.health.heartbeat import Heartbeat
from conductd.engine.health.logs import configure as configure_logs
from conductd.engine.health.overview import Parts
from conductd.engine.health.tending import EVERY_S, Tending
from conductd.engine.holding import hold
from conductd.engine.loading.looking import Looker
from conductd.engine.loading.watch import LoadWatch
from conductd.engine.notifying import Carrying
from conductd.engine.people import settings
from conductd.engine.people.commands import Commands
from conductd.engine.people.weakening import Weakening
from conductd.engine.recording.damage_told import DamageTold
from conductd.engine.recording.intake import Intake
from conductd.engine.recording.late_index import LateIndex
from conductd.engine.recording.recorder import Recorder
from conductd.engine.recording.recovery import PlanEnder, open_state
from conductd.engine.recording.telling import Teller
from conductd.engine.roots import Chosen, choose, chosen_anew, remembered, something_to_do
from conductd.engine.service import Daemon, IndexHistory
from conductd.engine.workspaces import Workspaces
from conductd.errors import StoreUnavailable
from conductd.given import Ended, Face, MakeFace, Ports, Request, Told
from conductd.index.reader import IndexReader
from conductd.index.writer import IndexWriter
from conductd.journal.journal import Journal
from conductd.notify.notifier import Notifier
from conductd.service import closed_off
from conductd.service.signals import Signals
from conductd.views.reload import ReloadView
from conductd.watch.watcher import Watcher

__all__ = ["App", "Face", "MakeFace", "Ports", "Request", "Told", "run"]

log = structlog.get_logger("conductd")

DRAIN_S = 4.5  # a stop takes 5 s at most
WAITS_S = 5.0  # between two looks at a state directory that cannot be written

# Recording passes through three threads. By default each may have to wait 5 ms for one that computes (the judge):
# measured on a busy machine, that lost 11 to 18 % of the states of a file rewritten every millisecond; this 1.5 %.
SWITCH_S = 0.0005


def run(request: Request, face: MakeFace, ports: Ports | None = None, *, told: Told | None = None) -> int:
    """Run the daemon in this thread until SIGTERM or SIGINT. Returns the exit code; raises ConductdError.

    Without somebody who is `told`, a state directory that cannot be written is not waited for.
    """
    sys.setswitchinterval(SWITCH_S)
    waiting = told.waiting if told is not None else None
    told = told or Told()
    with ExitStack() as stack:
        signals = stack.enter_context(Signals())
        start_is_over = signals.cut_start_short_after(DRAIN_S)
        stack.callback(start_is_over.set)
        app = App(request, face, ports or Ports(), stack, signals, waiting)
        try:
            app.start()
        except Ended:
            log.info("asked to end before it was ready")
        else:
            start_is_over.set()
            told.started(app)
        while not signals.is_ended:
            signals.wait(EVERY_S)
            if signals.is_ended:
                break
            if signals.take_reload():
                told.reloading()
                told.reloaded(app, app.reload())
            app.tend()
            told.tended(app)
        log.info("stopping")
        told.stopping()
        cut_short = signals.cut_short_after(DRAIN_S)
    cut_short.cancel()
    return 0


class App:
    """One daemon. Everything it opens is closed by the stack it was given."""

    def __init__(
        self,
        request: Request,
        face: MakeFace,
        ports: Ports,
        stack: ExitStack,
        signals: Signals | None = None,
        waiting: Callable[[str], None] | None = None,
    ) -> None:
        self._request, self._make_face, self._ports, self._stack = request, face, ports, stack
        self._signals, self._waiting = signals or Signals(), waiting
        self._read = at_start(request.config, ports.environ, request.state_dir)
        refuse_lost_place(self._read, request.state_dir, ports.environ)
        self.config = self._read.config
        self.state_dir = os.path.abspath(request.state_dir or self.config.state_dir)
        # A state directory of one's own brings its own socket, unless one is named.
        own = os.path.join(self.state_dir, "conductd.sock") if request.state_dir else self.config.socket
        self.socket = request.socket or own
        self.own_place = bool(request.state_dir or request.socket or request.config)
        self.roots: tuple[Chosen, ...] = ()
        self.service: Daemon | None = None
        self._tending: Tending | None = None
        self._bootcards: Keeping | None = None
        self._heartbeat: Heartbeat | None = None
        self._reloading: Reloading | None = None
        self._asked_reloads = AskedReloads(self._signals.ask_reload)

    def reload(self) -> ReloadView:
        """Read the configuration again and put it into force. On the main thread, once it was started."""
        assert self._reloading is not None
        waiting = self._asked_reloads.take()
        view = self._reloading.reload()
        for each in waiting:
            each.set_result(view)
        return view

    def _chosen(self, config: Config, state: State) -> tuple[Chosen, ...]:
        """The workspaces of another configuration. Raises ConductdError where it cannot be run with."""
        request, is_demo = self._request, any(each.why == "demo" for each in self.roots)
        self.roots = chosen_anew(
            request.workspaces, request.observe, is_demo, config, self._ports.environ, self.state_dir, state
        )
        return self.roots

    def _go_on(self) -> None:
        """Raises Ended when there is no use in starting any further."""
        if self._signals.is_ended:
            raise Ended

    def _pause(self) -> None:
        self._signals.wait(WAITS_S)
        self._go_on()

    def tend(self) -> None:
        """To be called every few seconds once it was started."""
        if self._tending is not None:
            self._tending.tend()
        if self.service is not None and self._tending is not None:
            self.service.retainers.tend()
            self.service.scheduler.tend()
        if self._bootcards is not None:
            self._bootcards.tend()
        if self._heartbeat is not None:
            self._heartbeat.tend(is_hung=self.is_hung)

    @property
    def is_hung(self) -> bool:
        """Whether only a restart can help, as it was when it was tended last."""
        return self._tending is not None and self._tending.is_hung

    def start(self) -> None:
        """Up to the answering socket. Raises ConductdError; the stack undoes what was started."""
        config, ports, stack = self.config, self._ports, self._stack
        configure_logs(config.log)
        # Beside a busy judge the thread that reads events gets its turn ten times sooner: measured, the delay of a
        # hint fell from 96 µs / 6.8 ms (p50 / p99) to 35 µs / 2.5 ms.
        sys.setswitchinterval(0.0005)
        self.roots = choose(
            self._request.workspaces, self._request.observe, self._request.demo, config, ports.environ, self.state_dir
        )
        refuse_state_dir_in(self.state_dir, [root.path for root in self.roots])
        takes_risk = ports.environ.get("CONDUCTD_ALLOW_NETWORK_STATE") == "1"
        stack.callback(hold(self.state_dir, self._pause, self._waiting, allows_network=takes_risk).release)
        keep_place(self._read, self._request.state_dir, ports.environ)
        storage = ports.storage(os.path.join(self.state_dir, "journal"))
        journal, recovery = Journal.open(storage, clock=ports.clock, writer=f"conductd {__version__}")
        stack.callback(journal.close)
        self._go_on()
        state = open_state(journal, self._go_on)
        self.roots = remembered(self.roots, state, self._request.observe)
        something_to_do(self.roots, state)
        index_path = os.path.join(self.state_dir, "index.sqlite3")
        index = LateIndex(lambda: IndexWriter(index_path, journal.uuid, journal.last_seq))
        stack.callback(index.close)
        reader = IndexReader(index_path)
        stack.callback(reader.close)
        degraded = Degraded(ports.clock.wall_ns)
        veil = Veil(state, journal.key)
        reader.veil = veil.event
        hub, contents = Hub(), Contents(journal, veil)
        teller = Teller(hub, reader)
        recorder = Recorder(journal, index, state, ports.clock, degraded, teller, teller.touched)
        recorder.start()
        stack.callback(recorder.stop)
        damaged = DamageTold(recorder, degraded)
        teller.recovered(recovery, index.vanished, damaged)
        for each in journal.damage:  # met when the state was folded
            damaged.at_start(f"{each.segment}: {each.what}")
        journal.damaged, journal.proven_whole = damaged, damaged.proven_whole
        agent_state = {root.path: root.agent_state for root in self.roots if root.agent_state}
        workspaces = Workspaces(state, recorder, config, agent_state, observe=self._request.observe)
        stack.callback(workspaces.close)
        workspaces.recognise = lambda root: recognised(
            root, ports.environ, [each.chain() for each in workspaces.config.agents]
        )
        with suppress(StoreUnavailable):  # a full store is told of by others; the next start compares again
            settings.compare(state, recorder, config, journal.key, observe=self._request.observe)
        tell_degraded = teller.degraded_once(recorder, degraded)
        if closed_off.is_closed_off():
            tell_degraded("closed_off", closed_off.MESSAGE, closed_off.HINT)
        intake = Intake(
            state,
            recorder,
            workspaces,
            degraded,
            max_file_bytes=config.max_file_bytes,
            rescan_s=config.rescan_seconds,
            tell_degraded=tell_degraded,
        )
        recorder.reread = intake.reread
        policy = config.policy()
        tables = Tables(journal.key)
        repairer = Repairer(state, recorder, contents, workspaces, ports.clock, ports.exchange, intake.look)
        stack.callback(repairer.close)
        repairer.key, repairer.cleaned = journal.key, veil.cleaned
        repairer.gate = Gate(state, workspaces, ports.environ, ports.clock)
        workspaces.recorded = repairer.gate.provenance
        prints = Prints(state, contents, tables)
        gatherer = Gatherer(state, contents, workspaces, prints, policy, ports.clock, journal.key)
        answers = Answers(state, recorder, repairer, gatherer, workspaces, policy, ports.clock)
        sets = Sets(state, recorder, repairer, workspaces, answers, policy, ports.clock)
        witness = Witness(state, recorder, contents, workspaces, Editing(workspaces), policy, ports.clock)
        intake.saw = witness.editing.saw
        gatherer.is_committed = witness.is_committed
        judge = Judge(
            state,
            contents,
            workspaces,
            gatherer,
            repairer,
            answers,
            sets,
            tables,
            prints,
            witness,
            degraded,
            policy,
            ports.clock,
        )
        repairer.wrote = judge.pulse.beat
        handles = []
        for root in self.roots:
            if root.why == "decided" and state.workspace_at(root.path) is None:
                self.roots = tuple(each for each in self.roots if each is not root)  # it was moved to one before it
                continue
            self._go_on()
            handles.append(workspaces.register(root.path, root.mode, root.profile))
        history = IndexHistory(reader, lambda: recorder.index_complete)
        together = Together(state, recorder, repairer, contents, history.version_with)
        ender = PlanEnder(state, journal, contents, recorder, workspaces, repairer, together)
        ender.end_all()
        before = state.last_seq
        intake.came_back = lambda handle: judge.call(lambda: ender.end_late(handle, before))
        secrets = SecretWatch(
            state,
            recorder,
            contents,
            veil,
            degraded,
            journal.key,
            workspaces.role,
            policy,
            [bytes.fromhex(mark) for mark in config.secrets.ignore],
            scan=config.secrets.scan,
        )
        looker = Looker(state, workspaces, veil, journal.key, ports.environ, home_of(ports.environ))
        loads = LoadWatch(
            state, recorder, workspaces, judge, looker, degraded, ports.clock, policy.waits, config.rescan_seconds
        )
        teller.judge, teller.secrets, teller.loads = judge, secrets, loads
        watcher = Watcher(
            intake.sink,
            degraded=intake.watcher_degraded,
            make_backend=ports.watch_backend,
            poll_s=config.poll_ms / 1000,
        )
        intake.watcher = watcher
        watcher.start()
        stack.callback(watcher.stop)
        for handle in handles:
            self._go_on()
            intake.add(handle)
        judge.recorded([file.id for file in state.files.values() if file.since])
        judge.start()
        stack.callback(judge.stop)
        secrets.start()
        stack.callback(secrets.stop)
        intake.start()
        stack.callback(intake.stop)
        commands = Commands(state, recorder, repairer, contents, history, together)
        parts = Parts(
            state=state,
            journal=journal,
            reader=reader,
            recorder=recorder,
            workspaces=workspaces,
            intake=intake,
            judge=judge,
            repairer=repairer,
            commands=commands,
            together=together,
            contents=contents,
            degraded=degraded,
            hub=hub,
            clock=ports.clock,
            secrets=secrets,
            loads=loads,
            weakening=Weakening(state, recorder, ports.clock, config.people.request_days),
            state_dir=self.state_dir,
            socket=self.socket,
            started_ns=ports.clock.wall_ns(),
            observing=self._request.observe,
        )

        def drop() -> None:
            tables.drop()
            prints.drop()

        forgetting = Forgetting(parts, veil, drop, config.forget.erase_after_hours)
        stack.callback(forgetting.stop)
        self.service = Daemon(parts, forgetting, ports.environ, ports.jobs)
        self._bootcards = Keeping(parts, self.service.bootcards)
        stack.callback(self._bootcards.stop)
        looker.pins = self.service.pins.pins_of
        loads.start()
        stack.callback(loads.stop)
        self.service.self_rotating.start()
        stack.callback(self.service.self_rotating.stop)
        self.service.scheduler.start()
        stack.callback(self.service.scheduler.stop)
        carrying = Carrying(parts, self.service, ports.environ, self._notify_by(self.service, teller))
        carrying.take(config)
        stack.callback(carrying.stop)
        bootcards, forget = self._bootcards, forgetting
        self._reloading = Reloading(
            parts,
            self._read,
            lambda before: read(self._request.config, ports.environ, before),
            lambda config: self._chosen(config, state),
            (
                self.service.take,
                carrying.take,
                lambda config: forget.take(config.forget.erase_after_hours),
                lambda _config: bootcards.take(),
                lambda config: self._heartbeat.take(config) if self._heartbeat is not None else None,
            ),
            tell_degraded,
        )
        self._heartbeat = self.service.heartbeat = Heartbeat(parts, ports.environ, self.service.degraded)
        self._heartbeat.take(config)
        stack.callback(self._heartbeat.stop)
        self.service.asked_reloads = self._asked_reloads
        stack.callback(self._asked_reloads.close)
        face = self._make_face(self.service, self.socket)
        face.start()
        stack.callback(face.stop)
        self.socket = os.fsdecode(face.path)
        self._tending = Tending(parts, lambda: face.alive, tell_degraded, forgetting, [self.service.scheduler.pulse])
        log.info("ready", workspaces=len(self.roots), files=len(state.files), socket=self.socket, pid=os.getpid())

    def _notify_by(self, service: Daemon, teller: Teller) -> Callable[[Notifier | None], None]:
        def tell(notifier: Notifier | None) -> None:
            service.notifier = teller.notifier = notifier

        return tell

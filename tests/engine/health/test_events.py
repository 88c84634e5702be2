"""The hub: bounded queues that never hold the recorder up."""

from __future__ import annotations

from conductd.engine.health.events import QUEUE, Hub
from conductd.views import EventView


def event(seq: int) -> EventView:
    return EventView(seq, "", 0, "notice", "", "", "", "", "info", "", "", None, "", {})


def test_every_listener_gets_every_event_in_order() -> None:
    hub = Hub()
    one, two = hub.subscribe(), hub.subscribe()
    hub.publish([event(1), event(2)])
    assert [e.seq for e in one.drain()] == [e.seq for e in two.drain()] == [1, 2]


def test_a_slow_listener_is_told_what_it_missed() -> None:
    hub = Hub()
    listener = hub.subscribe()
    hub.publish([event(n) for n in range(QUEUE + 7)])
    events = listener.drain()
    assert [e.kind for e in events] == ["notice"] * QUEUE + ["gap"]
    assert (events[-1].seq, events[-1].text) == (QUEUE + 6, "7 events missed")
    hub.publish([event(QUEUE + 8)])
    assert [e.kind for e in listener.drain()] == ["notice"]


def test_a_closed_listener_gets_nothing_more() -> None:
    hub = Hub()
    listener = hub.subscribe()
    listener.close()
    hub.publish([event(1)])
    assert listener.drain() == []
    assert not hub.listening


def test_a_listener_is_woken() -> None:
    hub = Hub()
    listener = hub.subscribe()
    woken: list[int] = []
    listener.set_wakeup(lambda: woken.append(1))
    hub.publish([event(1)])
    assert woken == [1]

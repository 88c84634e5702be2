"""URLs of the web as they are written, asked for at a real server."""

from __future__ import annotations

import base64

from conductd.core.notifying.wording import Message
from conductd.model import Severity
from conductd.notify.places import resolved
from conductd.notify.sending import ping, send
from support.receiver import Receiver


def test_a_user_and_a_password_of_a_url_go_into_a_header() -> None:
    with Receiver() as receiver:
        place = resolved(
            "c", f"webhook+http://me%40here:$WORD@localhost:{receiver.port}/Größe", "", {"WORD": "pä%20ss"}
        )
        assert send(place, Message("t", "b", Severity.ALARM, (1,)), {}).error == ""
        ((headers, _),) = receiver.got
        kind, word = headers["Authorization"].split()
        assert (kind, base64.b64decode(word).decode()) == ("Basic", "me@here:pä ss")
        assert headers["Host"] == f"localhost:{receiver.port}"


def test_letters_that_are_not_ascii_are_asked_for_as_a_browser_does() -> None:
    with Receiver() as receiver:
        assert ping(f"http://localhost:{receiver.port}/Größe/%C3%A4?q=ü").error == ""
        assert receiver.heard == ["/Gr%C3%B6%C3%9Fe/%C3%A4?q=%C3%BC"]

"""What is wrong with the URL of a channel, said without the URL."""

from __future__ import annotations

from http.client import HTTPConnection, NotConnected
from urllib.request import Request

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conductd.config.load import parse
from conductd.config.schema import ChannelConfig, Config
from conductd.core.notifying.urls import channel_fault, on_the_wire, web_fault, written_fault
from conductd.errors import ConfigError
from conductd.notify.places import Place, resolved
from conductd.notify.routes import routes

SECRET = "S3~CR3T"  # neither a scheme nor the name of a variable holds a `~`

URLS = st.one_of(
    st.text(max_size=40),
    st.text("[]:/@?#%$\\.x1é \t\n\0", max_size=30),
    st.builds(
        "{}://{}{}".format,
        st.sampled_from(["webhook+http", "webhook+https", "WEBHOOK+HTTP", "webhook+ftp", "http", "slack", "json", ""]),
        st.text("[]:/@?#%$\\.x1é \t\n\0", max_size=20),
        st.sampled_from(["", SECRET, f"/{SECRET}", f"?{SECRET}"]),
    ),
)


@pytest.mark.parametrize(
    "url",
    [
        "desktop",
        "webhook+https://host/path?x=y#z",
        "WEBHOOK+http://[::1]:8080/",
        "webhook+http://127.0.0.1",
        "webhook+https://user:word@bücher.example/x",
        "ntfys://topic",
        "mailto://you:pa[ss@host?name=A B",
        "foo://bar",
    ],
)
def test_what_leads_somewhere_has_no_fault(url: str) -> None:
    assert (channel_fault(url), written_fault(url)) == ("", "")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("host", "no scheme"),
        ("ht tp://x", "no scheme"),
        ("webhook+ftp://host/x", "neither webhook+http:// nor webhook+https://"),
        ("webhook://host/x", "neither webhook+http:// nor webhook+https://"),
        ("webhook+http://[X/x", "malformed"),
        ("webhook+http://host:abc/x", "malformed"),
        ("webhook+http://host:99999/x", "malformed"),
        ("webhook+http://host:0/x", "malformed"),
        ("webhook+http://a..example/x", "malformed"),
        ("webhook+http://user@/x", "no URL of the web"),
        ("webhook+http://[::1]x/x", "malformed"),
        ("webhook+http://a'b/x", "malformed"),
        (f"webhook+http://{'x' * 64}.example/x", "malformed"),
        ("webhook+http:///x", "no URL of the web"),
        ("webhook+http://a b/x", "a space"),
        ("webhook+http://host/\x01", "control character"),
        ("ntfys://", "ends after its scheme"),
        ("ntfys://x\n", "control character"),
    ],
)
def test_what_leads_nowhere_is_a_fault_of_the_configuration(url: str, said: str) -> None:
    assert said in channel_fault(url)
    text = "[[channels]]\nname = 'mine'\nurl = \"" + url.replace("\n", "\\n").replace("\x01", "\\u0001") + '"\n'
    with pytest.raises(ConfigError) as caught:
        parse(text)
    (fault,) = caught.value.faults
    assert "channels[0].url" in fault
    assert "the channel mine" in fault
    assert said in fault


@pytest.mark.parametrize(
    ("url", "is_fault"),
    [
        ("$ALL", False),
        ("$SCHEME://x", False),
        ("webhook+https://$HOST:$PORT/$PATH", False),
        ("webhook+https://[${ADDRESS}]/", False),
        ("ntfys://$TOPIC", False),
        ("webhook+ftp://$HOST", True),
        ("webhook+http://[$HOST/x", True),
    ],
)
def test_a_variable_may_hold_anything(url: str, is_fault: bool) -> None:
    assert bool(written_fault(url)) is is_fault


def test_two_channels_of_one_name_are_a_fault() -> None:
    with pytest.raises(ConfigError) as caught:
        parse("[[channels]]\nname = 'a'\nurl = 'desktop'\n" * 2)
    assert "two channels are called a" in caught.value.faults[0]


def shown(url: str) -> str:
    """What people see of a channel with this URL."""
    try:
        return resolved("mine", url, "", {}).label
    except ConfigError as error:
        return f"{error.message} {error.hint}"


@given(URLS)
@example("webhook+http://[X/x")
@example("webhook+http://\u2100/x")
@example("webhook+http://.example/x")
@example("webhook+http://[::1%]/")
def test_no_url_raises_anything_and_no_fault_holds_a_part_of_one(url: str) -> None:
    for looks in (channel_fault, web_fault, written_fault):
        assert SECRET not in looks(url)
    for kind in ("webhook", "apprise", "desktop"):
        assert SECRET not in Place(kind, url).label
    assert SECRET not in shown(url)
    (route,) = routes(Config(channels=(ChannelConfig("mine", url),)), {})
    assert (route.place is None) is bool(route.why)
    assert SECRET not in route.why


@pytest.mark.parametrize(
    ("url", "wire", "user"),
    [
        ("https://host/path?x=y#z", "https://host/path?x=y#z", ""),
        ("https://Me%40here:p%3Aw@host:8080/x", "https://host:8080/x", "Me@here:p:w"),
        ("https://token@host", "https://host", "token"),
        ("https://a@b:c@host/@", "https://host/@", "a@b:c"),
        (
            "http://Bücher.example:80/Größe/%C3%A4?q=ü",
            "http://xn--bcher-kva.example:80/Gr%C3%B6%C3%9Fe/%C3%A4?q=%C3%BC",
            "",
        ),
        ("http://u:p@[::1]:8080/é", "http://[::1]:8080/%C3%A9", "u:p"),
    ],
)
def test_what_goes_over_the_wire_is_ascii_and_names_no_user(url: str, wire: str, user: str) -> None:
    assert web_fault(url) == ""
    assert on_the_wire(url) == (wire, user)


@given(URLS.map(lambda url: url.removeprefix("webhook+")))
@example("http://u@İstanbul.example:/ \u00e9")
def test_whatever_has_no_fault_can_be_asked_for(url: str) -> None:
    if web_fault(url):
        return
    wire, _ = on_the_wire(url)
    assert wire.isascii()
    assert web_fault(wire) == ""
    assert on_the_wire(wire) == (wire, "")
    request = Request(wire)
    connection = HTTPConnection(request.host)
    connection.auto_open = 0  # no network
    with pytest.raises(NotConnected):
        connection.request("GET", request.selector, headers={"Host": request.host})


@given(URLS, st.sampled_from(["", "$", "${"]))
def test_what_is_written_is_never_refused_where_what_it_means_is_right(url: str, around: str) -> None:
    """Each URL that is right may be given whole by a variable, or as it is."""
    if not channel_fault(url) and "$" not in url:
        assert not written_fault(url)
    assert not written_fault("$URL")

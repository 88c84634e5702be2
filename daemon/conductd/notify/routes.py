"""The channels of a configuration: what is decided for each, and where it leads."""

from __future__ import annotations

import os
from collections.abc import Mapping

from conductd.config.paths import expand
from conductd.config.schema import ChannelConfig, Config
from conductd.core.notifying.routing import Channel, clock, span
from conductd.errors import ConfigError
from conductd.notify.notifier import Route
from conductd.notify.places import resolved, variables


def routes(config: Config, env: Mapping[str, str]) -> list[Route]:
    """One a channel. What cannot be used (a variable that is not set, a file that others may read) says why: the rest
    of the daemon is not to stop for it."""
    try:
        path = config.notify.env_file
        given, why = variables(expand(path, env) if path else "", env), ""
    except ConfigError as error:
        given, why = dict(env), f"{error.message}: {error.hint}"
    return [_route(each, config, given, why) for each in config.channels]


def _route(each: ChannelConfig, config: Config, given: Mapping[str, str], why: str) -> Route:
    quiet = config.notify.quiet if each.quiet is None else each.quiet
    channel = Channel(each.name, each.severity, span(quiet), each.urgent, clock(each.digest), each.an_hour)
    try:
        place = resolved(each.name, each.url, each.secret, given)
    except ConfigError as error:
        return Route(channel, None, each.include_excerpt, why or error.message)
    return Route(channel, place, each.include_excerpt)


def spool_path(state_dir: str) -> str:
    return os.path.join(state_dir, "notices.sqlite3")

"""A boot card, as the faces see it."""

from __future__ import annotations

from conductd.views.base import View


class TokensView(View, frozen=True):
    """An estimate, and the band it lies in."""

    estimate: int
    low: int
    high: int


class BootcardQuoteView(View, frozen=True):
    """``text`` stands in that line (1-based) of the file, made harmless; ``cut``: more follows there."""

    line: int
    text: str
    cut: bool


class BootcardLineView(View, frozen=True):
    """``quotes`` are empty where the line counts. ``confirmed``: nothing but a pin that a person set is quoted without
    quotation marks."""

    section: str  # "pinned" | "me" | "task" | "open" | "continued" | "QC" | "loaded whole"
    text: str
    path: str
    path_b64: str
    line: int
    source: str  # "file:line"
    confirmed: bool
    quotes: list[BootcardQuoteView]


class BootcardView(View, frozen=True):
    """``text`` is the card. ``found``: lines that belong on it, by section. ``instead_of``: the tokens of the ``files``
    that it quotes."""

    workspace: str
    workspace_b64: str
    date: str
    agent: str  # whose loader said what is loaded; "": nobody knows
    version: str
    session: str
    text: str
    lines: list[BootcardLineView]
    left_out: int
    left_out_first: str  # "file:line", or ""
    found: dict[str, int]
    not_found: list[str]
    pins: str  # "known" | "unknown": no daemon could be asked
    secrets: int  # lines not quoted because they hold one
    orders: int  # lines not quoted because they look like an order to the reader
    tokens: TokensView
    instead_of: TokensView
    files: int
    max_lines: int
    max_tokens: int
    notes: list[str]

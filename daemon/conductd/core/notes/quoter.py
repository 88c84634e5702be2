"""Lines of notes quoted with their place, without secrets and orders. Pure."""

from __future__ import annotations

from conductd.core.notes.quoting import content, cut, harmless, unbold
from conductd.core.notes.source import Source
from conductd.core.notes.withheld import Conceal, Veiled, is_order

TOKENS = 60  # of a quotation


class Quoter:
    """``withheld``: how many lines were asked for and not quoted."""

    def __init__(self, conceal: Conceal) -> None:
        self._veiled = Veiled(conceal)
        self.withheld = 0

    def text(self, source: Source, number: int, tokens: int = TOKENS) -> str | None:
        """A line (1-based) as it may be quoted, on one line and without its layout. None: it holds a secret, looks
        like an order to whoever reads it, or says nothing."""
        raw, has_secret = self._veiled.line(source, number)
        if has_secret or is_order(source.lines[number - 1]):
            self.withheld += 1
            return None
        text = unbold(harmless(content(raw))).replace('"', "'")
        return cut(text, tokens) if text else None

    def quote(self, source: Source, number: int, tokens: int = TOKENS) -> str | None:
        """`"the line" (file:line)`."""
        text = self.text(source, number, tokens)
        return None if text is None else f'"{text}" ({harmless(source.name)}:{number})'

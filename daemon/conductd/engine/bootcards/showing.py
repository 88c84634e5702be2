"""A boot card as the faces show it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from conductd.core.bootcard.card import Card, CardLine
from conductd.core.load.loaded import Load
from conductd.core.tokens import Tokens
from conductd.views import b64, shown
from conductd.views.bootcard import BootcardLineView, BootcardQuoteView, BootcardView, TokensView


def view(card: Card, root: bytes, load: Load | None, pins_known: bool, said: Sequence[str]) -> BootcardView:
    return BootcardView(
        workspace=shown(root),
        workspace_b64=b64(root),
        date=card.today.isoformat(),
        agent=load.agent if load is not None else "",
        version=load.version if load is not None else "",
        session=load.session if load is not None else "",
        text=card.text,
        lines=[_line(each) for each in card.lines],
        left_out=card.left_out,
        left_out_first=card.left_first,
        found={section.value: number for section, number in card.found},
        not_found=list(card.missing),
        pins="known" if pins_known else "unknown",
        secrets=card.secrets,
        orders=card.orders,
        tokens=_tokens(card.tokens),
        instead_of=_tokens(card.instead),
        files=card.files,
        max_lines=card.limits.lines,
        max_tokens=card.limits.tokens,
        notes=list(said),
    )


def _tokens(tokens: Tokens) -> TokensView:
    return TokensView(tokens.tokens, tokens.low, tokens.high)


def _line(line: CardLine) -> BootcardLineView:
    return BootcardLineView(
        section=line.section.value,
        text=line.text,
        path=line.name,
        path_b64=b64(line.path),
        line=line.line,
        source=f"{line.name}:{line.line}",
        confirmed=line.is_sure,
        quotes=[BootcardQuoteView(each.line, each.text, each.is_cut) for each in line.quotes],
    )

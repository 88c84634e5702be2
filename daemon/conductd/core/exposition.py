"""Figures as Prometheus reads them: the text exposition format, version 0.0.4. Pure.

Source: the Prometheus documentation, "Exposition formats". Names and labels are the caller's to choose well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conductd.model import Frozen

MEDIA = "text/plain; version=0.0.4; charset=utf-8"

COUNTER, GAUGE, SUMMARY = "counter", "gauge", "summary"


class Sample(Frozen, frozen=True):
    """``labels``: pairs, in the order in which they are shown. ``suffix``: "_sum" or "_count" of a summary."""

    value: float
    labels: tuple[tuple[str, str], ...] = ()
    suffix: str = ""


class Family(Frozen, frozen=True):
    """All samples of one name. ``kind``: COUNTER, GAUGE or SUMMARY."""

    name: str
    kind: str
    help: str
    samples: tuple[Sample, ...]


def one(name: str, kind: str, help_text: str, value: float) -> Family:
    """A family of a single sample without labels."""
    return Family(name, kind, help_text, (Sample(value),))


def text(families: Iterable[Family]) -> str:
    """The page. A family without samples is left out: what is not known has no value."""
    return "".join(line + "\n" for family in families if family.samples for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {_escaped(family.help)}"
    yield f"# TYPE {family.name} {family.kind}"
    for sample in family.samples:
        pairs = ",".join(f'{name}="{_quoted(value)}"' for name, value in sample.labels)
        yield f"{family.name}{sample.suffix}{'{' + pairs + '}' if pairs else ''} {_number(sample.value)}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n")


def _quoted(value: str) -> str:
    # Lone surrogates stand for bytes that are no UTF-8, which the page is.
    plain = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _escaped(plain).replace('"', r"\"")


def _number(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) else repr(float(value))

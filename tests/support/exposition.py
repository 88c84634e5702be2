"""A reader of Prometheus' text exposition format 0.0.4, and no more than that is taken."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)')
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? (\S+)", re.DOTALL)
_UNESCAPED = {"\\\\": "\\", "\\n": "\n", '\\"': '"'}


@dataclass
class Metric:
    kind: str
    help: str
    samples: dict[tuple[str, frozenset[tuple[str, str]]], float] = field(default_factory=dict)


def parse(page: str) -> dict[str, Metric]:
    """Families by name. Raises AssertionError for what the format does not have."""
    assert page.endswith("\n") or not page, "the last line has to end"
    found: dict[str, Metric] = {}
    helps: dict[str, str] = {}
    for line in page.split("\n")[:-1]:  # nothing else ends a line
        if line.startswith("# HELP "):
            name, _, text = line.removeprefix("# HELP ").partition(" ")
            assert name not in helps, f"{name} is explained twice"
            helps[name] = _unescaped(text)
        elif line.startswith("# TYPE "):
            name, _, kind = line.removeprefix("# TYPE ").partition(" ")
            assert kind in ("counter", "gauge", "summary"), line
            assert name not in found, f"{name} comes twice"
            assert re.fullmatch(_NAME, name), name
            found[name] = Metric(kind, helps[name])
        else:
            _sample(line, found)
    assert all(each.samples for each in found.values()), "a family without samples"
    return found


def _sample(line: str, found: dict[str, Metric]) -> None:
    match = _SAMPLE.fullmatch(line)
    assert match, f"no sample: {line!r}"
    name, labels, value = match.groups()
    newest = next(reversed(found), "")
    suffix = name.removeprefix(newest)
    assert name.startswith(newest), f"{line!r} does not follow its family"
    assert suffix == "" or (found[newest].kind == "summary" and suffix in ("_sum", "_count")), line
    key = (suffix, frozenset(_labels(labels or "")))
    assert key not in found[newest].samples, f"{line!r} comes twice"
    found[newest].samples[key] = float(value)


def _labels(text: str) -> list[tuple[str, str]]:
    found, at = [], 0
    while at < len(text):
        match = _LABEL.match(text, at)
        assert match, f"no labels: {text!r}"
        found.append((match[1], _unescaped(match[2])))
        at = match.end()
    assert len({name for name, _ in found}) == len(found), "a label is given twice"
    return found


def _unescaped(text: str) -> str:
    return re.sub(r'\\[\\n"]', lambda match: _UNESCAPED[match[0]], text)


def value(metrics: dict[str, Metric], family: str, suffix: str = "", /, **labels: str) -> float:
    """The one sample that has these labels (and perhaps others)."""
    wanted = set(labels.items())
    (found,) = [
        each for (ending, have), each in metrics[family].samples.items() if ending == suffix and wanted <= set(have)
    ]
    return found

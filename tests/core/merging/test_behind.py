"""What stood behind a stand-in comes back although something like it stands elsewhere."""

from __future__ import annotations

import pytest

from conductd.core.judging.judge import judge
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.model import EventClass
from support.cases import case

LISTS = {
    "en": ("On 2026-03-{:02} the nightly backup to birch took {} minutes", "[... previous entries unchanged ...]"),
    "de": ("Am {}. März lief die Sicherung nach birch {} Minuten lang", "(... übrige Einträge unverändert ...)"),
    "zh": ("第{}号服务器在机房，端口是50{:02}", "（其余条目不变）"),
    "ja": ("{}番のサーバーは機械室にあり、ポートは50{:02}", "（以下、変更なし）"),
    "ar": ("الخادم رقم {} في غرفة الأجهزة على المنفذ 50{:02}", "[... بقية المدخلات دون تغيير ...]"),
}


def _merged(old: str, new: str) -> list[str]:
    the_case = case(b"memory/log.md", old, new)
    found = judge(the_case, Policy())
    assert found.event_class is EventClass.PLACEHOLDER, found
    data = target(the_case, found, Policy())
    assert data is not None
    return data.decode().splitlines()


@pytest.mark.parametrize("language", LISTS)
@pytest.mark.parametrize(("first", "last", "more"), [(1, 0, 1), (0, 1, 2), (2, 1, 3), (0, 0, 1)])
def test_each_of_a_list_is_its_own_fact(language: str, first: int, last: int, more: int) -> None:
    form, mark = LISTS[language]
    lines = [f"- {form.format(n, n + 20)}" for n in range(1, 15)]
    old = lines[:10]
    new = [*old[:first], f"- {mark}", *old[10 - last :], *lines[10 : 10 + more]]
    merged = _merged("# Log\n\n" + "\n".join(old) + "\n", "# Log\n\n" + "\n".join(new) + "\n")
    assert merged[2:] == [*old, *lines[10 : 10 + more]]


@pytest.mark.parametrize("place", ["before", "after"])
def test_an_entry_beside_it_that_got_another_value_is_that_entry(place: str) -> None:
    names = ("alder", "birch", "cedar", "dogwood", "elm", "fir")
    runs = ("postgres", "restic", "nginx", "redis", "caddy", "minio")
    old = [
        f"- Server {name} runs {what} on port {5000 + n}"
        for n, (name, what) in enumerate(zip(names, runs, strict=True))
    ]
    edited = [line.replace("50", "60") for line in old]
    new = [edited[0], "- [... others unchanged ...]", old[-1]] if place == "before" else [old[0], "- [...]", edited[-1]]
    merged = _merged("# Hosts\n\n" + "\n".join(old) + "\n", "# Hosts\n\n" + "\n".join(new) + "\n")
    assert merged[2:] == ([edited[0], *old[1:]] if place == "before" else [*old[:-1], edited[-1]])

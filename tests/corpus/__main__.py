"""`make judge-report`: measures the judge on the corpus, prints the tables, writes the page and the picture.

With names of families as arguments it measures these alone and lists every change that is not right;
nothing is written then. ``--further N`` tries N other changes of each family and language that is tuned on.
"""

from __future__ import annotations

import sys
from pathlib import Path

from corpus.changes import FAMILIES
from corpus.measuring import measure
from corpus.picture import as_svg
from corpus.report import as_page, as_text, wrong
from corpus.sampling import corpus_of_changes, drawn
from corpus.set_aside import is_set_aside

DOCS = Path(__file__).parents[2] / "docs"


FIRST_FURTHER = 10  # numbers below are the corpus's own


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--further"]:
        return further(int(arguments[1]) if len(arguments) > 1 else 2)
    unknown = [name for name in arguments if name not in FAMILIES]
    if unknown:
        print(f"no such family: {', '.join(unknown)}", file=sys.stderr)
        return 2
    if arguments:
        for change in corpus_of_changes():
            if change.family in arguments:
                result = measure(change)
                print(f"{change.name}: {'right' if result.right else result.why}")
        return 0
    results = [measure(change) for change in corpus_of_changes()]
    print(as_text(results))
    (DOCS / "judge-report.md").write_text(as_page(results), encoding="utf-8")
    (DOCS / "judge-report.svg").write_text(as_svg(results), encoding="utf-8")
    return 0


def further(number: int) -> int:
    """So many other changes of every family and language that is tuned on; only what is not right is told."""
    names = [
        (family, language, count)
        for family in FAMILIES.values()
        for language in family.languages
        for count in range(FIRST_FURTHER, FIRST_FURTHER + number)
        if not is_set_aside(family.name, language)
    ]
    results = [measure(drawn(*name)) for name in names]
    print(f"{len(results)} further changes", *wrong(results), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

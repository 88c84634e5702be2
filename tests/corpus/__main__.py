"""`make judge-report`: measures the judge on the corpus, prints the tables, writes the page and the picture.

With names of families as arguments it measures these alone and lists every change that is not right;
nothing is written then.
"""

from __future__ import annotations

import sys
from pathlib import Path

from corpus.changes import FAMILIES
from corpus.measuring import measure
from corpus.picture import as_svg
from corpus.report import as_page, as_text
from corpus.sampling import corpus_of_changes

DOCS = Path(__file__).parents[2] / "docs"


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in FAMILIES]
    if unknown:
        print(f"no such family: {', '.join(unknown)}", file=sys.stderr)
        return 2
    if names:
        for change in corpus_of_changes():
            if change.family in names:
                result = measure(change)
                print(f"{change.name}: {'right' if result.right else result.why}")
        return 0
    results = [measure(change) for change in corpus_of_changes()]
    print(as_text(results))
    (DOCS / "judge-report.md").write_text(as_page(results), encoding="utf-8")
    (DOCS / "judge-report.svg").write_text(as_svg(results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Ordinary memory in every language of the corpus holds no secrets, and the scan says so."""

from __future__ import annotations

from conductd.core.forget import pieces
from conductd.secrets.scan import sightings
from corpus.sampling import corpus_of_changes

KEY = bytes(32)
MOST = 1 / 10_000  # texts that an encoding has garbled look like anything


def test_hardly_an_entry_of_the_corpus_is_taken_for_a_secret() -> None:
    seen: set[bytes] = set()
    taken: list[str] = []
    for case in (step.case for change in corpus_of_changes() for step in change.steps):
        for text in (case.baseline, *case.earlier, *case.versions, *case.elsewhere):
            for piece in pieces(text.data or b"", KEY) if text is not None else ():
                if piece.entry.fingerprint not in seen:
                    seen.add(piece.entry.fingerprint)
                    taken += [piece.entry.text] * bool(sightings(piece.entry.text))
    assert len(seen) > 5_000, "the corpus is looked through"
    assert len(taken) <= MOST * len(seen), taken

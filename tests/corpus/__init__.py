"""The labelled corpus: changes of memory files, and the decision wanted on each (docs/corpus.md)."""

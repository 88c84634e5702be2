"""A cache of the journal in SQLite, for every question that reads: history, events, incidents, undo.

Owns the tables (`schema`), their one writer (`writer`, `apply`) and the questions (`reader`, `lookup`, `rows`);
`events` words a record as an event for the live stream and the past alike. Never the truth: it can be emptied and fed
again from the journal at any time.
"""

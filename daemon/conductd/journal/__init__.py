"""The append-only record of everything, and its files on disk. Start at `journal.py`."""

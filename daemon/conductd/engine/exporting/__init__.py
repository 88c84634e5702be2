"""Copies of the history for other tools. Reads the journal, beside a daemon too; writes only where it is told."""

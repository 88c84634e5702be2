"""The configuration of a running daemon: read with the last good one to fall back on, read again, put into force."""

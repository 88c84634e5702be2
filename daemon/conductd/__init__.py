"""conductd: keeps the memory files of coding agents whole."""

__version__ = "0.1.0"

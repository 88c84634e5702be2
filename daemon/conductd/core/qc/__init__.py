"""The nightly quality check of memory: each check a pure function over gathered facts. Pure."""

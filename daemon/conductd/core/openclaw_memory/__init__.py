"""OpenClaw's memory tools as rules: which files are memory, what `memory_get` answers, the collections of QMD.

Pure; the disk is read by `agents.openclaw_memory*`.
"""

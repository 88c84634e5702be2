"""Gathers the facts that `conductd doctor` judges: read-only looks at the machine, workspaces and agents.

Decides nothing; what a fact means is `core.doctor`'s. Never raises for what a file system can answer: what could not be
found out is None.
"""

"""The test entry point: the real daemon with some of its ports replaced. Never in the wheel."""

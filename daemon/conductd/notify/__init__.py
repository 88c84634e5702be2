"""Carries notices to people: what waits is on disk, each channel has a thread, each attempt a process of its own."""

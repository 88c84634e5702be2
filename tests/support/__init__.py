"""What tests of several parts share: the real daemon as a process, its API, a person's terminal."""

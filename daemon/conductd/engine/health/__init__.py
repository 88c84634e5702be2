"""How the daemon is: degraded reasons, threads that hang, logs, the picture for status."""

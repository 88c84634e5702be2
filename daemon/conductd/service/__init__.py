"""How an operating system runs the daemon: what systemd and launchd are told and expect."""

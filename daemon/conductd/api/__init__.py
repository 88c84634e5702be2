"""The HTTP face: a Unix socket that only its owner may speak to, and the client for it."""

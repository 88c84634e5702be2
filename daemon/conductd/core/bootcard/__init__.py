"""The boot card: what an agent must know at its start, on one page, each line with its place. Pure."""

"""The jobs of the night: when they are due, and the facts of a day that they are given. Pure."""

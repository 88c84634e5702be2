"""The jobs of the night in the daemon: when they run, what they are given, where their texts are written."""

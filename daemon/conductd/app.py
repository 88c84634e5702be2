"""The composition root: wires every part, starts in order, stops in reverse."""

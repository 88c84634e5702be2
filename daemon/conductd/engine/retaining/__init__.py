"""How long the content of versions is kept: what may go, taken out of the journal, and how much room is left."""

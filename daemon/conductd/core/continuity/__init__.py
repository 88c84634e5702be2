"""Pages of unfinished work: which tasks the notes speak of, and what stands on the page of each. Pure."""

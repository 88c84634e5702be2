"""What the journal says, folded into memory: the state and its parts."""

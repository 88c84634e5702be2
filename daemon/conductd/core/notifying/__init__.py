"""Which notice goes to whom, when, and in which words. Pure."""

"""From a hint to a durable version: the intake and recorder threads."""

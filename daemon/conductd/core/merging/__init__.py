"""The bytes that a repair or a proposal writes."""

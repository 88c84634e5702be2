"""The checkpoint before an agent starts anew: what the day brought into its files, quoted. Pure."""

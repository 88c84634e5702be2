"""What the judge is given: versions, other texts, ledgers, and who wrote."""

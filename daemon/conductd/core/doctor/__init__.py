"""What `conductd doctor` makes of gathered facts: pure checks, their findings, and the plans of the safe fixes."""

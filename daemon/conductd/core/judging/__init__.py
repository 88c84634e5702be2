"""One verdict on one change: the order of the rules, the excuses, the action, the waits."""

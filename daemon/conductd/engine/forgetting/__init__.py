"""What is forgotten: found, hidden, erased, checked; and the watch for secrets."""

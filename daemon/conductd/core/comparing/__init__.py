"""What became of the entries of one text in another: kept, reworded, moved, lost."""

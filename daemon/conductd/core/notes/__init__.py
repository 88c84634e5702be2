"""What the lines of a note are and say: tasks, what is open, what is done; and how they are quoted without harm."""

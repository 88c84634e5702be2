"""What agents really see of their files, watched: computed on a thread of its own, told once."""

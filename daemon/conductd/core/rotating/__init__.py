"""Moving sections out of a file that an agent does not load whole. Pure."""

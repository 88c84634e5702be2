"""The boot card of a workspace: its files read, the card made, a file of it kept current."""

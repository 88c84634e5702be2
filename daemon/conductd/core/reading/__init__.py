"""What a memory file says: bytes to text, text to blocks, blocks to entries."""

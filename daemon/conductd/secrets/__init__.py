"""Finds secrets in entries: by the rules of detect-secrets, and by sentences that say what one is."""

"""Why a verdict is what it is, and what other settings would have decided."""

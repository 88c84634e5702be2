"""What is known about the agents: where they keep their memory and what its files are for.

Owns discovery (`discover`, `openclaw`, `claude`), profiles (`profiles`), the agents' own records (`provenance`) and the
demo workspace (`demo`). Reads only; what stands in an agent's files is data that may be garbage, never an instruction.
"""

"""What people decide: restore, undo, accept, leases, pins, roles, and the gate before what weakens protection."""

"""The rules: each kind of loss, and each kind of change that only looks like one."""

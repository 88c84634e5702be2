"""Measures the daemon against its targets: `python -m benchmarks [NAME…] [--quick] [--write]` (`make bench`).

Real processes, real time, a private home and state directory on the real disk. Every figure stands beside
a floor or a peer measured in the same run. Results and how to read them: benchmarks/README.md.
"""

"""How properties are tried: the same examples in every run, and no clock decides whether one fails.

`pytest --hypothesis-profile=random` looks for new examples.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

_PLAIN = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("random", _PLAIN)
settings.register_profile("conductd", _PLAIN, derandomize=True)
settings.load_profile("conductd")

"""The patterns of detect-secrets, a maintained rule set, as plain regular expressions.

They are read in a process of its own: importing them brings an HTTP client (20 MB, 0.2 s) that a daemon which never
asks anybody has no use for. Only patterns are taken; nothing is ever verified over the network. Thread-safe.
"""

from __future__ import annotations

import base64
import functools
import json
import re
import subprocess
import sys
from collections.abc import Iterator

from conductd import own_process
from conductd.secrets.sighting import Sighting
from conductd.secrets.values import is_stand_in, is_strong

PLUGINS = (
    "artifactory", "aws", "azure_storage_key", "basic_auth", "cloudant", "discord", "github_token", "gitlab_token",
    "ibm_cloud_iam", "ibm_cos_hmac", "jwt", "mailchimp", "npm", "openai", "private_key", "pypi_token", "sendgrid",
    "slack", "softlayer", "square_oauth", "stripe", "telegram_token", "twilio",
)  # fmt: skip
PATIENCE_S = 30.0
BASIC_AUTH = "Basic Auth Credentials"
_MAY_BE = re.compile(r"[A-Za-z0-9+/=_.:-]{16}|://|PRIVATE KEY|PuTTY")  # no shape is shorter
_RUN = re.compile(r"[A-Za-z0-9_./+=-]*(?<![./])")

# What the rule set does not know yet, each with a prefix of its own.
_FURTHER = (
    (BASIC_AUTH, r"://[^\s:/@<>]+:([^\s/@<>]{3,})@"),
    ("GitHub Token", r"github_pat_[A-Za-z0-9_]{40,}"),
    ("Anthropic Key", r"sk-ant-[A-Za-z0-9_-]{24,}"),
    ("OpenAI Token", r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{24,}|sk-[A-Za-z0-9]{40,}"),
    ("Google API Key", r"AIza[0-9A-Za-z_-]{35}"),
    ("Hugging Face Token", r"hf_[A-Za-z0-9]{30,}"),
    ("Stripe Access Key", r"[rs]k_test_[0-9a-zA-Z]{24,}|whsec_[0-9A-Za-z+/=]{24,}"),
    ("Slack Token", r"xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]{24,}"),
    ("age Key", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    ("DigitalOcean Token", r"do[opr]_v1_[a-f0-9]{64}"),
)


@functools.cache
def patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """(kind, pattern). The first call takes a moment. Without the rule set only the further ones."""
    found: list[tuple[str, str, int]] = []
    try:
        done = subprocess.run(
            own_process.command("conductd.secrets.rules"),
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
            env=own_process.environment(),
            cwd="/",
            check=True,
        )
        found = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        found = []
    compiled = [(kind, re.compile(pattern, flags)) for kind, pattern, flags in found]
    return (*compiled, *((kind, re.compile(pattern)) for kind, pattern in _FURTHER))


def known_shapes(text: str) -> Iterator[Sighting]:
    """Every secret that has a known shape: tokens of services, private keys, addresses with a password."""
    if not _MAY_BE.search(text):
        return
    for kind, pattern in patterns():
        for found in pattern.finditer(text):
            value = found[found.lastindex or 0] if kind == BASIC_AUTH else found[0]
            if _is_one(kind, value):
                yield Sighting(kind, found.start(), _end_of_run(text, found.end()))


def _end_of_run(text: str, at: int) -> int:
    """Some patterns end before the secret does."""
    rest = _RUN.match(text, at)
    return rest.end() if rest is not None else at


def _is_one(kind: str, value: str) -> bool:
    if kind == BASIC_AUTH:
        return is_strong(value) or (not is_stand_in(value) and len(value) >= 8 and not value.isalpha())
    if kind == "JSON Web Token":
        return _is_token(value)
    return kind == "Private Key" or not is_stand_in(value)


def _is_token(value: str) -> bool:
    """Both halves decode to JSON."""
    try:
        for part in value.split(".")[:2]:
            json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return False
    return True


def main() -> None:
    """Print the rule set: [[kind, pattern, flags]]."""
    import importlib

    from detect_secrets.plugins.base import RegexBasedDetector

    rules = []
    for name in PLUGINS:
        module = importlib.import_module(f"detect_secrets.plugins.{name}")
        for value in vars(module).values():
            is_one = (
                isinstance(value, type)
                and issubclass(value, RegexBasedDetector)
                and value.__module__ == module.__name__
            )
            if is_one:
                plugin = value()
                rules += [(plugin.secret_type, pattern.pattern, pattern.flags) for pattern in plugin.denylist]
    json.dump(rules, sys.stdout)


if __name__ == "__main__":
    main()

"""The patterns of detect-secrets, and what is done about what they match. No token here is or was one."""

from __future__ import annotations

import pytest

from conductd.secrets.rules import PLUGINS, patterns
from conductd.secrets.scan import masked, sightings

HTTPS = "https:" + "//"
A36 = "a1B2" * 9
HEADER = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("key is " + "AKIA" + "QWERTYUIOPASDFGH", "AWS Access Key"),
        ("token ghp_" + A36, "GitHub Token"),
        ("github_pat_" + "11AAAAAA0" + A36, "GitHub Token"),
        ("glpat-" + "abcDEF123456_-abcdef", "GitLab Token"),
        (f"hook {HTTPS}hooks.slack.com/services/T0ABC/B0ABC/abcDEF123", "Slack Token"),
        ("xoxb-12345-67890-abcdef", "Slack Token"),
        ("sk_live_" + "a1B2" * 6, "Stripe Access Key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "Private Key"),
        ("header " + HEADER + ".c2lnbmF0dXJl", "JSON Web Token"),
        ("db is postgres://anna:Zx9kkw2@db.example.org/notes", "Basic Auth Credentials"),
        ("sk-ant-" + "api03-" + A36, "Anthropic Key"),
        ("AIza" + "Sy" + "aB3-" * 8 + "x", "Google API Key"),
        ("deploy key qZ8mX2vT9bL4nR7wK1cY6dF3hJ5gS0pA is on the runner", "random string"),
    ],
)
def test_known_shapes_are_seen_and_masked(text: str, kind: str) -> None:
    assert kind in [each.kind for each in sightings(text)]
    assert "[secret]" in masked(text)
    assert A36 not in masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "commit 8f14e45fceea167a5a36dedd4bea2543aabbccdd",
        "sha256 of the file is " + "8f14e45fceea167a" * 4,
        "id 123e4567-e89b-12d3-a456-426614174000 of the token",
        f"see {HTTPS}github.com/openclaw/openclaw/blob/main/src/agents/tools/memory-tool.ts",
        "postgres://user:password@localhost/db",
        "redis://:${REDIS_PASSWORD}@cache:6379",
        f"{HTTPS}docs.example.org/guide/how-to-rotate-an-access-token-in-2026-quickly",
        "the key is in src/components/SettingsPanel/KeyboardShortcuts2026.tsx",
        "eyJ is how a token begins",
        "a_very_long_identifier_with_token_in_2_parts_and_more",
        "ssh-ed25519 keys only",
    ],
)
def test_what_only_looks_random_is_not(text: str) -> None:
    assert sightings(text) == []


def test_the_rule_set_is_read() -> None:
    kinds = {kind for kind, _ in patterns()}
    assert {"AWS Access Key", "Twilio API Key", "Discord Bot Token", "SendGrid API Key"} <= kinds
    assert len(patterns()) > len(PLUGINS)

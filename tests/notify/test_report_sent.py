"""A report goes out with its page: to a real web server and a real mail server on loopback, over a restart too."""

from __future__ import annotations

import base64
import email
import email.policy
from pathlib import Path

import pytest

from core.report.reading import Page, of_chat
from support.daemon import Daemon
from support.mailbox import Mailbox
from support.receiver import Receiver
from support.until import until

DAY_MS = 24 * 3_600_000
JOBS = '[jobs]\ntimezone = "UTC"\n'


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "MEMORY.md").write_text("# Memory\n\n- one thing worth keeping\n")
    return root


def reported(receiver: Receiver) -> list[dict[str, object]]:
    return [each for each in receiver.bodies() if each["notices"][0]["class"] == "report"]


def test_a_webhook_gets_the_page_inline_also_after_a_restart(tmp_path: Path, workspace: Path) -> None:
    with Receiver() as receiver:
        receiver.answer = 503
        config = (
            JOBS
            + f'[[channels]]\nname = "hook"\nurl = "webhook+http://localhost:{receiver.port}/"\nseverity = "info"\n'
        )
        with Daemon(tmp_path / "d", [workspace], config=config, jobs=None) as daemon:
            daemon.pass_time(DAY_MS)
            until(lambda: reported(receiver), "an attempt")
            daemon.stop()
            receiver.answer, receiver.got = 200, []
            daemon.start()
            daemon.pass_time(3_600_000)
            until(lambda: reported(receiver), "the report")
            told = reported(receiver)[0]
            (page,) = told["attachments"]  # type: ignore[misc]
            html = base64.b64decode(page["base64"]).decode()
            kept = next((daemon.state_dir / "reports").glob(f"*/report/{page['name']}"))
            assert html == kept.read_text()
            assert page["media_type"] == "text/html"
            figures = next(line for line in str(told["body"]).splitlines() if line.startswith("versions "))
            assert Page(html).figures == of_chat(figures)
            assert "worth keeping" not in html + str(told["body"])


def test_a_mail_has_the_page_attached(tmp_path: Path, workspace: Path) -> None:
    with Mailbox() as box:
        config = JOBS + f'[[channels]]\nname = "mail"\nurl = "{box.url}"\nseverity = "info"\n'
        with Daemon(tmp_path / "d", [workspace], config=config, jobs=None) as daemon:
            daemon.pass_time(DAY_MS)
            until(lambda: any(b"report" in each for each in box.got), "the report")
        mails = [email.message_from_bytes(each, policy=email.policy.default) for each in box.got]
        pages = [part for mail in mails for part in mail.walk() if (part.get_filename() or "").endswith(".html")]
        assert pages
        assert Page(pages[0].get_content()).problems == []

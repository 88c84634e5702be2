"""A text that is no memory in place of one: errors, refusals, reports, pages, patches, JSON, wrappings.

And notes about such things, which are notes."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest

from conductd.core.judging.judge import judge
from conductd.core.losses.wrapping import unwrap
from conductd.core.merging.offer import offered
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.model import Action, EventClass
from scenarios.texts import memory
from support.cases import case, judged, written

OLD = memory(3, 4, 23)
PATHS = [b"MEMORY.md", b"AGENTS.md", b"memory/2026-03-08.md"]

ERRORS = [
    "Error: 429 Too Many Requests\n",
    'Traceback (most recent call last):\n  File "/a/b.py", line 3, in <module>\n    main()\nValueError: bad value\n',
    "Error: ENOENT: no such file or directory, open '/x'\n    at Object.openSync (node:fs:601:3)\n"
    "    at f (node:fs:4)\n",
    "node:internal/modules/cjs/loader:1147\n  throw err;\n  ^\n\nError: Cannot find module '/x'\n"
    "    at M (node:a:1:2)\n",
    "cat: MEMORY.md: No such file or directory\n",
    "bash: line 1: foo: command not found\n",
    '{"error":{"type":"rate_limit_error","message":"This request would exceed your rate limit"}}\n',
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    "Request timed out.\n",
    "API Error: 500 Internal Server Error\n",
    "HTTP 503 Service Unavailable\n",
    "# Memory\n\nError: rate limit exceeded, please retry after 20 seconds\n",
    "Fehler: Datei nicht gefunden\n",
    "错误：无法读取文件\n",
    "エラー: ファイルが見つかりません\n",
    "خطأ: تعذر قراءة الملف\n",
    "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n"
    "\t/tmp/x.go:8 +0x1d\nexit status 2\n",
    "java.lang.NullPointerException: x\n\tat com.foo.Bar.baz(Bar.java:3)\n\tat com.foo.Bar.main(Bar.java:9)\n",
    "Connection refused\n",
    "fatal: not a git repository (or any of the parent directories): .git\n",
    "Tool execution failed: file is locked\n",
    "[ERROR] Failed to read file: /x\n",
    "Could not connect to the server\n",
    "This model's maximum context length is 8192 tokens.\n",
    "<Error><Code>AccessDenied</Code></Error>\n",
    '{"detail": "Not Found"}',
]
REFUSALS = [
    "I'm sorry, I can't help with that.\n",
    "I cannot assist with this request.\n",
    "As an AI language model, I don't have memory.\n",
    "Es tut mir leid, ich kann dabei nicht helfen.\n",
    "Je suis désolé, je ne peux pas vous aider.\n",
    "Lo siento, no puedo ayudarte con eso.\n",
    "抱歉，我无法完成这个请求。\n",
    "申し訳ありませんが、そのリクエストにはお応えできません。\n",
    "죄송합니다. 요청을 처리할 수 없습니다.\n",
    "عذراً، لا أستطيع مساعدتك في ذلك.\n",
    "К сожалению, я не могу помочь с этим.\n",
]
REPORTS = [
    "The file /home/x/MEMORY.md has been updated.\n",
    "Successfully wrote 42 bytes to MEMORY.md\n",
    "File created successfully at: /x/MEMORY.md\n",
    "Done. I've updated your memory file with the details.\n",
    "<tool_use_error>File has not been read yet.</tool_use_error>\n",
    "(no content)\n",
    "文件已更新。\n",
]
PAGES = [
    "<!DOCTYPE html>\n<html>\n<head><title>404 Not Found</title></head>\n<body>\n\n"
    "<h1>Not Found</h1>\n\n</body>\n</html>\n",
    "<html><body><form action='/login'></form>\n\nPlease log in to go on with your account\n\n</body></html>",
    "\n<!-- saved -->\n<!doctype HTML>\n<html lang=en>\n\nAccept the terms to use this network\n\n</html>",
]
PATCHES = [
    "diff --git a/M b/M\n--- a/M\n+++ b/M\n@@ -1,3 +1,4 @@\n # Memory\n \n+- a brand new note about tea\n ## People\n",
    "*** Begin Patch\n*** Update File: MEMORY.md\n@@\n-- old\n+- new thing to remember\n*** End Patch\n",
    "<<<<<<< SEARCH\n- one old entry\n=======\n- one new entry that is better\n>>>>>>> REPLACE\n",
]
CALLS = [
    '{"name": "write", "arguments": {"path": "MEMORY.md", "text": "x"}}',
    '[{"type": "tool_use", "name": "edit", "input": {"path": "MEMORY.md"}}]',
]
WORDS_TEXT = """
{} [] null None undefined NO_REPLY unchanged HEARTBEAT_OK OK Done. "" true 完成 已完成。 Success Fertig. 了解しました
"""
WORDS = WORDS_TEXT.split()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("rule", "text"),
    [
        *(("error-text", text) for text in ERRORS),
        *(("refusal-text", text) for text in REFUSALS),
        *(("tool-report", text) for text in REPORTS),
        *(("html-page", text) for text in PAGES),
        *(("patch-text", text) for text in PATCHES),
        *(("json-text", text) for text in CALLS),
        *(
            ("stand-in", text)
            for text in [*WORDS, "[object Object]", "# Memory\n\n## People\n\nNO_REPLY\n", "```\n```"]
        ),
    ],
)
def test_it_is_taken_back_and_not_merged(path: bytes, rule: str, text: str) -> None:
    verdict = judged(path, OLD, text)
    assert (verdict.event_class, verdict.action, verdict.rule) == (EventClass.OVERWRITE, Action.REVERT, rule)


@pytest.mark.parametrize(
    "data", [b"%PDF-1.4\n1 0 obj\n<< >>\nendobj\nsome words of a text\n", bytes(range(1, 256)) * 9]
)
def test_a_file_of_another_kind_is_taken_back(data: bytes) -> None:
    assert judged(b"MEMORY.md", OLD, data).rule == "binary-file"
    assert judged(b"MEMORY.md", OLD, data).action is Action.REVERT


def test_what_was_written_after_it_is_kept_without_it() -> None:
    page, later = PAGES[1], "\n\n- Kim wrote this by hand afterwards\n"
    versions = (written(101, page, 0.0, "agent:a"), written(102, page + later, 5.0, "human:vim"))
    the_case = case(b"MEMORY.md", OLD, *versions)
    data = target(the_case, judge(the_case, Policy()), Policy())
    assert data is not None
    assert data.decode().startswith(OLD.rstrip())
    assert b"afterwards" in data
    assert b"html" not in data


@pytest.mark.parametrize(
    "new",
    [
        "# Errors we saw\n\n- Error: ENOENT when the cache directory is missing\n"
        "- Permission denied on the socket: chown it\n",
        "<h1>Memory</h1>\n\n<ul>\n<li>Kim likes tea in the morning</li>\n</ul>\n\n- Oslo office opens in June\n",
        "Unfortunately the sea trip was cancelled because of the storm warning.\n\nWe stayed home and baked bread.\n",
        "I've updated my phone plan with the new provider on Monday.\n\nWe stayed home and baked bread.\n",
        "1: wake up at six\n2: feed both cats\n3: walk to the office by the river\n4: lunch with Omar\n",
        "# How conflicts look\n\nGit writes marks into the text:\n\n```diff\n@@ -1 +1 @@\n-a\n+b\n```\n",
        "Sorry for the mess in the kitchen, wrote Lena, and she baked a cake.\n",
        "# Deploy\n\nnote: the quota is 5 GB and the request to raise it is open\n",
    ],
)
def test_notes_about_such_things_are_merged_like_any(new: str) -> None:
    verdict = judged(b"MEMORY.md", OLD, new)
    assert (verdict.event_class, verdict.action, verdict.rule) == (EventClass.OVERWRITE, Action.MERGE, "mostly-lost")


@pytest.mark.parametrize(
    "text", [*ERRORS[:3], REPORTS[0], "```\n" + ERRORS[1] + "```\n", "\n<div>\n<p>Some HTML</p>\n</div>\n"]
)
def test_added_to_the_text_it_is_nobody_s_business(text: str) -> None:
    assert judged(b"MEMORY.md", OLD, f"{OLD}\n{text}").action is Action.RECORD


def test_notes_that_are_errors_are_rewritten_freely() -> None:
    old = (
        "# Trouble\n\nError: ENOENT when the cache is missing; run make cache first.\n\n"
        "Error: 429 from the API: wait.\n"
    )
    new = (
        "# Trouble\n\nError: EACCES when root owns the socket; chown it.\n\nError: 503 means a deploy is running now.\n"
    )
    assert judged(b"memory/trouble.md", old, new).rule != "error-text"


# --------------------------------------------------------------------------- wrappings


def numbered(text: str, between: str) -> str:
    return "".join(f"{number:6}{between}{line}\n" for number, line in enumerate(text.splitlines(), 1))


@pytest.mark.parametrize(
    "wrapped",
    [
        numbered(OLD, "→"),
        numbered(OLD, "\t"),
        json.dumps({"content": OLD}),
        json.dumps({"path": "MEMORY.md", "content": OLD}, indent=2),
        json.dumps([{"type": "text", "text": OLD}]),
        json.dumps(OLD),
        OLD.replace("\n", "\\n"),
        "content: |\n" + "".join(f"  {line}\n" for line in OLD.splitlines()),
        b64encode(OLD.encode()).decode() + "\n",
        repr(OLD),
    ],
)
def test_the_whole_text_in_a_wrapping_is_put_back(wrapped: str) -> None:
    verdict = judged(b"MEMORY.md", OLD, wrapped)
    assert (verdict.event_class, verdict.action, verdict.rule) == (EventClass.OVERWRITE, Action.REVERT, "wrapped")
    inside = unwrap(wrapped.encode())
    assert inside is not None
    assert inside.inside.decode().strip() == OLD.strip()


@pytest.mark.parametrize(
    "wrap", [lambda t: numbered(t, "→"), lambda t: json.dumps({"content": t}), lambda t: json.dumps(t)]
)
def test_with_something_new_inside_it_is_offered_without_the_wrapping(wrap) -> None:  # type: ignore[no-untyped-def]
    more = OLD + "- a new note on the order of the tea\n"
    wrapped = wrap(more)
    verdict = judged(b"MEMORY.md", OLD, wrapped)
    assert (verdict.action, verdict.rule) == (Action.PROPOSE, "wrapped")
    back = offered(verdict.rule, OLD.encode(), wrapped.encode(), verdict.change.lost)
    assert back.decode().strip() == more.strip()


@pytest.mark.parametrize(
    "wrap",
    [
        "```markdown\n{}```\n",
        "```md\n{}```",
        "Here is the new file:\n\n```markdown\n{}```\n",
        "````\n{}````\n",
        "<content>\n{}</content>\n",
        "cat > M.md << 'EOF'\n{}EOF\n",
    ],
)
def test_a_fence_around_all_of_it_is_layout(wrap: str) -> None:
    fenced = wrap.format(OLD)
    assert (found := judged(b"MEMORY.md", OLD, fenced)).action is Action.RECORD, found
    assert (found := judged(b"MEMORY.md", fenced, OLD)).action is Action.RECORD, found


def test_a_list_somebody_numbered_is_no_wrapping() -> None:
    old = "wake up at six\n\nfeed both cats\n\nwalk to the office\n\nlunch with Omar\n"
    new = "1. wake up at six\n2. feed both cats\n3. walk to the office\n4. lunch with Omar\n"
    assert judged(b"MEMORY.md", old, new).action is Action.RECORD


# --------------------------------------------------------------------------- content that is kept elsewhere


def test_pointers_and_dehydrated_files_are_asked_about() -> None:
    pointer = "version https://conductd/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
    for text in (pointer, "/annex/objects/SHA256E-s31--ab12.md\n", b"\0" * len(OLD.encode())):
        verdict = judged(b"MEMORY.md", OLD, text)
        assert (verdict.event_class, verdict.action) == (EventClass.OVERWRITE, Action.PROPOSE), text
        now = text.encode() if isinstance(text, str) else text
        assert offered(verdict.rule, OLD.encode(), now, verdict.change.lost, now) == OLD.encode()


# --------------------------------------------------------------------------- messages in sentences

MESSAGES = [
    "请求超时，请稍后再试",
    "网络错误，请重试",
    "无法打开文件，权限不足",
    "要求がタイムアウトしました。あとでもう一度お試しください",
    "サーバーとの接続に失敗しました",
    "요청 시간이 초과되었습니다. 나중에 다시 시도하세요.",
    "انتهت مهلة الطلب، يرجى المحاولة مرة أخرى",
    "Zeitüberschreitung der Anforderung, bitte später erneut versuchen",
    "Der Dienst ist überlastet, bitte versuchen Sie es später erneut.",
    "Le délai d'attente est dépassé, veuillez réessayer plus tard.",
    "Se agotó el tiempo de espera, inténtelo de nuevo más tarde",
    "O serviço está ocupado. Tente novamente mais tarde.",
    "Servizio non disponibile, riprovare più tardi",
    "Превышено время ожидания, повторите попытку позже",
    "The service is busy right now, please try again later.",
    "[Request interrupted by user]",
]
STUBS = [
    "This file is available online only. Open the sync client to download it.",
    "The file has not been downloaded yet.",
    "Diese Datei ist nur online verfügbar. Zum Laden den Abgleich öffnen.",
    "Ce fichier est disponible en ligne uniquement.",
    "Este archivo solo está disponible en línea.",
    "Questo file è disponibile solo online.",
    "此文件仅在云端可用。请打开同步客户端下载。",
    "このファイルはオンラインでのみ利用できます。同期ソフトを開いてください。",
    "이 파일은 온라인에서만 사용할 수 있습니다.",
    "هذا الملف متاح عبر الإنترنت فقط.",
    "Этот файл доступен только онлайн.",
]
NOTES_ABOUT_THEM = [
    "Anna says the printer times out on Mondays; she tries again after lunch",
    "Die Datei mit den Gästen liegt bei Anna im Büro, online steht nur das Menü",
    "プリンターは月曜日に失敗することが多いので昼休みの後に試す",
    "打印机周一经常超时，午饭后再试就好",
]


@pytest.mark.parametrize("text", MESSAGES)
@pytest.mark.parametrize("form", ["{}", "{}\n", "# Memory\n\n{}\n"])
def test_a_message_in_any_language_is_no_entry(text: str, form: str) -> None:
    found = judged(b"MEMORY.md", OLD, form.format(text))
    assert (found.rule, found.action) == ("error-text", Action.REVERT)


@pytest.mark.parametrize("text", STUBS)
def test_a_note_that_a_file_is_elsewhere_is_no_entry(text: str) -> None:
    the_case = case(b"MEMORY.md", OLD, f"{text}\n")
    found = judge(the_case, Policy())
    assert (found.rule, found.action) == ("pointer-file", Action.PROPOSE)
    stub = f"{text}\n".encode()
    assert offered(found.rule, OLD.encode(), stub, found.change.lost, stub) == OLD.encode()


@pytest.mark.parametrize("text", [*NOTES_ABOUT_THEM, *(f"- {text}" for text in (*MESSAGES[:-1], *STUBS))])
def test_notes_about_messages_are_kept(text: str) -> None:
    the_case = case(b"MEMORY.md", OLD, f"# Memory\n\n{text}\n")
    found = judge(the_case, Policy())
    data = target(the_case, found, Policy())
    assert found.action is Action.MERGE
    assert data is not None
    assert text in data.decode()

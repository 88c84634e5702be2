"""What a whole text is when it is no memory: an error, a refusal, a tool's report, a page, a patch, JSON, a pointer.

Owns the recognition by shape alone; whether such a text took the place of something is `core.losses.foreign_text`'s.
Notes about errors or about HTML are none of these: they have list items or headings of their own. Pure.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any

from conductd.core.losses.message_words import MESSAGE, OFFLINE, TRY_AGAIN
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import EntryTable
from conductd.core.reading.text import Encoding, decode

_LONGEST = 64 * 1024  # characters of a text that is looked at as an error or a report
_NOTES = (Kind.ITEM, Kind.ROW, Kind.FRONT_MATTER)
_MOST_PARAGRAPHS = 12
_LONGEST_JSON = 4 * 1024 * 1024


class Shape(StrEnum):
    """The name is that of the rule."""

    ERROR = "error-text"
    REFUSAL = "refusal-text"
    REPORT = "tool-report"
    PAGE = "html-page"
    PATCH = "patch-text"
    JSON = "json-text"
    POINTER = "pointer-file"
    BINARY = "binary-file"
    ZEROS = "zero-filled"


# Beginnings of files of other kinds: documents, archives, images, programs, databases.
_MAGIC = (
    b"%PDF-",
    b"{\\rtf",
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x1f\x8b",
    b"\x7fELF",
    b"SQLite format 3\0",
    b"bplist00",
    b"\xca\xfe\xba\xbe",
    b"7z\xbc\xaf",
    b"BZh",
    b"OggS",
    b"ID3",
    b"\x28\xb5\x2f\xfd",
)
_CONTROLS = bytes([*range(1, 9), *range(14, 27), *range(28, 32), 127])
_FEW_ODD, _ODD_SHARE = 8, 0.02
_ERRNO = (
    r"E(?:NOENT|ACCES|PERM|ISDIR|EXIST|NOSPC|TIMEDOUT|CONNREFUSED|CONNRESET|CONNABORTED|ROFS|NOTDIR|MFILE|BUSY|PIPE"
    r"|AI_AGAIN|NOTFOUND|HOSTUNREACH)"
)
_SHELL = (
    r"(?:[Nn]o such file or directory|command not found|not found|[Pp]ermission denied|[Ii]s a directory"
    r"|[Nn]ot a directory|[Rr]ead-only file system"
    r"|[Nn]o space left on device|[Cc]onnection (?:refused|reset by peer|timed out)|[Cc]ould not resolve host"
    r"|[Ss]yntax error|[Bb]roken pipe)"
)
_STATUS = (
    r"(?:too many requests|rate limit\w*|internal server error|bad gateway|service unavailable|gateway time-?out"
    r"|unauthori[sz]ed|forbidden"
    r"|bad request|not found|payload too large|request entity too large|overloaded|conflict|method not allowed"
    r"|payment required)"
)
_ERROR_LINE = re.compile(
    r"^(?:"
    r"Traceback \(most recent call last\):"
    r"|(?:Uncaught |Unhandled )?(?:[A-Za-z_]\w*[.:]+)*[A-Z]\w*(?:Error|Exception| ?Rejection)(?: \[\w+\])?(?::|$)"
    r"|(?:[Ee]rror|ERROR|[Ff]atal(?: error)?|FATAL|panic|[Ff]ehler|[Ee]rreur|[Ff]out|[Ee]rrore|[Ee]rro|[Оо]шибка"
    r"|错误|錯誤|エラー|오류|خطأ|[Hh]ata|त्रुटि)"
    r"\s*(?:\[[^\]]*\]|\([^)]*\)|code|\d+)?\s*\d*\s*[:：!]"
    rf"|(?:\w+: )?{_ERRNO}\b"
    rf"|(?:bash|sh|zsh|dash|ksh|fish|-bash|/bin/\w+|/usr/bin/\w+|[a-z][a-z0-9.-]{{0,15}}): .{{0,200}}{_SHELL}\W*$"
    rf"|(?i:(?:HTTP(?:/\d(?:\.\d)?)? )?(?:error |status )?[45]\d\d\b[ :–—-]{{1,4}}{_STATUS})"
    r"|(?i:(?:the |your |this )?(?:api |http |network |tool )?(?:request|connection|operation|command|execution"
    r"|call|response|query)"
    r"[ :]{1,3}(?:has |was |is )?(?:timed? ?out|refused|reset|aborted|failed (?:with|:)|rejected|blocked by)\b)"
    r"|(?i:(?:api )?(?:rate limit|usage limit|quota) (?:reached|exceeded|hit)\b)|(?i:insufficient[_ ]quota"
    r"|overloaded_error|rate_limit_error)\b"
    r"|(?:[A-Z][\w-]* ){0,2}(?:[Ee]rror|[Ee]xception)(?: \(\w+\)| \d+)?: |[a-z]{2,8}: \(\d+\) "
    r"|(?i:(?:tool|command|api|http|request) [\w ]{0,24}failed\b)"
    r"|(?i:(?:internal server error|bad gateway|service unavailable|gateway time-?out|permission denied"
    r"|access denied|(?:page )?not found|unauthori[sz]ed"
    r"|forbidden|error|timed? ?out|failed|killed|aborted|segmentation fault.{0,20})[.!]?$)"
    r"|\[(?:ERROR|error|FATAL|fatal|Error)\] |(?i:(?:failed|unable) to (?:read|open|load|fetch|write|parse"
    r"|connect|execute|start|resolve|import|create|access|find)\b)"
    r"|(?i:could(?: not|n['’]t) (?:read|open|load|fetch|write|parse|connect|resolve|find|access)\b)"
    r"|Operation not permitted|Segmentation fault"
    r"|(?i:invalid api key|incorrect api key|you exceeded your current quota|this model['’]s maximum context"
    r"|(?:maximum )?context length exceeded|prompt is too long)"
    r"|upstream connect error|<Error><Code>|undefined is not a function|Cannot read propert"
    r"|node:internal/|npm ERR!|thread '[^']*' panicked at|goroutine \d+ \[|Exception in thread "
    r"|(?i:(?:command |process )?exit(?:ed)?(?: with)?(?: status| code)+:? \d+\b)"
    r")"
)
_FEW_SAID = 3  # paragraphs of such a message
_LONGEST_MESSAGE = 400  # characters
_FRAME = re.compile(r"^\s+at .+[:(]|^\s*File \"[^\"]+\", line \d+|^\s+\d+: 0x[0-9a-f]+|^\s+[\w/.]+\.go:\d+", re.M)
_REFUSAL = re.compile(
    r"^(?:"
    r"(?:(?:i['’]?m (?:really |so |very )?sorry|sorry|i apologi[sz]e|my apologies|unfortunately)\W{1,3}(?:but )?)?"
    r"(?:as an ai\b.{0,80})?i(?:['’]m| am)? (?:can(?:no|['’])t|can not|cannot|could(?:n['’]t| not)|(?:not able"
    r"|unable) to|won['’]t be able to|don['’]t have (?:access|the ability))\b"
    r"|as an (?:ai|artificial intelligence)\b"
    r"|(?:es tut mir leid|entschuldigung|leider)\W{1,3}(?:aber )?(?:ich kann|kann ich|ich bin nicht"
    r"|ich habe keinen zugriff)\b"
    r"|(?:je suis )?(?:vraiment )?désolée?\W{1,3}(?:mais )?je (?:ne |n['’])|malheureusement\W{1,3}je (?:ne |n['’])"
    r"|(?:lo siento|lamentablemente)\W{1,3}(?:pero )?no (?:puedo|tengo|es posible)"
    r"|(?:desculpe|sinto muito|infelizmente)\W{1,3}(?:mas )?(?:eu )?não (?:posso|consigo|tenho)"
    r"|(?:mi dispiace|purtroppo)\W{1,3}(?:ma )?non (?:posso|riesco|ho)|(?:het spijt me"
    r"|helaas)\W{1,3}(?:maar )?(?:ik kan|kan ik)\b"
    r"|(?:извините|простите|к сожалению)\W{1,3}(?:но )?я не (?:могу|имею)"
    r"|(?:很|非常)?(?:抱歉|对不起|對不起)[，,。!！]?(?:但)?(?:是)?我?(?:目前)?(?:无法|不能|没有权限|無法)"
    r"|作为(?:一个)?(?:AI|人工智能|语言模型)"
    r"|(?:申し訳(?:ありません|ございません)|すみません)(?:が)?[、,。]?.{0,40}(?:できません|いたしかねます)"
    r"|죄송(?:합니다|하지만)[.,]?.{0,40}수 ?없|(?:عذر[اً]+|آسف|أعتذر"
    r"|للأسف)[،,]?.{0,12}(?:لا أستطيع|لا يمكنني)"
    r"|(?:üzgünüm|maalesef)\W{1,3}.{0,60}(?:yapamam|edemiyorum|yapamıyorum|mıyorum|miyorum|amam|emem)\b"
    r"|(?:क्षमा करें|माफ़ करें|माफ कीजिए).{0,60}नहीं"
    r")",
    re.I,
)
_REPORT = re.compile(
    r"^(?:"
    r"(?:the )?file (?:\S+ )?(?:has been |was |is )?(?:created|updated|written|saved|edited|modified"
    r"|overwritten)(?: successfully)?\b"
    r"|(?:successfully|erfolgreich) (?:wrote|written|created|updated|saved|edited|applied|replaced|replaced)\b"
    r"|(?:wrote|written|saved|created|updated|edited|overwrote) (?:\d+ (?:bytes|lines|characters)"
    r"|(?:to )?[`'\"]?[\w./~-]+\.\w{1,5}\b)"
    r"|(?:done[.!,]? )?(?:i['’]ve|i have) (?:now |just |successfully )*(?:updated|saved|written|stored"
    r"|edited)(?: \w+){0,6} (?:file|memory|notes?|[`'\"]?[\w./~-]+\.md[`'\"]?)\b"
    r"|(?:memory|note|file|notes) (?:has been |was |have been )?(?:updated|saved|stored"
    r"|written)(?: successfully)?\s*[.!]?$"
    r"|(?:ok|done|success)\s*[:,—–-]\s*(?:wrote|updated|saved|created|file)\b"
    r"|\(?(?:no content|no output|empty (?:file|output)|tool ran without output|command (?:completed|ran) .*"
    r"|process exited.*)\)?\s*[.!]?$"
    r"|<(?:system-reminder|tool_use_error|tool_result|function_results|stdout|stderr|result|output"
    r"|function_calls|invoke|tool_call|tool_use)\b"
    r"|(?:datei|die datei) .{0,80}(?:aktualisiert|gespeichert|geschrieben|erstellt)\b"
    r"|文件已(?:更新|保存|写入|创建)|已(?:成功)?(?:更新|保存|写入)|ファイル(?:を|が)(?:更新|保存|作成)|파일(?:이"
    r"|을) ?.{0,12}(?:업데이트|저장|생성)"
    r"|تم (?:تحديث|حفظ|إنشاء)|файл .{0,60}(?:обновл|сохран|создан)|le fichier .{0,80}(?:mis à jour|enregistré|créé)"
    r"|el archivo .{0,80}(?:actualizado|guardado|creado)|o arquivo .{0,80}(?:atualizado|salvo|criado)"
    r")",
    re.I,
)
_PAGE = re.compile(r"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_PATCH_START = re.compile(
    r"^(?:diff --git |diff -|Index: |--- \S|\*\*\* Begin Patch|\*\*\* (?:Update|Add) File:|@@ |<{5,9} (?:SEARCH"
    r"|ORIGINAL)\b)"
)
_HUNK = re.compile(r"^(?:@@|\*\*\* (?:Update|Add) File:|={5,9}$|rename from )", re.M)
_POINTER = re.compile(
    rb"version https:\/\/[a-z0-9.-]+/spec/v\d\n(?:[a-z0-9.-]+ .*\n?)+"
    rb"|/?(?:\.\./)*(?:\.git/)?annex/objects/\S+\n?"
)
_CALL_KEYS = frozenset(
    [
        "name",
        "tool",
        "tool_name",
        "toolname",
        "tool_use",
        "tool_calls",
        "tool_call_id",
        "function",
        "function_call",
        "arguments",
        "args",
        "input",
        "parameters",
        "params",
        "call_id",
        "type",
        "role",
        "error",
        "status",
        "message",
        "code",
        "detail",
        "details",
        "errors",
        "success",
        "ok",
        "result",
        "is_error",
        "request_id",
        "stop_reason",
    ]
)
_ERROR_KEYS = frozenset({"error", "errors", "is_error", "detail"})


def shape_of(data: bytes, table: EntryTable) -> Shape | None:
    """What the whole text is, if it is no memory."""
    if data and not data.strip(b"\0"):
        return Shape.ZEROS
    if _POINTER.fullmatch(data):
        return Shape.POINTER
    if _is_binary(data):
        return Shape.BINARY
    decoded = decode(data)
    if decoded.encoding is Encoding.BINARY:
        return None
    text = decoded.text.strip("\ufeff \t\n")
    if not text:
        return None
    if text[0] == "<" and _PAGE.match(text):
        return Shape.PAGE
    if text[0] in "{[" and len(text) <= _LONGEST_JSON:
        found = _json(text)
        if found is not None:
            return found
    if _PATCH_START.match(text) and _HUNK.search(text):
        return Shape.PATCH
    return _message(text, table) if len(text) <= _LONGEST else None


def _is_binary(data: bytes) -> bool:
    """Begins like a file of another kind, or holds more control characters than a slip of the hand."""
    if data.startswith(_MAGIC):
        return True
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    odd = len(data) - len(data.translate(None, _CONTROLS))
    return odd > _FEW_ODD and odd > _ODD_SHARE * len(data)


def _json(text: str) -> Shape | None:
    """A tool call, an answer of a service. Other data may be somebody's."""
    try:
        value: Any = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return None
    keys = {str(key).lower() for key in first}
    if keys & _ERROR_KEYS:
        return Shape.ERROR
    return Shape.JSON if keys and len(keys & _CALL_KEYS) * 2 >= len(keys) else None


def _message(text: str, table: EntryTable) -> Shape | None:
    """An error, a refusal or a report, perhaps under the headings that were there."""
    said = [entry for entry in table.entries if entry.kind is not Kind.HEADING]
    if not said or said[0].kind in _NOTES:
        return None
    first = said[0].text
    if len(said) <= _MOST_PARAGRAPHS and not any(entry.kind in _NOTES for entry in said):
        if _REFUSAL.match(first):
            return Shape.REFUSAL
        if _REPORT.match(first):
            return Shape.REPORT
        if _ERROR_LINE.match(first):
            return Shape.ERROR
        if len(said) <= _FEW_SAID and sum(len(entry.text) for entry in said) <= _LONGEST_MESSAGE:
            if OFFLINE.match(first):
                return Shape.POINTER
            if MESSAGE.match(first) or (len(said) == 1 and TRY_AGAIN.search(first)):
                return Shape.ERROR
    traced = len(_FRAME.findall(text)) >= 2
    return Shape.ERROR if traced and (_ERROR_LINE.match(first) or _ERROR_LINE.match(text)) else None

"""Destructive: the file is replaced by something else."""

from __future__ import annotations

import json
from base64 import b64encode
from difflib import unified_diff
from random import Random
from zlib import compress

from conductd.model import Role
from corpus.changes import Made, Step, case, family, harmful, marks, one
from corpus.families.places import ANY, DAILY, KEPT, LASTING, overwritten, role, writer
from corpus.languages import LANGUAGES, Language
from corpus.notes import Notes, Section, fresh, notes


@family(destructive=True)
def stub_overwrite(language: Language, random: Random) -> Made:
    """A heading and a stand-in where notes were."""
    path, before = random.choice(ANY), notes(language, random).text
    after = random.choice((*language.phrases.stubs, "", "\n"))
    return one(path, before, after, by=writer(random)), overwritten(path, before, after)


@family(destructive=True)
def write_for_edit(language: Language, random: Random) -> Made:
    """`write` with the new entries only, where an append or edit was meant."""
    path, before = random.choice(LASTING), notes(language, random)
    section = Section(
        random.choice(("", before.sections[0].heading)), tuple(fresh(language, random, random.randint(1, 3))), "bullets"
    )
    after = Notes(random.choice(("", before.title)), (section,)).text
    return one(path, before.text, after, by=writer(random)), overwritten(path, before.text, after, news=after)


@family(destructive=True)
def daily_overwrite(language: Language, random: Random) -> Made:
    """Another session's day log written over this one's."""
    path = random.choice(DAILY)
    before, after = (
        notes(language, random, parted=False).text,
        Notes("2026-05-28", (Section("", tuple(fresh(language, random, 5)), "bullets"),)).text,
    )
    return one(path, before, after, by=random.choice(("cron:price-watch", "agent:flush", "unknown"))), overwritten(
        path, before, after, news=after
    )


@family(destructive=True)
def template_reseeded(language: Language, random: Random) -> Made:
    """A setup step writes the empty template over what was filled in."""
    path, before, after = random.choice(KEPT), notes(language, random, layout="bullets").text, language.phrases.template
    wanted = harmful("overwrite placeholder", "revert merge", back=marks(before) - marks(after))
    return one(path, before, after, by=random.choice(("unknown", "agent:main"))), wanted


_ERRORS = (
    "Error: ENOENT: no such file or directory, open '{path}'\n",
    "Traceback (most recent call last):\n"
    '  File "save.py", line 41, in <module>\n'
    "    text = read(path)\n"
    "PermissionError: [Errno 13] Permission denied: '{path}'\n",
    '{{"error": {{"code": "rate_limited", "message": "Too many requests, retry after 20 seconds"}}}}\n',
    "Successfully wrote 2847 bytes to {path}\n",
    "bash: {path}: Permission denied\n",
    "Error: old_string was not found in the file. Read the file again before you edit it.\n",
    "The file {path} has been updated successfully.\n",
    '[tool result] {{"ok": true, "path": "{path}", "bytes": 14535}}\n',
    "cat: {path}: No such file or directory\n",
    "502 Bad Gateway\n",
)


@family(destructive=True)
def error_as_file(language: Language, random: Random) -> Made:
    """The message of a tool was saved where its result should have gone."""
    path, before = random.choice(ANY), notes(language, random).text
    after = random.choice((*_ERRORS, *(f"{text}\n" for text in language.phrases.errors))).format(path=path)
    wanted = harmful(
        "overwrite placeholder", "revert merge", back=marks(before), never=(after.strip().splitlines()[-1],)
    )
    return one(path, before, after, by=writer(random)), wanted


_PAGES = (
    '<!DOCTYPE html>\n<html lang="en">\n<head><title>Sign in</title><meta charset="utf-8"></head>\n'
    "<body>\n<h1>Sign in to continue</h1>\n"
    '<form action="/login"><input name="user"><input name="password" type="password"></form>\n</body>\n</html>\n',
    "<html><head><title>504 Gateway Time-out</title></head>\n"
    "<body><center><h1>504 Gateway Time-out</h1></center><hr><center>nginx</center></body></html>\n",
    '<!doctype html><html><head><script src="/app.js"></script></head><body><div id="root"></div>'
    "<noscript>Please enable JavaScript to run this app.</noscript></body></html>\n",
)


@family(destructive=True)
def html_page_saved(language: Language, random: Random) -> Made:
    """A download that had lost its login wrote the page it got."""
    path, before, after = random.choice(ANY), notes(language, random).text, random.choice(_PAGES)
    wanted = harmful("overwrite placeholder", "revert merge", back=marks(before), never=("<html", "<body"))
    return one(path, before, after, by=writer(random)), wanted


@family(destructive=True)
def protocol_word(language: Language, random: Random) -> Made:
    """The answer to a question became the file."""
    path, before = random.choice(ANY), notes(language, random).text
    word = random.choice(language.phrases.protocol)
    after = word + random.choice(("", "\n"))
    return one(path, before, after, by=writer(random)), harmful("overwrite placeholder", "revert", back=marks(before))


@family(destructive=True)
def wrong_file(language: Language, random: Random) -> Made:
    """Another note's text was written to this path."""
    path, before = random.choice(ANY), notes(language, random)
    others = notes(language, random, (24, 40), sections=(8, 8), title="2026-05-20", parted=False)
    topics = {section.topic for section in before.sections}
    other = others._replace(sections=tuple(each for each in others.sections if each.topic not in topics)).text
    actions = "revert" if role(path) is Role.INSTRUCTIONS else "merge revert"
    wanted = harmful("overwrite", actions, back=marks(before.text))
    return one(path, before.text, other, by=writer(random), elsewhere={"memory/other.md": other}), wanted


@family(destructive=True)
def translated_summary(language: Language, random: Random) -> Made:
    """Rewritten as a few sentences in another language."""
    path, before = random.choice(LASTING), notes(language, random)
    into = random.choice([other for other in LANGUAGES.values() if other.name not in (language.name, "mixed")])
    lines = [f"## {into.headings[section.topic]}\n\n{into.summaries[section.topic]}.\n" for section in before.sections]
    after = f"# {into.phrases.title}\n\n" + "\n".join(lines)
    return one(path, before.text, after, by=writer(random)), overwritten(path, before.text, after, news=after)


@family(destructive=True)
def json_dump(language: Language, random: Random) -> Made:
    """A structured dump of the notes that lost half of them on the way."""
    path, before = random.choice(KEPT), notes(language, random, (18, 36))
    kept = random.sample(before.items, len(before.items) // 2)
    rows = [{"topic": entry.fact.topic, "note": entry.text} for entry in kept]
    after = json.dumps({"memory": rows, "version": 2}, ensure_ascii=False, indent=2) + "\n"
    gone = before.only([entry for entry in before.items if entry not in kept])
    wanted = harmful("overwrite shrink placeholder", "revert merge propose", back=marks(gone.text))
    return one(path, before.text, after, by=writer(random)), wanted


@family(destructive=True)
def diff_as_file(language: Language, random: Random) -> Made:
    """A patch was written instead of being applied."""
    path, before = random.choice(ANY), notes(language, random, (24, 40))
    changed = before.plus(fresh(language, random, 1))
    after = "".join(unified_diff(before.text.splitlines(True), changed.text.splitlines(True), f"a/{path}", f"b/{path}"))
    wanted = harmful(
        "overwrite shrink placeholder",
        "revert merge propose",
        back=marks(before.text) - marks(after.replace("\n ", "\n")),
    )
    return one(path, before.text, after, by=writer(random)), wanted


@family(destructive=True)
def base64_saved(language: Language, random: Random) -> Made:
    """A sync client saved what the server sent, undecoded."""
    path, before = random.choice(ANY), notes(language, random).text
    coded = b64encode(before.encode()).decode()
    after = "".join(coded[at : at + 76] + "\n" for at in range(0, len(coded), 76)) if random.random() < 0.6 else coded
    wanted = harmful("overwrite encoding_change", "revert merge propose", back=marks(before))
    return one(path, before, after, by=random.choice(("unknown", "sync:notes"))), wanted


@family(destructive=True)
def deletion(language: Language, random: Random) -> Made:
    """The file is gone, and what it held is nowhere."""
    path, before = random.choice(ANY), notes(language, random).text
    elsewhere = {"memory/other.md": notes(language, random).text} if random.random() < 0.6 else {}
    return one(path, before, None, by=writer(random), elsewhere=elsewhere), harmful(
        "deletion", "revert", back=marks(before)
    )


@family(destructive=True)
def mass_loss(language: Language, random: Random) -> Made:
    """Several files of one workspace go within seconds: deleted, or replaced by the same stub."""
    paths = random.sample(KEPT, random.randint(3, 4))
    texts = [notes(language, random).text for _ in paths]
    after = random.choice((None, "", random.choice(language.phrases.stubs)))
    left = {} if after is None else dict.fromkeys(paths, after)
    by, steps, back = writer(random), [], frozenset[bytes]()
    for name, text in zip(paths, texts, strict=True):
        others = {other: held for other, held in left.items() if other != name}
        steps.append(Step(case(name, text, after, by=by, elsewhere=others)))
        back |= marks(text)
    classes = "deletion mass_loss" if after is None else "overwrite mass_loss"
    return tuple(steps), harmful(classes, "revert", back=back)


@family(destructive=True)
def skeleton_left(language: Language, random: Random) -> Made:
    """All headings, and nothing below them, or the same nothing below each."""
    path, before = random.choice(ANY), notes(language, random, parted=False)
    nothing = random.choice(("", "\n- ...\n", "\nTODO\n", f"\n{language.phrases.waiting}\n", "\n- \n"))
    after = f"# {before.title}\n\n" + "\n".join(f"## {section.heading}\n{nothing}" for section in before.sections)
    wanted = harmful("overwrite placeholder", "revert merge", back=marks(before.text))
    return one(path, before.text, after, by=writer(random)), wanted


@family(destructive=True)
def binary_instead(language: Language, random: Random) -> Made:
    """Compressed, encrypted, or a picture: nothing that can be read."""
    path, before = random.choice(ANY), notes(language, random).text
    noise = random.randbytes(random.randint(200, 3000))
    after = random.choice((compress(before.encode()), b"\x89PNG\r\n\x1a\n" + noise, b"\x00GITCRYPT\x00" + noise, noise))
    return one(path, before, after, by=writer(random)), harmful("overwrite", "revert", back=marks(before))

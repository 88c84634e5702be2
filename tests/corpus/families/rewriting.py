"""Legitimate: entries say the same in other words or other signs, or say something newer."""

from __future__ import annotations

import re
from random import Random

from corpus.changes import Made, family, harmless, one
from corpus.families.places import KEPT, LASTING, writer
from corpus.languages import LANGUAGES, Language
from corpus.notes import Item, Notes, fresh, notes

EDITED = "edit format append"


@family(destructive=False)
def one_entry_edited(language: Language, random: Random) -> Made:
    """A number, a date or a word changes in one to three entries."""
    path, before = random.choice(LASTING), notes(language, random)
    chosen = {id(entry) for entry in random.sample(before.items, random.randint(1, 3))}

    def newer(entry: Item) -> Item:
        if id(entry) not in chosen:
            return entry
        if not re.search(r"\d", entry.text):
            return entry._replace(text=entry.fact.reworded(random))
        return entry._replace(text=re.sub(r"\d+", lambda m: str(int(m[0]) + random.randint(1, 9)), entry.text, count=1))

    return one(path, before.text, before.map(newer).text, by=writer(random)), harmless(EDITED)


@family(destructive=False)
def every_entry_reworded(language: Language, random: Random) -> Made:
    """A word or two in every entry is put otherwise."""
    path, before = random.choice(LASTING), notes(language, random)
    after = before.map(lambda entry: entry._replace(text=entry.fact.reworded(random, random.randint(1, 2))))
    return one(path, before.text, after.text, by=writer(random)), harmless(EDITED)


@family(destructive=False)
def rewritten_in_prose(language: Language, random: Random) -> Made:
    """Lightly reworded, in another layout, other order of sections, with a new entry."""
    path, before = random.choice(KEPT), notes(language, random, layout="bullets", parted=False)
    after = before.map(
        lambda entry: entry._replace(text=entry.fact.reworded(random)) if random.random() < 0.6 else entry
    )
    sections = [section._replace(layout="paragraphs") for section in after.sections]
    random.shuffle(sections)
    after = after._replace(sections=tuple(sections)).plus(fresh(language, random, 1))
    return one(path, before.text, after.text, by=writer(random)), harmless(EDITED)


@family(destructive=False)
def values_updated(language: Language, random: Random) -> Made:
    """A status list: a number in every line is newer."""
    path, before = (
        random.choice(KEPT),
        notes(language, random, layout=random.choice(("table", "bullets")), parted=False),
    )

    def newer(entry: Item) -> Item:
        found = list(re.finditer(r"(?<![\w-])\d{1,4}(?![\w-])", entry.text))
        if not found:
            return entry
        last = found[-1]
        return entry._replace(
            text=entry.text[: last.start()] + str(int(last[0]) + random.randint(1, 40)) + entry.text[last.end() :]
        )

    return one(path, before.text, before.map(newer).text, by=writer(random)), harmless(EDITED)


@family(destructive=False)
def typographic_marks(language: Language, random: Random) -> Made:
    """Quotation marks, dashes, dots and commas of the other kind."""
    path, before = random.choice(LASTING), notes(language, random)
    pairs = [(", ", " – "), ("'", "’"), (" - ", " — "), ("; ", ". ")]
    if not language.spaced:
        pairs = [("，", "、"), ("、", "，"), ("；", "。"), ("（", "("), ("）", ")")]
    if language.name == "ar":
        pairs = [("، ", " - "), ("؛", "،")]
    chosen = random.sample(pairs, 2)

    def other(entry: Item) -> Item:
        text = entry.text
        for old, new in chosen:
            text = text.replace(old, new)
        return entry._replace(text=text)

    return one(path, before.text, before.map(other).text, by=writer(random)), harmless(EDITED)


def _mistyped(text: str, random: Random, *, spaced: bool) -> str:
    """With one typing mistake: two letters change places, or one is missing or doubled."""
    words = text.split(" ") if spaced else [text]
    long_ones = [place for place, word in enumerate(words) if len(word) > 4 and word.isalpha()] if spaced else [0]
    if not long_ones or not text:
        return text
    place = random.choice(long_ones)
    word = words[place]
    at = random.randrange(1, len(word) - 2) if len(word) > 4 else 0
    words[place] = random.choice(
        (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
        )
    )
    return " ".join(words)


@family(destructive=False)
def spelling_corrected(language: Language, random: Random) -> Made:
    """Typing mistakes through the whole file are corrected."""
    path, after = random.choice(LASTING), notes(language, random, marks=False)
    share = random.uniform(0.35, 0.9)
    before = after.map(
        lambda entry: (
            entry._replace(text=_mistyped(entry.text, random, spaced=language.spaced))
            if random.random() < share
            else entry
        )
    )
    return one(path, before.text, after.text, by=writer(random)), harmless(EDITED)


@family(destructive=False)
def dates_written_otherwise(language: Language, random: Random) -> Made:
    """2026-03-08 becomes 8 March 2026, everywhere."""
    path, before = random.choice(LASTING), notes(language, random, (16, 36))

    def long_date(match: re.Match[str]) -> str:
        year, month, day = match[0].split("-")
        return language.phrases.date.format(
            d=int(day), m=int(month), y=year, month=language.phrases.months[int(month) - 1]
        )

    def other(entry: Item) -> Item:
        return entry._replace(text=re.sub(r"\d{4}-\d{2}-\d{2}", long_date, entry.text))

    texts = (before.text, before.map(other).text)
    old, new = texts if random.random() < 0.7 else reversed(texts)
    return one(path, old, new, by=writer(random)), harmless(EDITED)


@family(destructive=False)
def template_filled_in(language: Language, random: Random) -> Made:
    """A fresh template: labels get values, its hints make way for notes."""
    before = language.phrases.template
    if random.random() < 0.5:  # a template of little more than hints
        before = "".join(line for n, line in enumerate(before.splitlines(keepends=True)) if line[:4] != "- **" or n % 2)
    lines, after = iter(language.phrases.labels), []
    for line in before.splitlines(keepends=True):
        if line.startswith("- **"):
            after.append(f"{line.rstrip()} {next(lines)[1]}\n")
        elif line.startswith("_"):
            after.append("" if random.random() < 0.7 else line)
        else:
            after.append(line)
    news = "".join(f"- {entry.text}\n" for entry in fresh(language, random, random.randint(1, 4)))
    return one(random.choice(("MEMORY.md", "USER.md")), before, "".join(after) + news, by=writer(random)), harmless(
        EDITED
    )


@family(destructive=False)
def waiting_values_filled(language: Language, random: Random) -> Made:
    """`City: TBD` gets its value; the notes around it stay."""
    path, notes_ = random.choice(KEPT), notes(language, random, (6, 14), layout="bullets", parted=False)
    colon = ": " if language.spaced else "："
    labels = random.sample(language.phrases.labels, random.randint(2, 5))
    waiting = "".join(
        f"- {label}{colon}{random.choice((language.phrases.waiting, '?', '')).strip()}\n" for label, _ in labels
    )
    filled = "".join(f"- {label}{colon}{value}\n" for label, value in labels)
    return one(path, f"{notes_.text}\n{waiting}", f"{notes_.text}\n{filled}", by=writer(random)), harmless(EDITED)


@family(destructive=False)
def boxes_ticked(language: Language, random: Random) -> Made:
    """Tasks are done: the boxes say so, some lines get a date."""
    path, before = (
        random.choice((*KEPT, "memory/2026-05-28.md")),
        notes(language, random, layout="checks", parted=False).text,
    )
    lines = [
        re.sub(r"\[ \]", "[x]", line) + (" (2026-05-28)" if random.random() < 0.3 else "")
        if "[ ]" in line and random.random() < 0.7
        else line
        for line in before.splitlines()
    ]
    return one(path, before, "\n".join(lines) + "\n", by=writer(random)), harmless(EDITED)


@family(destructive=False)
def front_matter_edited(language: Language, random: Random) -> Made:
    """A key is added, keys change places, a value is newer; none is lost."""
    path = random.choice(("memory/projects/lantern.md", "memory/people.md", "CLAUDE.md"))
    before = notes(language, random, (8, 24), front=True)
    front = list(before.front)
    if random.random() < 0.6:
        random.shuffle(front)
    place = random.randrange(len(front))
    front[place] = (front[place][0], random.choice(("2026-05-28", "weekly", "the night team")))
    if random.random() < 0.6:
        front.append(random.choice((("modified", "2026-05-28"), ("status", "reviewed"))))
    return one(path, before.text, before._replace(front=tuple(front)).text, by=writer(random)), harmless(EDITED)


@family(destructive=False)
def names_replaced(language: Language, random: Random) -> Made:
    """A colleague left: her successor's name stands everywhere, and a host was renamed."""
    path, before = random.choice(LASTING), notes(language, random)
    people, hosts = language.slots["person"], language.slots["host"]
    swaps = dict(zip(random.sample(people, 4), ("Ximena", "Ulrika", "Wendel", "Quintus"), strict=True)) | {
        random.choice(hosts): "nova-3"
    }

    def other(entry: Item) -> Item:
        text = entry.text
        for old, new in swaps.items():
            text = text.replace(old, new)
        return entry._replace(text=text)

    return one(path, before.text, before.map(other).text, by=writer(random)), harmless(EDITED)


@family(destructive=False)
def put_otherwise(language: Language, random: Random) -> Made:
    """Every wording that can be another is another: nobody can be sure of it, so asking is right, writing is not."""
    path, before = random.choice(LASTING), notes(language, random)
    after = before.map(lambda entry: entry._replace(text=entry.fact.reworded(random, 9)))
    return one(path, before.text, after.text, by=writer(random)), harmless(
        f"{EDITED} shrink overwrite", "record propose"
    )


_LITTLE_WORDS = {
    "zh": "的了在就也还要再和都把",
    "ja": "はがをにでのもと",
}


@family(destructive=False)
def telegraph_style(language: Language, random: Random) -> Made:
    """Little words are left out to save space; names and figures stay."""
    path, before = random.choice(LASTING), notes(language, random)

    def shorter(entry: Item) -> Item:
        if little := _LITTLE_WORDS.get(language.name):
            return entry._replace(text="".join(char for char in entry.text if char not in little))
        words = entry.text.split()
        kept = [word for word in words if len(word) > 3 or not word.isalpha() or word[0].isupper()]
        return entry._replace(text=" ".join(kept))

    return one(path, before.text, before.map(shorter).text, by=writer(random)), harmless(
        f"{EDITED} shrink overwrite", "record propose"
    )


_WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
_EASTERN = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


@family(destructive=False, languages=("en", "de", "zh", "ja", "ar"))
def digits_written_otherwise(language: Language, random: Random) -> Made:
    """Full-width or Arabic-Indic digits, or a mark between thousands."""
    path, before = random.choice(LASTING), notes(language, random)

    def other(entry: Item) -> Item:
        match language.name:
            case "zh" | "ja":
                return entry._replace(text=entry.text.translate(_WIDE))
            case "ar":
                return entry._replace(text=entry.text.translate(_EASTERN))
        mark = "," if language.name == "en" else "."
        return entry._replace(text=re.sub(r"(?<![\d-])(\d)(\d{3})(?![\d-])", rf"\1{mark}\2", entry.text))

    texts = (before.text, before.map(other).text)
    old, new = texts if random.random() < 0.6 else reversed(texts)
    return one(path, old, new, by=writer(random)), harmless(EDITED)


_SPELLINGS = {
    "de": dict(zip("äöüßÄÖÜ", ("ae", "oe", "ue", "ss", "Ae", "Oe", "Ue"), strict=True)),
    "zh": dict(
        zip(
            "备时间发会这个过还从后请记录书员务单动码机号钥价为买写签户关闭验",
            "備時間發會這個過還從後請記錄書員務單動碼機號鑰價為買寫簽戶關閉驗",
            strict=True,
        )
    ),
    "ar": dict(zip("أإةى", "ااهي", strict=True)),
}


@family(destructive=False, languages=("de", "zh", "ar"))
def letters_spelled_otherwise(language: Language, random: Random) -> Made:
    """Umlauts written out, traditional characters, letters without hamza: another keyboard, the same notes."""
    path, before = random.choice(LASTING), notes(language, random)
    table = str.maketrans(_SPELLINGS[language.name])
    after = before.map(lambda entry: entry._replace(text=entry.text.translate(table)))
    return one(path, before.text, after.text, by=writer(random)), harmless(
        f"{EDITED} shrink overwrite", "record propose"
    )


@family(destructive=False)
def second_language_left_out(language: Language, random: Random) -> Made:
    """Headings in two languages keep one of them; a short file, or a long one."""
    path = random.choice(LASTING)
    into = random.choice([other for other in LANGUAGES.values() if other.name not in (language.name, "mixed")])
    after = notes(language, random, random.choice(((2, 4), (4, 8), (16, 30))), sections=(2, 4), parted=False)
    gap = random.choice((" ", " / ", " - "))
    sections = tuple(
        section._replace(heading=f"{section.heading}{gap}{into.headings[section.topic]}") for section in after.sections
    )
    before = Notes(f"{after.title}{gap}{into.phrases.title}", sections)
    if random.random() < 0.3:
        after = after.plus(fresh(language, random, 1))
    return one(path, before.text, after.text, by=writer(random)), harmless(EDITED)


_SIGNS = ("✅", "📌", "⚠️", "🔑", "🏠", "🗓️", "➡️", "★")


@family(destructive=False)
def signs_left_out(language: Language, random: Random) -> Made:
    """Emoji and arrows before entries and in headings are left out, or come."""
    path, plain = random.choice(LASTING), notes(language, random, random.choice(((4, 8), (14, 30))), parted=False)
    signed = plain.map(lambda entry: entry._replace(text=f"{random.choice(_SIGNS)} {entry.text}"))
    sections = tuple(
        section._replace(heading=f"{random.choice(_SIGNS)} {section.heading}") for section in signed.sections
    )
    texts = (signed._replace(sections=sections).text, plain.text)
    old, new = texts if random.random() < 0.7 else reversed(texts)
    return one(path, old, new, by=writer(random)), harmless(EDITED)


@family(destructive=False)
def marks_made_plain(language: Language, random: Random) -> Made:
    """Typographic marks become those of a typewriter, everywhere."""
    path, before = random.choice(LASTING), notes(language, random)
    rich = before.map(
        lambda entry: entry._replace(
            text=f"“{entry.text}” – {random.choice(('…', '→', '≈', '€'))} {random.randint(2, 90)}"
            if random.random() < 0.6
            else entry.text
        )
    )
    plain = str.maketrans(
        {"“": '"', "”": '"', "–": "-", "…": "...", "→": "->", "≈": "~", "€": "EUR", "、": ",", "，": ",", "。": "."}
    )
    after = rich.map(lambda entry: entry._replace(text=entry.text.translate(plain)))
    return one(path, rich.text, after.text, by=writer(random)), harmless(EDITED)

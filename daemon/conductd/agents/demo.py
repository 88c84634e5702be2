"""A workspace to try conductd on: the memory of an invented assistant that looks after a small garden.

Pure content and one function that writes it. Called by `app` when there is nothing to protect.
"""

from __future__ import annotations

import os
from datetime import date, timedelta

MEMORY = """\
# Memory

## Standing rules

- Ask before buying anything above 30 euros.
- Never water the tomatoes in the midday sun.
- Write times as 24 hours, temperatures in Celsius.
- The neighbour's cat may use the lower gate; do not lock it.

## The garden

- Bed 1: tomatoes, six plants, tied to canes; bed 2: beans; bed 3: resting until autumn.
- The soil in bed 2 is heavy; mix in sand before the next sowing.
- Rain barrel holds 210 litres; the tap drips unless it is turned past the mark.
- Compost was turned on the first weekend of the month; next turn in four weeks.
- The pear tree was grafted three years ago and carries fruit on the south side only.

## Deliveries

- Seeds come from the mail-order shop on Tuesdays; leave the parcel under the bench.
- The order number for the drip hose is in the tin by the door.

## Decisions

- No slug pellets: beer traps and boards, checked every evening.
- Drip hose instead of sprinklers, because the leaves must stay dry.
- Sow beans again only when the nights stay above ten degrees.
"""

AGENTS = """\
# Instructions

- Read MEMORY.md first; add to it with small edits, never by writing it anew.
- One note a day in memory/, newest line last.
- Do nothing outside this directory.
- When a rule and a wish disagree, ask.
"""

_DAYS = (
    """\
- 07:40 Watered beds 1 and 2 from the barrel; about a third left.
- 12:15 Aphids on the second bean row; washed off with soap water.
- 18:30 Four boards turned, eleven slugs, none near the lettuce.
""",
    """\
- 08:05 Rain in the night, 6 mm; no watering needed.
- 10:20 Parcel with the drip hose arrived, 25 metres, two joints missing.
- 19:10 Wrote to the shop about the joints.
""",
    """\
- 07:50 First tomatoes turn red on the plant next to the wall.
- 17:45 Laid the drip hose in bed 1; joints borrowed from the old one.
""",
)


def contents(today: date) -> dict[str, str]:
    """File names (with `/`) and texts, the last daily note being of `today`."""
    files = {"MEMORY.md": MEMORY, "AGENTS.md": AGENTS}
    for ago, text in enumerate(reversed(_DAYS)):
        day = today - timedelta(days=ago)
        files[f"memory/{day.isoformat()}.md"] = f"# {day.isoformat()}\n\n{text}"
    return files


def create(directory: str, today: date | None = None) -> tuple[str, ...]:
    """Write the demo into `directory` (made with mode 0700 where it is missing) and name what was written.

    A file that exists is left alone: a second start finds what was played with. Raises OSError.
    """
    os.makedirs(os.path.join(directory, "memory"), mode=0o700, exist_ok=True)
    written = []
    if os.path.lexists(os.path.join(directory, "MEMORY.md")):
        return ()
    for name, text in contents(today or date.today()).items():
        try:
            with open(os.path.join(directory, name), "x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            continue
        written.append(name)
    return tuple(written)

"""What gc says on a screen. Pure; never prints."""

from __future__ import annotations

from conductd.cli.output import harmless
from conductd.cli.render import size
from conductd.views import GcView
from conductd.views.words import counted

SHOWN = 40


def collected(view: GcView) -> list[str]:
    lines = [harmless(view.text)]
    for each in sorted(view.files, key=lambda file: -file.bytes)[:SHOWN]:
        of = f"{each.erased} of {counted(each.versions, 'version')}"
        lines.append(f"  {harmless(each.root)}/{harmless(each.path)}: {of}, {size(each.bytes)}")
    if len(view.files) > SHOWN:
        lines.append(f"  and {len(view.files) - SHOWN} more files")
    if view.freed is not None:
        lines.append(f"  the journal is {size(abs(view.freed))} {'smaller' if view.freed >= 0 else 'larger'}")
    elif view.erased:
        lines.append(f"  {size(view.bytes)} of content in all; storing anew what stays takes some of it back")
    limit = f" of {size(view.max_bytes)}" if view.max_bytes else ""
    lines.append(f"  the journal takes {size(view.journal_bytes)}{limit}")
    return lines

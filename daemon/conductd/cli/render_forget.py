"""What forgetting says on a screen. Pure; never prints."""

from __future__ import annotations

from conductd.cli.output import harmless, paint
from conductd.cli.render import did
from conductd.views import DidView, ForgetCheckView, ForgetView, LeftView, iso
from conductd.views.words import counted

SHOWN = 20


def forgetting(view: ForgetView) -> list[str]:
    lines = did(DidView(view.text, view.plans, ""))
    if view.records:
        lines.append(f"  {counted(view.versions, 'version')}, {counted(view.records, 'record')} in all, of:")
        lines += [f"    {harmless(name)}" for name in view.files[:SHOWN]]
        if len(view.files) > SHOWN:
            lines.append(f"    and {len(view.files) - SHOWN} more")
    if view.standing:
        lines.append(paint("  still there now, and recorded again when it is written again:", "yellow"))
        lines += [f"    {harmless(name)}" for name in view.standing[:SHOWN]]
        lines.append("  take it out there yourself, or with --in-files")
    if view.cancel_command:
        lines.append(f"  call it off with: {view.cancel_command}")
    return [*lines, "out of reach:", *(f"  - {each}" for each in view.out_of_reach)]


def check(view: ForgetCheckView) -> list[str]:
    word = paint("clean", "green") if view.clean else paint("not clean", "red")
    places = f"{counted(view.records, 'record')} and {counted(len(view.files), 'file')}"
    lines = [f"{word}: {view.looked_for} looked for in {places}"]
    lines += [f"  {harmless(each.where)}: {harmless(each.what)}{_hidden(each)}" for each in view.left[:SHOWN]]
    if len(view.left) > SHOWN:
        lines.append(f"  and {len(view.left) - SHOWN} more places")
    lines += [f"  cannot be read: {harmless(each)}" for each in view.unreadable[:SHOWN]]
    return [*lines, "out of reach:", *(f"  - {each}" for each in view.out_of_reach)]


def _hidden(left: LeftView) -> str:
    return f" (hidden, will be erased {iso(left.erased_ns)}; --now erases at once)" if left.erased_ns else ""

"""Memory files that are links, or share their content with another name. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conductd.core.doctor.facts import Entry, Kind, Leads, Workspace
from conductd.core.doctor.finding import Check, Seen, fail, ok, warn
from conductd.model import Role

FOLLOWS_NONE = ("openclaw",)  # agents that leave out a memory file that is a link
LINK = "link"
HARD_LINK = "hard_link"


def is_loaded_by_name(workspace: Workspace, path: bytes) -> bool:
    """Whether an agent loads this very path."""
    return any(path.decode("utf-8", "replace") in agent.exact for agent in workspace.agents)


def memory_links(workspace: Workspace) -> Iterator[Entry]:
    """Symbolic links in the place of memory files; not one that is another spelling of the file it leads to, nor one
    that people make on purpose: a second name (`CLAUDE.md`) of instructions that are protected by their own, where no
    agent is known that follows no link."""
    for each in workspace.entries or ():
        is_memory = each.role is not None or is_loaded_by_name(workspace, each.path)
        if each.kind is Kind.LINK and is_memory and not _is_alias(each) and not _is_second_name(workspace, each):
            yield each


def _is_second_name(workspace: Workspace, each: Entry) -> bool:
    real = workspace.entry(each.real) if each.leads is Leads.FILE and each.inside else None
    leads_to_memory = real is not None and real.kind is Kind.FILE and real.role is Role.INSTRUCTIONS
    return leads_to_memory and not any(agent.name in FOLLOWS_NONE for agent in workspace.agents)


def _is_alias(each: Entry) -> bool:
    return each.real != each.path and each.real.lower() == each.path.lower()


def _links(workspace: Workspace) -> Iterator[Seen]:
    for each in memory_links(workspace):
        name, target = shown(each.path), shown(each.target)
        if each.leads is Leads.FILE:
            how = "" if each.inside else ", outside of the workspace"
            hint = "conductd doctor --fix makes it a file of its own with that content; the other file stays"
            yield fail(
                f"{name} is a symbolic link to {target}{how}",
                hint if each.inside else "copy it yourself if that file is meant to be read by the agent",
                (each.path,),
                LINK,
            )
        elif each.leads is Leads.NOWHERE:
            yield fail(
                f"{name} is a symbolic link to {target}, which is not there", "remove or correct it", (each.path,)
            )
        elif each.leads is Leads.DIRECTORY:
            yield from _directory_link(each)
        else:
            yield fail(f"{name} is a symbolic link to what is no file", "remove or correct it", (each.path,))
    for each in workspace.entries or ():
        is_below = each.path.startswith(b"memory/") and each.role is None
        if each.kind is Kind.LINK and each.leads is Leads.DIRECTORY and is_below:
            yield from _directory_link(each)


def _directory_link(each: Entry) -> Iterator[Seen]:
    yield warn(
        f"{shown(each.path)} is a symbolic link to a directory: agents that follow no links do not read below it",
        "protect the real directory as a workspace, or move it here; that is no act for a program",
        (each.path,),
    )


def hard_linked(workspace: Workspace) -> Iterator[Entry]:
    for each in workspace.entries or ():
        is_memory = each.role is not None or is_loaded_by_name(workspace, each.path)
        if each.kind is Kind.FILE and each.nlink > 1 and is_memory:
            yield each


def _hard_links(workspace: Workspace) -> Iterator[Seen]:
    for each in hard_linked(workspace):
        others = ", ".join(map(shown, each.others))
        more = f" ({others})" if others else " (the other is not in the workspace)"
        yield fail(
            f"{shown(each.path)} has {each.nlink} names{more}",
            "conductd doctor --fix gives it a copy of its own; keep backups as copies, not as hard links",
            (each.path,),
            HARD_LINK,
        )


def _directory(workspace: Workspace) -> Iterator[Seen]:
    entry = workspace.entry(b"memory")
    if entry is None:
        yield ok("there is no memory directory")
    elif entry.kind is Kind.LINK:
        yield fail(
            f"memory is a symbolic link to {shown(entry.target)}: what is below it is neither indexed nor watched",
            "move the directory here in its place, or protect the real one: conductd protect DIR",
            (b"memory",),
        )
    elif entry.kind is not Kind.DIRECTORY:
        yield fail("memory is no directory", "move the file away and make the directory", (b"memory",))
    elif not entry.readable:
        yield fail("the directory memory cannot be read", "chmod u+rx memory", (b"memory",))


def shown(path: bytes) -> str:
    return path.decode("utf-8", "replace")


def names(paths: Iterable[bytes], most: int = 5) -> str:
    """The first few, and how many more there are."""
    listed = list(paths)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(map(shown, listed[:most])) + more


def _exists(workspace: Workspace) -> bool:
    return workspace.exists and workspace.is_directory


CHECKS: tuple[Check[Workspace], ...] = (
    Check(
        "links",
        "memory and bootstrap files that are symbolic links",
        "OpenClaw neither loads nor indexes a linked file; conductd follows no link and does not record it.",
        "no memory file is a symbolic link",
        _links,
        ("entries",),
        _exists,
    ),
    Check(
        "hard_links",
        "memory and bootstrap files with more than one name",
        "OpenClaw refuses a file with a second hard link, and a write to the one changes the other.",
        "no memory file shares its content with another name",
        _hard_links,
        ("entries",),
        _exists,
    ),
    Check(
        "memory_directory",
        "whether `memory/` is a real directory that can be read",
        "A linked `memory/` is left out by the loaders and by conductd alike.",
        "memory is a directory",
        _directory,
        ("entries",),
        _exists,
    ),
)

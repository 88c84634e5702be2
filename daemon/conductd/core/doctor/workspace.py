"""The workspace itself: there, guarded, the same as before, writable, with room; its times and its git. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from conductd.core.doctor.facts import Kind, Workspace
from conductd.core.doctor.finding import Check, Seen, fail, ok, unknown, warn
from conductd.core.doctor.links import names, shown
from conductd.core.doctor.store import FEW_FILES, LITTLE, SKEW_NS, TOO_FEW_FILES, TOO_LITTLE, size
from conductd.views.words import pasted


def _guarded(workspace: Workspace) -> Iterator[Seen]:
    where = shown(workspace.root)
    protect = pasted("conductd", "protect", where)
    if not workspace.exists:
        yield fail(
            f"{where} is not there", f"once it is there again: {pasted('conductd', 'restore', '--at', 'TIME', where)}"
        )
    elif not workspace.is_directory:
        yield fail(f"{where} is no directory", "name the directory that holds the memory")
    if workspace.known is None:
        yield unknown("whether it is watched is not known: no daemon answers", "conductd run")
    elif not workspace.known:
        yield warn("it is not watched: nothing is recorded, nothing put back", protect)
    elif workspace.mode != "protect":
        yield warn("it is only observed: nothing is put back", protect)
    if workspace.state and workspace.state not in ("ok", "missing"):
        yield warn(f"it is {workspace.state}", "let one daemon guard it")
    elif workspace.state == "missing" and workspace.exists:
        yield fail(
            "the daemon does not see the directory that stands there", "conductd status; then restart the daemon"
        )


def _identity(workspace: Workspace) -> Iterator[Seen]:
    if workspace.recorded == (0, 0):
        yield ok("nothing is recorded of it yet")
    elif workspace.recorded != workspace.stands:
        device, inode = workspace.recorded or (0, 0)
        now_device, now_inode = workspace.stands or (0, 0)
        yield fail(
            f"another directory stands there than the one recorded (device {now_device}, inode {now_inode}; "
            f"recorded {device}, {inode})",
            "if you moved or restored it, the daemon takes it up and offers what the old one held: conductd incidents",
        )


def _writable(workspace: Workspace) -> Iterator[Seen]:
    if workspace.is_read_only:
        yield fail("the file system is mounted read-only", "mount it for writing")
    elif not workspace.root_writable:
        yield fail("the directory cannot be written: no repair can be made in it", "chmod u+w DIR, or chown it")
    entries = [each for each in workspace.entries or () if each.role is not None]
    unreadable = [each.path for each in entries if not each.readable]
    if unreadable:
        yield fail(f"cannot be read: {names(unreadable)}", "chmod u+r FILE", unreadable)
    locked = [each.path for each in entries if each.kind is Kind.FILE and each.readable and not each.writable]
    if locked:
        yield warn(f"cannot be written: {names(locked)}", "chmod u+w FILE", locked)
    folders = [
        each.path
        for each in workspace.entries or ()
        if each.kind is Kind.DIRECTORY and (each.path + b"/").startswith(b"memory/") and not each.writable
    ]
    if folders:
        yield fail(f"directories that cannot be written: {names(folders)}", "chmod u+w DIR", folders)
    foreign = [each.path for each in entries if each.owner != workspace.user]
    if foreign:
        yield warn(f"belong to another user: {names(foreign)}", "chown them to yourself", foreign)
    open_to_all = [each.path for each in entries if each.kind is Kind.FILE and each.mode & 0o002]
    if open_to_all:
        yield warn(f"can be written by every user of the machine: {names(open_to_all)}", "chmod o-w FILE", open_to_all)


def _room(workspace: Workspace) -> Iterator[Seen]:
    free, files = workspace.free_bytes or 0, workspace.free_files
    if free < TOO_LITTLE:
        yield fail(
            f"only {size(free)} are free on its disk", "make room: agents leave half-written files on a full disk"
        )
    elif free < LITTLE:
        yield warn(f"only {size(free)} are free on its disk", "make room")
    if files is not None and 0 <= files < FEW_FILES:
        told = fail if files < TOO_FEW_FILES else warn
        yield told(f"only {files} more files can be made on its disk", "remove files: the inodes run out")


def _times(workspace: Workspace) -> Iterator[Seen]:
    limit = (workspace.now_ns or 0) + SKEW_NS
    late = [each.path for each in workspace.entries or () if each.kind is Kind.FILE and each.mtime_ns > limit]
    if late:
        yield warn(f"changed in the future, by their times: {names(late)}", "set the clock, then: touch FILE", late)


def _git(workspace: Workspace) -> Iterator[Seen]:
    git = workspace.git
    assert git is not None
    if not git.top:
        yield ok("it is in no git repository; conductd keeps the history")
        return
    if git.holds_memory:
        yield warn(
            "a git repository lies inside of the memory: agents that keep one there themselves are disturbed",
            "keep repositories above the memory",
        )
    if git.unfinished:
        yield warn(f"git has not ended a {git.unfinished}: nothing is put back while it may still write", "end it")
    if git.ignored is None:
        yield unknown("which memory files git ignores could not be found out")
    elif git.ignored:
        yield ok(f"git ignores {names(git.ignored)}: it keeps no copy of them, conductd does", git.ignored)
    if git.not_given is None:
        yield unknown("whether git was given what stands in the memory files was not looked for: there are too many")
    elif git.not_given:
        yield ok(f"git was never given what stands in {names(git.not_given)}; conductd has it", git.not_given)


def _exists(workspace: Workspace) -> bool:
    return workspace.exists and workspace.is_directory


CHECKS: tuple[Check[Workspace], ...] = (
    Check(
        "workspace",
        "whether the workspace is there, watched, and guarded",
        "Only a workspace in the mode `protect` gets back what is destroyed.",
        "it is there and protected",
        _guarded,
    ),
    Check(
        "identity",
        "whether the directory is the one that is recorded (device and inode)",
        "Another directory at the same path can be an empty mount, a fresh copy or a re-seeded workspace.",
        "the directory is the one that is recorded",
        _identity,
        ("recorded", "stands"),
        lambda workspace: _exists(workspace) and workspace.known is not False,
    ),
    Check(
        "writable",
        "whether the workspace and its memory files can be read and written, by whom, and whose they are",
        "What cannot be read is not recorded, what cannot be written is not put back.",
        "the workspace and its memory files can be read and written",
        _writable,
        ("entries", "root_writable", "is_read_only"),
        _exists,
    ),
    Check(
        "workspace_room",
        "free space and free inodes where the workspace is",
        "On a full disk an agent's write leaves an empty or half-written file.",
        "there is room on its disk",
        _room,
        ("free_bytes",),
        _exists,
    ),
    Check(
        "file_times",
        "memory files whose time lies in the future",
        "Agents and rescans compare times: such a file looks changed, or unchanged, for ever.",
        "no file was changed in the future",
        _times,
        ("entries", "now_ns"),
        _exists,
    ),
    Check(
        "git",
        "git in the workspace: unfinished operations, memory that it ignores or never got, a repository in the memory",
        "While git rewrites the work tree nothing is written under its feet.",
        "git is at rest, and ignores no memory file",
        _git,
        ("git",),
        _exists,
    ),
)

"""Names the workspace in a notice where there are several: a file's name alone does not say whose it is.

Called by the recorder, which alone sees every notice before it is durable.
"""

from __future__ import annotations

import posixpath

import msgspec

from conductd.engine.fold.state import State
from conductd.journal.journal import Draft
from conductd.model import NoticeRecord
from conductd.views import shown


def placed(state: State, draft: Draft) -> Draft:
    """The draft; a notice about one of several workspaces with the name of its directory, or with the whole path
    where others have the same name."""
    record = draft.record
    if not isinstance(record, NoticeRecord) or not record.workspace:
        return draft
    with state.lock:
        roots = {number: track.root for number, track in state.workspaces.items()}
    root = roots.get(record.workspace)
    if root is None or len(roots) < 2 or shown(root) in record.title:
        return draft
    names = [posixpath.basename(each.rstrip(b"/")) for each in roots.values()]
    name = posixpath.basename(root.rstrip(b"/"))
    where = shown(name if name and names.count(name) == 1 else root)
    placed_record = msgspec.structs.replace(record, title=f"{record.title} (in {where})")
    return msgspec.structs.replace(draft, record=placed_record)

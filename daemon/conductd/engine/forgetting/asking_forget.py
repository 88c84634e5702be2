"""What the faces ask about forgetting (implements `faces.Forgetters`). Adds no rule of its own."""

from __future__ import annotations

from collections.abc import Iterator

from conductd.engine.forgetting.forget_check import check
from conductd.engine.forgetting.forget_search import Wanted
from conductd.engine.forgetting.forgetting import OUT_OF_REACH, Forgetting
from conductd.engine.health.overview import Parts
from conductd.engine.people.naming import Naming
from conductd.errors import UsageError
from conductd.faces import Caller, ForgetWish
from conductd.views import DidView, ForgetCheckView, ForgetView, ForgottenView, iso


class AskingToForget:
    """See the module. Thread-safe."""

    def __init__(self, parts: Parts, naming: Naming, forgetting: Forgetting) -> None:
        self._, self._naming, self._forgetting = parts, naming, forgetting

    def forget(self, wish: ForgetWish, caller: Caller) -> ForgetView:
        """Find it, then hide it or ask for that. Long: the whole history is read. Erased at once is only what
        somebody wants who may decide: whoever confirms a request can still call it off."""
        found = self._forgetting.find(self._wanted(wish))
        files, standing = self._forgetting.names(found), self._forgetting.standing(found)
        did = DidView("nothing in the history holds it", [], "")
        if found.records and wish.dry_run:
            did = DidView("this would be forgotten", [], "")
        elif found.records or found.guards or (wish.in_files and standing):
            now = wish.now and caller.may_decide
            arguments = self._forgetting.arguments(found, now=now, in_files=wish.in_files)
            words = self._forgetting.words(found, now=now)
            did = self._.weakening.ask("forget", arguments, caller, words)
            if did.request is None and wish.in_files:
                standing = self._forgetting.standing(found)
        return ForgetView(
            text=did.text,
            versions=found.versions,
            records=len(found.records),
            files=files,
            standing=standing,
            plans=did.plans,
            cancel_command=did.undo_command,
            request=did.request,
            out_of_reach=list(OUT_OF_REACH),
        )

    def _wanted(self, wish: ForgetWish) -> Wanted:
        chosen = [wish.matching, wish.secret, wish.version or wish.path]
        if sum(bool(each) for each in chosen) != 1:
            raise UsageError("say what to forget: `matching`, `secret`, `version`, or `path`", "conductd forget --help")
        if wish.version or wish.path:
            file = self._naming.file(wish.path, wish.workspace) if wish.path is not None else None
            if wish.version:
                return Wanted(version=self._naming.version(file, wish.version).seq)
            assert file is not None
            return Wanted(file=file.id)
        if wish.secret:
            return Wanted(wish.secret, is_secret=True, only_match=wish.only_match)
        return Wanted(wish.matching, is_regex=wish.regex, only_match=wish.only_match)

    def cancel(self, number: int, caller: Caller) -> DidView:
        return self._forgetting.cancel(number, caller)

    def forgotten(self) -> list[ForgottenView]:
        """What is hidden and will be erased, oldest first."""
        with self._.state.lock:
            pending = self._.state.forgotten.pending()
            return [
                ForgottenView(
                    each.id, iso(each.at_ns), each.at_ns, iso(due := each.record.due_ns), due, len(each.record.versions)
                )
                for each in pending
            ]

    def check(self, wish: ForgetWish) -> Iterator[ForgetCheckView | float]:
        """Whether anything of what is erased, or of a text, is left in the store."""
        text = wish.secret or wish.matching
        roots = [handle.root for handle in self._.workspaces.handles()]
        return check(self._.journal, self._.state_dir, text, roots)

"""What the faces see: the JSON shapes of the API.

Every struct here is one JSON object of the API, field for field; docs/api.md and the OpenAPI
document are held to it by tests. Times are ISO 8601 with offset (`at`) plus `at_ns`. A path is
given twice: `path` (UTF-8, undecodable bytes as U+FFFD) for people, `path_b64` for programs.
"""

from __future__ import annotations

from conductd.views.base import (
    View,
    b64,
    encoded,
    iso,
    iso_exactly,
    shown,
)
from conductd.views.bootcard import BootcardLineView, BootcardQuoteView, BootcardView, TokensView
from conductd.views.daemon import (
    ChannelView,
    DamageView,
    DegradedView,
    FileView,
    HeartbeatView,
    HelloView,
    LeftOutView,
    PendingView,
    StatusView,
    SyncView,
    VerifyView,
    WorkspaceView,
)
from conductd.views.decided import (
    DidView,
    FalseAlarmView,
    ForgetCheckView,
    ForgetView,
    ForgottenView,
    LeaseView,
    LeftView,
    PinView,
    PlanView,
    RequestView,
    RoleView,
    SetFileView,
    SetView,
)
from conductd.views.doctor import FixedView, FixView, NotFixedView
from conductd.views.history import (
    EntryView,
    EventView,
    ExplainChangeView,
    ExplainView,
    IncidentView,
    OtherwiseView,
    SmallLossView,
    VersionView,
)
from conductd.views.jobs import JobRunView, JobView, ReportView
from conductd.views.load import (
    LoadFindingView,
    LoadLineView,
    LoadView,
)
from conductd.views.reload import ReloadView
from conductd.views.retained import GcFileView, GcView
from conductd.views.rotated import AllowedView, MovedView, RotateView

__all__ = [
    "AllowedView",
    "BootcardLineView",
    "BootcardQuoteView",
    "BootcardView",
    "ChannelView",
    "DamageView",
    "DegradedView",
    "DidView",
    "EntryView",
    "EventView",
    "ExplainChangeView",
    "ExplainView",
    "FalseAlarmView",
    "FileView",
    "FixView",
    "FixedView",
    "ForgetCheckView",
    "ForgetView",
    "ForgottenView",
    "GcFileView",
    "GcView",
    "HeartbeatView",
    "HelloView",
    "IncidentView",
    "JobRunView",
    "JobView",
    "LeaseView",
    "LeftOutView",
    "LeftView",
    "LoadFindingView",
    "LoadLineView",
    "LoadView",
    "MovedView",
    "NotFixedView",
    "OtherwiseView",
    "PendingView",
    "PinView",
    "PlanView",
    "ReloadView",
    "ReportView",
    "RequestView",
    "RoleView",
    "RotateView",
    "SetFileView",
    "SetView",
    "SmallLossView",
    "StatusView",
    "SyncView",
    "TokensView",
    "VerifyView",
    "VersionView",
    "View",
    "WorkspaceView",
    "b64",
    "encoded",
    "iso",
    "iso_exactly",
    "shown",
]

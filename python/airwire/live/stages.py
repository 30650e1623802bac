"""Where the time of a row's messages goes, as the live view shows it: the stages near the median, the longest first."""

from __future__ import annotations

from airwire.explain.waterfall import waterfalls
from airwire.live.feed import Stages
from airwire.model import Capture


def stages_of(capture: Capture) -> Stages | None:
    """The stages of a row; nothing where no spans were kept."""
    found = waterfalls(capture, (50,))
    if not found or not found[0].stages:
        return None
    longest_first = sorted(found[0].stages, key=lambda stage: -stage.ps)
    return Stages(f"mean of {found[0].messages} messages near the median", longest_first)

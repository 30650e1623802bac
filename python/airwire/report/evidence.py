"""Reading a finding's evidence, whose keys may be missing or hold something else than expected."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from airwire.model import Finding


def number(evidence: Mapping[str, Any], key: str) -> float | None:
    """The finite number under ``key``, or ``None``."""
    value = evidence.get(key)
    return float(value) if _is_number(value) else None


def numbers(evidence: Mapping[str, Any], key: str) -> list[float]:
    """The finite numbers under ``key``: a list's members, a single number as a list of one, or nothing."""
    value = evidence.get(key)
    if isinstance(value, list | tuple):
        return [float(item) for item in value if _is_number(item)]
    return [float(value)] if _is_number(value) else []


def period_of(finding: Finding) -> float | None:
    """The period in picoseconds that a finding speaks of, where it has one that is positive."""
    for value in (finding.period_ps, number(finding.evidence, "period_ps")):
        if value is not None and value > 0:
            return value
    return None


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

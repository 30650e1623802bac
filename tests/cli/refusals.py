"""How every command refuses what it cannot take."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

Airwire = Callable[..., subprocess.CompletedProcess[str]]


def sentence(result: subprocess.CompletedProcess[str]) -> str:
    """What was said, after checking that it is a refusal and nothing worse."""
    assert result.returncode == 2, (result.returncode, result.stderr)
    assert "Traceback" not in result.stderr
    assert "panicked" not in result.stderr
    return " ".join(result.stderr.split())

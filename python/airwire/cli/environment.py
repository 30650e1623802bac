"""What made a result: host, versions and wall clock, kept beside a run and outside every comparison of runs."""

from __future__ import annotations

import platform
import shlex
import sys
from datetime import UTC, datetime
from uuid import uuid4

from airwire import _core


def environment() -> dict[str, str]:
    """The environment of a run that starts now."""
    return {
        "schema": "airwire.environment/1",
        "run_id": str(uuid4()),
        "started": datetime.now(UTC).isoformat(),
        "airwire": _core.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "host": platform.node(),
        # File names may hold bytes that are no text.
        "command": shlex.join(["airwire", *sys.argv[1:]]).encode("utf-8", "backslashreplace").decode("utf-8"),
    }

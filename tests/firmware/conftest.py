"""Fixtures of the firmware's tests."""

from __future__ import annotations

import pytest
from http_host import HostBuild


@pytest.fixture(scope="session")
def host_build(tmp_path_factory: pytest.TempPathFactory) -> HostBuild:
    """The firmware's code built for this machine, with sanitizers."""
    return HostBuild(tmp_path_factory.mktemp("host"))

"""Fixtures of the firmware's tests."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from host_applications import build_for_host
from http_host import REPOSITORY, HostBuild

from artefacts import made_once, session_folder


@pytest.fixture(scope="session")
def host_build(tmp_path_factory: pytest.TempPathFactory) -> HostBuild:
    """The firmware's code built for this machine, with sanitizers."""
    return HostBuild(tmp_path_factory.mktemp("host"), session_folder(tmp_path_factory))


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of applications, tests and fuzz targets for this machine, with sanitizers."""
    return made_once(session_folder(tmp_path_factory) / "host-applications", build_for_host)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The documents' script that photographs the page, and serves it meanwhile."""
    monkeypatch.syspath_prepend(REPOSITORY / "tools" / "documents")
    return importlib.import_module("live_page")

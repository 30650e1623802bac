"""The documentation site is built from the documents without a warning: links, anchors and signatures are right."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from docs_console import REPOSITORY

import airwire

# What the stub beside the package lists; __version__ has no page of its own.
PUBLIC = sorted(name for name in dir(airwire) if not name.startswith("__"))
DOCS = REPOSITORY / "docs"
INTERFACE_PAGE = DOCS / "reference" / "python-interface.md"
SITE_PACKAGES = ("sphinx", "myst_parser", "furo")


def build(documents: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Build a site as ``make site`` does."""
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", out / "doctrees", documents, out / "site"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": "default"},
    )


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in SITE_PACKAGES),
    reason="the site is built with Sphinx, MyST and Furo, which are not here: pip install -r requirements-dev.txt",
)
def test_the_site_is_built_without_a_warning_and_has_the_python_interface(tmp_path: Path) -> None:
    built = build(DOCS, tmp_path)
    assert built.returncode == 0, built.stderr
    page = (tmp_path / "site" / "reference" / "python-interface.html").read_text(encoding="utf-8")
    for name in PUBLIC:
        assert f'id="airwire.{name}"' in page, name
    menu = (tmp_path / "site" / "how-to" / "index.html").read_text(encoding="utf-8")
    (tree,) = re.findall(r'<div class="sidebar-tree">(.*?)</div>\s*</div>', menu, re.DOTALL)
    pages = re.findall(r'href="([\w-]+\.html)"', tree)
    assert "ask-why.html" in pages and len(pages) == len(set(pages)), "every page is in the menu once"


def test_every_public_name_is_once_on_the_page_of_the_python_interface() -> None:
    names = re.findall(r"^\.\. auto\w+:: (\w+)$", INTERFACE_PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) == len(set(names))
    assert set(names) == set(PUBLIC), f"add what is public to {INTERFACE_PAGE.name}, and take out what is not"

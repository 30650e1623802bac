"""Python sessions in the documents run and print what they show."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from docs_console import BUILD, DOCUMENTS, REPOSITORY, Command, run, workspace

_SESSION = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SESSIONS = {
    document: _SESSION.findall(document.read_text(encoding="utf-8"))
    for document in DOCUMENTS
    if _SESSION.search(document.read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("document", SESSIONS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_python_sessions_print_what_the_documents_show(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    text = "\n".join(SESSIONS[document])
    if "build/firmware/" in text and not (BUILD / "firmware" / "w5500-evb-pico").is_dir():
        pytest.skip("the firmware is not built: make firmware (needs arm-none-eabi-gcc)")
    if "runs/demo" in text:
        run(Command("airwire demo", ""), tmp_path)
    session = doctest.DocTestParser().get_doctest(text, {}, document.name, None, None)
    assert doctest.DocTestRunner(verbose=False).run(session).failed == 0


def test_the_readme_has_a_python_session() -> None:
    assert REPOSITORY / "README.md" in SESSIONS

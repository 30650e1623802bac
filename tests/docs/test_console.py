"""Every command that the documents show is run, and what they show of its output is true."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from docs_console import (
    BUILD,
    CAPTURES,
    DOCUMENTS,
    README,
    README_COLUMNS,
    REPOSITORY,
    Block,
    Command,
    blocks_of,
    columns_of,
    refresh,
    run,
    take_results,
    workspace,
)

from artefacts import NO_COMPILER, built_images

BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]
REFRESH = "`make docs` writes the true output into the documents"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    """One folder a document, so that its blocks build on each other as they do for a reader."""
    names = {document: tmp_path_factory.mktemp(document.stem) for document in DOCUMENTS}
    return {document: workspace(folder) for document, folder in names.items()}


@pytest.fixture(scope="module")
def has_images() -> bool:
    """Whether the test images could be built."""
    return built_images() is not None


@pytest.mark.parametrize(
    "block",
    [pytest.param(block, marks=[pytest.mark.slow] if block.is_slow else [], id=block.name) for block in BLOCKS],
)
def test_commands_in_the_documents_do_what_the_documents_show(
    block: Block, folders: dict[Path, Path], has_images: bool, whole_run: Callable[[str], Path]
) -> None:
    if block.needs_captures and not CAPTURES.is_dir():
        pytest.skip("the real captures (../shared/captures) are not on this machine")
    if block.needs_sigrok and shutil.which("sigrok-cli") is None:
        pytest.skip("sigrok-cli is not installed")
    if block.needs_images and not has_images:
        pytest.skip(NO_COMPILER)
    if block.needs_firmware and not (BUILD / "firmware" / "w5500-evb-pico" / "pingpong_client-hardware.elf").is_file():
        pytest.skip("the firmware is not built: make firmware (needs arm-none-eabi-gcc)")
    if block.needs_avrs and not (BUILD / "firmware" / "goldilocks-1284p-w5200").is_dir():
        pytest.skip("the images for AVRs are not built: make firmware (needs avr-gcc)")
    for command in block.commands:
        if command.is_for_the_build:
            continue
        folder = folders[block.document]
        if command.whole_run:
            take_results(whole_run(command.whole_run), folder)
            command = Command(command.line.removeprefix(command.whole_run).removeprefix("; "), command.shown)
        code, printed = run(command, folder, columns_of(block.document))
        assert code == 0, f"{command.line}\n{printed}"
        if command.shown:
            assert printed == command.shown, f"{command.line}: {REFRESH}"


def test_documents_run_a_whole_suite_with_one_command_so_that_it_runs_once() -> None:
    runs = {command.whole_run for block in BLOCKS for command in block.commands if command.whole_run}
    assert len({run.partition(" --out ")[0].partition(" >")[0] for run in runs}) == len(runs) > 3


def test_the_readme_is_short_and_narrow_and_asks_its_three_questions_with_what_a_checkout_has() -> None:
    text = README.read_text(encoding="utf-8").splitlines()
    assert len(text) <= 150
    assert [line for line in text if len(line) > README_COLUMNS] == []
    blocks = blocks_of(README)
    assert not any(block.needs_captures or block.needs_images for block in blocks)
    commands = [command for block in blocks for command in block.commands]
    for question in ("airwire why ", "airwire choose ", "airwire analyze "):
        assert any(command.line.startswith(question) and command.shown for command in commands), question


def test_refreshing_a_document_writes_the_true_output_and_leaves_the_rest(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before.\n\n```console\n$ echo one; echo two\nstale\n$ true\n$ git clone x\n```\nAfter.\n")
    refresh(page)
    assert page.read_text() == (
        "Before.\n\n```console\n$ echo one; echo two\none\ntwo\n$ true\n$ git clone x\n```\nAfter.\n"
    )


def test_pictures_are_small_and_each_is_in_a_document() -> None:
    texts = [document.read_text(encoding="utf-8") for document in DOCUMENTS]
    pictures = sorted((REPOSITORY / "docs" / "pictures").iterdir())
    assert pictures
    for picture in pictures:
        assert picture.stat().st_size < 200_000, picture.name
        assert any(f"pictures/{picture.name})" in text for text in texts), picture.name

"""Files that are there whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from airwire.outputs import new_file, new_folder, write_file, write_files


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("of something else"), ValueError])
def test_what_ends_early_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(error if isinstance(error, type) else OSError), new_file(path) as file:
        file.write(b"half of the new")
        assert path.read_text() == "old"
        raise error
    assert (names(tmp_path), path.read_text()) == (["a.txt"], "old")


def test_files_that_belong_together_appear_together(tmp_path: Path) -> None:
    (tmp_path / "a.h").mkdir()
    with pytest.raises(IsADirectoryError) as refused:
        write_files({tmp_path / "a.c": "source", tmp_path / "a.h": "header"})
    assert refused.value.filename == str(tmp_path / "a.h")
    assert names(tmp_path) == ["a.h"]


def test_a_link_stays_one_and_the_file_behind_it_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o600)
    (tmp_path / "link").symlink_to("file")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600
    assert names(tmp_path) == ["file", "link"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")
def test_a_device_is_written_to_and_the_error_names_what_was_given(tmp_path: Path) -> None:
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as refused:
        write_file(tmp_path / "full", "new")
    assert refused.value.filename == str(tmp_path / "full")
    assert Path("/dev/full").is_char_device()


def test_folders_that_were_made_for_nothing_go_again_and_others_stay(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "mine/a/b"):
        raise KeyboardInterrupt
    assert names(tmp_path / "mine") == []
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "mine/a"):
        (tmp_path / "mine/a/kept").write_text("finished before")
        raise KeyboardInterrupt
    assert names(tmp_path / "mine/a") == ["kept"]

"""Sweeps on a real Dask scheduler with two workers: whatever is killed, no point is lost and none is counted twice, and
the data set has the bytes that one machine gives."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest
from sweep_clusters import (
    POINTS,
    Cluster,
    cluster,
    data_set,
    ended,
    finished,
    in_the_midst,
    kill,
    sweep,
    wait_for,
)

pytest.importorskip("distributed", reason="the extra cluster is not installed")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The data set of the same sweep in processes of this machine."""
    folder = tmp_path_factory.mktemp("here")
    code, _, said = ended(sweep(folder))
    assert code == 0, said
    return data_set(folder)


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Cluster]:
    """A cluster with two workers."""
    with cluster(tmp_path / "cluster") as made:
        yield made


def check_whole(folder: Path, here: dict[str, bytes]) -> None:
    """Every point once, and the same bytes as on one machine."""
    points = pl.read_parquet(folder / "out" / "points" / "*.parquet")
    assert points["index"].to_list() == list(range(POINTS))
    assert points["point"].n_unique() == POINTS
    assert points["figure"].null_count() == 0
    assert data_set(folder) == here


def test_a_worker_and_then_the_scheduler_are_killed_and_the_same_command_goes_on(
    two: Cluster, tmp_path: Path, here: dict[str, bytes]
) -> None:
    running = sweep(tmp_path, "--scheduler", two.address)
    in_the_midst(tmp_path, running)
    kill(two.workers[0])
    at = finished(tmp_path)
    wait_for(lambda: finished(tmp_path) >= at + 20, "more points from the worker that is left")
    kill(two.scheduler)
    code, printed, said = ended(running)
    kept = finished(tmp_path)
    assert (code, printed, said.count("\n")) == (2, "", 1), said
    assert f"the scheduler at {two.address} is gone" in said
    assert f"{kept} of {POINTS} points are finished and kept in out; the same command goes on" in said
    with cluster(tmp_path / "another") as another:
        code, printed, said = ended(sweep(tmp_path, "--scheduler", another.address))
    assert (code, said) == (0, "")
    told = json.loads(printed)
    assert (told["finished"], told["ran"]) == (POINTS, POINTS - kept)
    check_whole(tmp_path, here)


@pytest.mark.slow
def test_what_a_lost_cluster_left_is_finished_on_this_machine(
    two: Cluster, tmp_path: Path, here: dict[str, bytes]
) -> None:
    running = sweep(tmp_path, "--scheduler", two.address, "--wait", "1s")
    in_the_midst(tmp_path, running)
    for worker in two.workers:
        kill(worker)
    code, _, said = ended(running)
    assert (code, said.count("\n")) == (2, 1), said
    assert f"the scheduler at {two.address} has had no worker for 1 s; start one with dask worker" in said
    code, printed, said = ended(sweep(tmp_path))
    assert (code, said) == (0, "")
    assert 0 < json.loads(printed)["ran"] < POINTS
    check_whole(tmp_path, here)


def test_a_full_disk_on_one_worker_costs_no_point(tmp_path: Path, here: dict[str, bytes]) -> None:
    with cluster(tmp_path / "cluster", workers=1) as made:
        # No file of it may become longer than two blocks of 1 KiB, as on a disk that is full.
        made.add_worker(shell="trap '' XFSZ; ulimit -f 2;")
        code, _, said = ended(sweep(tmp_path, "--scheduler", made.address))
    assert (code, said) == (0, "")
    check_whole(tmp_path, here)


@pytest.mark.slow
def test_where_every_disk_is_full_the_sweep_says_so(tmp_path: Path) -> None:
    with cluster(tmp_path / "cluster", workers=0) as made:
        made.add_worker(shell="trap '' XFSZ; ulimit -f 2;")
        code, _, said = ended(sweep(tmp_path, "--scheduler", made.address))
    assert (code, said.count("\n")) == (2, 1), said
    assert f"no worker at {made.address} can run a point: tcp://" in said and "File too large" in said


def test_an_address_without_a_port_is_refused_at_once(tmp_path: Path) -> None:
    code, _, said = ended(sweep(tmp_path, "--scheduler", "nonsense", "--wait", "1s"))
    assert (code, said.count("\n")) == (2, 1), said
    assert "'nonsense' is no address of a scheduler; give host and port, such as tcp://host:8786" in said


def test_an_address_that_the_library_refuses_is_one_sentence_without_a_traceback(tmp_path: Path) -> None:
    code, _, said = ended(sweep(tmp_path, "--scheduler", "nonsense://127.0.0.1:1", "--wait", "1s"))
    assert (code, said.count("\n")) == (2, 1), said
    assert "nonsense://127.0.0.1:1: is no Dask scheduler" in said


def test_a_server_that_says_nothing_is_not_waited_for_long(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        code, _, said = ended(sweep(tmp_path, "--scheduler", f"tcp://127.0.0.1:{silent.getsockname()[1]}"))
    assert (code, said.count("\n")) == (2, 1), said
    assert "it took the connection and said nothing for 10 s" in said
    assert time.monotonic() - begun < 25


@pytest.mark.slow
def test_a_scheduler_that_falls_silent_in_the_midst_is_not_waited_for_long(two: Cluster, tmp_path: Path) -> None:
    running = sweep(tmp_path, "--scheduler", two.address)
    in_the_midst(tmp_path, running)
    two.scheduler.send_signal(signal.SIGSTOP)
    begun = time.monotonic()
    code, printed, said = ended(running)
    assert (code, printed, said.count("\n")) == (2, "", 1), said
    assert f"the scheduler at {two.address} has said nothing for 30 s; look whether it still runs, and go on" in said
    assert f"{finished(tmp_path)} of {POINTS} points are finished and kept in out" in said
    assert time.monotonic() - begun < 60


def test_a_scheduler_that_is_not_there_or_has_no_workers_is_one_sentence(tmp_path: Path) -> None:
    code, _, said = ended(sweep(tmp_path, "--scheduler", "tcp://127.0.0.1:1"))
    assert (code, said.count("\n")) == (2, 1), said
    assert "no scheduler answers at tcp://127.0.0.1:1" in said
    with cluster(tmp_path / "cluster", workers=0) as made:
        code, _, said = ended(sweep(tmp_path, "--scheduler", made.address, "--wait", "500ms"))
    assert (code, said.count("\n")) == (2, 1), said
    assert "has had no worker for 0.5 s" in said


OTHER_LIBRARY = """
import importlib.metadata as metadata
real = metadata.version
metadata.version = lambda name: "2024.1.0" if name == "distributed" else real(name)
"""
OTHER_AIRWIRE = "import airwire.sweep.remote as remote; remote._core.__version__ = '0.0.1'"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "module", "says"),
    [
        ("scheduler", OTHER_LIBRARY, "has distributed 2024.1.0, and here is"),
        ("worker", OTHER_AIRWIRE, "has Airwire 0.0.1, and here is"),
    ],
    ids=["scheduler", "worker"],
)
def test_another_version_is_refused(tmp_path: Path, program: str, module: str, says: str) -> None:
    """A scheduler or a worker that says of itself that it is of another version."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sitecustomize.py").write_text(module + "\n")
    environment = f"export PYTHONPATH={tmp_path / 'other'};"
    with cluster(tmp_path / "cluster", workers=0) as made:
        if program == "scheduler":
            made.scheduler.kill()
            made.scheduler.wait()
            (tmp_path / "cluster" / "scheduler.json").unlink()
            made.scheduler = made.start(
                "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", shell=environment
            )
            wait_for(made._has_address, "the scheduler")
            made.address = json.loads((tmp_path / "cluster" / "scheduler.json").read_text())["address"]
        made.add_worker(shell=environment if program == "worker" else "")
        code, _, said = ended(sweep(tmp_path, "--scheduler", made.address))
    assert (code, said.count("\n")) == (2, 1), said
    assert says in said


def test_images_and_files_of_traffic_travel_to_each_worker_once(two: Cluster, firmware: Path, tmp_path: Path) -> None:
    from distributed import Client

    from airwire.sweep import remote

    (tmp_path / "boards.toml").write_text(
        '[boards.fast]\nfirmware = "w5500-evb-pico/pingpong_client-lwip_raw.elf"\nskip = 1\nsamples = 20\n'
        '[boards.slow]\nsame_but = "fast"\nsettings = { wiznet_int = "off" }\n'
        '[boards.asked]\nfirmware = "w5500-evb-pico/http_server-hardware.elf"\nsamples = 1\n'
        'traffic = ["talk to=board:80 file=ask.http"]\n'
    )
    (tmp_path / "ask.http").write_bytes(b"GET / HTTP/1.0\r\n\r\n")
    line = [sys.executable, "-m", "airwire.cli", "sweep", "boards.toml", "--over", "wiznet_poll_us=1ms,2ms,4ms"]
    line += ["--firmware", str(firmware), "--seeds", "3", "--json"]
    done = []
    for name, more in (("far", ["--scheduler", two.address]), ("near", [])):
        done.append(subprocess.run([*line, "--out", name, *more], cwd=tmp_path, capture_output=True, text=True))
        assert done[-1].returncode == 0, done[-1].stderr
    assert data_set(tmp_path, "far") == data_set(tmp_path, "near")
    points = pl.read_parquet(tmp_path / "far" / "points" / "*.parquet")
    digests = {*points["firmware_sha256"].unique(), sha256((tmp_path / "ask.http").read_bytes()).hexdigest()}
    with Client(two.address) as client:  # type: ignore[no-untyped-call]
        kept = client.run(remote.kept_files)
        received = client.run(remote.received)
    assert len(kept) == 2 and all(files == sorted(digests) for files in kept.values())
    # Written once by each, whatever the number of bundles.
    assert list(received.values()) == [len(digests), len(digests)] == [3, 3]


@pytest.mark.slow
def test_ctrl_c_leaves_what_is_finished(two: Cluster, tmp_path: Path, here: dict[str, bytes]) -> None:
    running = sweep(tmp_path, "--scheduler", two.address)
    in_the_midst(tmp_path, running)
    running.send_signal(signal.SIGINT)
    code, printed, said = ended(running)
    assert (code, printed, said.count("\n")) == (130, "", 1), said
    assert said.startswith("airwire: stopped by Ctrl-C; ")
    shutil.copytree(tmp_path / "out", tmp_path / "copy")
    assert ended(sweep(tmp_path))[0] == 0
    check_whole(tmp_path, here)

"""A board's network from Python: traffic by name, results and samples, impairments, files and their schema."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import get_args

import polars as pl
import pytest

import airwire
from airwire.board import Board
from airwire.board.network import Counter, Loss, LossMark, TrafficResult, network_reference, network_schema
from airwire.explain.board.losses import losses
from airwire.kinds import LossCause

PING = "ping to=board count=4 interval=10ms"


def http_board(images: Path, **network: object) -> Board:
    return Board("w5500-evb-pico", images / "wiznet_http.elf", record=False, **network)  # type: ignore[arg-type]


def test_a_run_ends_when_all_clients_are_done_and_tells_what_they_measured(images: Path) -> None:
    board = http_board(images, traffic=[PING, "page kind=http to=board requests=3"])
    run = board.run("20 s", until_done=True)
    assert (run.reason, run.failed) == ("done", False), run.sentence
    assert run.sentence.startswith("all traffic was done at")
    ping, page = board.traffic["ping"], board.traffic["page"]
    assert (ping.kind, ping.client, ping.done, ping.failure) == ("ping", True, True, None)
    assert ping.summary.startswith("4 pings in ") and ping.summary.endswith(", 0 lost")
    assert {counter.name: counter.value for counter in page.counters}["answered"] == 3
    assert [entry.name for entry in run.traffic if entry.client] == ["ping", "page"]
    assert ping.latency is not None and 0 < ping.latency.min_ps <= ping.latency.p50_ps <= ping.latency.max_ps


def test_samples_are_rows_as_in_a_run_folder(images: Path) -> None:
    board = http_board(images, traffic=[PING])
    board.run("20 s", until_done=True)
    samples = pl.DataFrame(board.traffic.samples("ping"))
    assert samples["index"].to_list() == [0, 1, 2, 3]
    assert samples["outcome"].to_list() == ["ok"] * 4
    assert (samples["done_ps"] - samples["trigger_ps"]).to_list() == samples["latency_ps"].to_list()
    steps = samples["trigger_ps"].diff().drop_nulls()
    assert steps.to_list() == [10**10] * 3, "10 ms apart"
    assert samples["payload_bytes"].to_list() == [56] * 4
    with pytest.raises(airwire.AirwireError, match="nothing on the network is called pong"):
        board.traffic.samples("pong")


def test_a_run_fails_where_a_client_failed_or_is_not_done(images: Path) -> None:
    lost = http_board(images, traffic=[PING + " timeout=50ms"], impair="loss=100%")
    run = lost.run("20 s", until_done=True)
    assert run.failed
    assert "192.168.1.50 answered none of 4 pings within 50 ms" in run.sentence
    short = http_board(images, traffic=["ping to=board count=1000"])
    run = short.run("4 s", until_done=True)
    assert (run.reason, run.failed) == ("time", True)
    assert run.sentence.startswith(f"{run.end}; ping is not done (")


def test_waiting_without_a_client_is_refused(images: Path) -> None:
    with pytest.raises(airwire.AirwireError, match="there is no client to wait for; give one as traffic"):
        http_board(images).run("1 s", until_done=True)


@pytest.mark.parametrize(
    ("network", "sentence"),
    [
        ({"traffic": ["pnig to=board"]}, 'traffic.pnig: "pnig" is no kind of client or server; the nearest is ping'),
        (
            {"traffic": ["ping to=board name=second"]},
            'a name of its own stands first, and its kind behind it, as in "mine kind=ping"',
        ),
        ({"traffic": ["ping to=board cuont=3"]}, "traffic.ping.cuont: there is no such option; the nearest is count"),
        ({"traffic": ["ping"]}, "traffic.ping.to is not given"),
        ({"impair": "loss=2"}, "loss"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(network: dict[str, object], sentence: str) -> None:
    with pytest.raises(airwire.AirwireError) as refused:
        Board("w5500-evb-pico", **network)  # type: ignore[arg-type]
    assert sentence in str(refused.value)


def test_a_network_file_says_what_runs(images: Path, tmp_path: Path) -> None:
    file = tmp_path / "net.toml"
    file.write_text('[traffic.slow]\nkind = "ping"\nto = "board"\ncount = 2\ninterval = "5ms"\n', encoding="utf-8")
    board = http_board(images, network=file)
    assert not board.run("20 s", until_done=True).failed
    assert [row["outcome"] for row in board.traffic.samples("slow")] == ["ok", "ok"]


def test_the_schema_of_network_files_knows_every_kind() -> None:
    traffic = network_schema()["properties"]["traffic"]["properties"]
    kinds = network_reference().kinds
    assert set(traffic) == {kind.name for kind in kinds}
    for kind in kinds:
        assert {option.name for option in kind.options} < set(traffic[kind.name]["properties"])


WITHOUT_USE_BESIDE_OTHERS = {
    "pingpong": {"first_number", "newline"},
    "udp": {"first_number", "size", "think_time"},
    "talk": {"count", "interval"},
    "http": {"body"},
}
"""Options that are refused beside the examples of the others."""


def test_every_example_of_the_reference_makes_a_network(tmp_path: Path) -> None:
    for kind in network_reference().kinds:
        options = [option for option in kind.options if option.default is None or kind.name != "dhcp"]
        exclusive = {"send", "time"} <= {option.name for option in options}
        # Files are those of a user, and who answers nothing expects nothing.
        left_out = {"certificate", "file", "answers"} | ({"time"} if exclusive else set())
        left_out |= WITHOUT_USE_BESIDE_OTHERS.get(kind.name, set())
        lines = [f"{option.name} = '{option.example}'" for option in options if option.name not in left_out]
        text = "\n".join([f"[traffic.{kind.name}]", *lines]) + "\n"
        tomllib.loads(text)
        (tmp_path / "net.toml").write_text(text, encoding="utf-8")
        Board("w5500-evb-pico", network=tmp_path / "net.toml")


def result_with(loss: Loss) -> TrafficResult:
    counters = [Counter(name="lost", value=loss.count, unit="datagrams")]
    return TrafficResult("udp", "iperf-udp", True, True, "", None, counters, None, losses=[loss])


def test_every_cause_of_a_loss_has_its_sentence() -> None:
    mark = LossMark(at_ps=2 * 10**12, index=None, peer=None, detail=None)
    sentences = {cause: losses([result_with(Loss(cause, 3, mark, mark))])[0] for cause in get_args(LossCause)}
    assert len(set(sentences.values())) == len(sentences)
    assert sentences["missing"] == "udp: 3 datagrams sent and not received (at 2 s)"
    assert sentences["no_address"] == "udp turned a client away 3 times: every address of its pool is taken (at 2 s)"

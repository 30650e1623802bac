"""The pytest plug-in in a pytest of its own: the fixture ``bench``, failed assertions, reports, and what it costs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import polars as pl
import pytest

import airwire
from airwire.pytest_plugin.virtual_bench import Bench

pytest_plugins = ["pytester"]
PLUGIN = "airwire.pytest_plugin"
LOADED = (pl.DataFrame, airwire.write_html, airwire.simulate, airwire.run, airwire.load_run)
"""What is loaded before a pytest runs in this process stays loaded; compiled modules cannot be loaded twice."""
REPOSITORY = Path(__file__).resolve().parents[2]
SUITE = """
samples = 100
payloads = [12]
[links.uart.bounds]
p95 = "<= 10 ms"
[links.lora.bounds]
p95 = "<= 20 ms"
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project whose pytest has our plug-in alone, and leaves nothing out of a failure but what pytest leaves out."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for variable in ("CI", "BUILD_NUMBER", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(variable, raising=False)
    return pytester


def run(project: pytest.Pytester, test: str, *options: str) -> pytest.RunResult:
    project.makepyfile(test)
    return project.runpytest_inprocess("-p", PLUGIN, *options)


def test_a_figure_that_keeps_its_bound_passes(project: pytest.Pytester) -> None:
    done = run(
        project,
        """
        from airwire.pytest_plugin import Bench

        def test_link(bench: Bench) -> None:
            assert type(bench) is Bench
            row = bench.link("lora", payload_bytes=12, samples=200, sf=9)
            assert row.p95 <= "500 ms" and row.p95 < "500 ms"
            assert row.median >= "20 ms" and row.median > "20 ms"
            assert row.loss <= "0.1 %" and not row.loss > 0
            assert row.p99 <= 500_000_000_000
            assert float(row.max) == row.capture.latency_ps["max"]
            assert not row.p95 <= "20 ms"
        """,
    )
    done.assert_outcomes(passed=1)


def test_a_figure_that_breaks_its_bound_fails_with_the_cause_and_the_waterfall(project: pytest.Pytester) -> None:
    done = run(
        project,
        """
        def test_link(bench):
            assert bench.link("lora", payload_bytes=12, samples=200, sf=9).p95 <= "20 ms"
        """,
    )
    done.assert_outcomes(failed=1)
    shown = [line.removeprefix("E").strip() for line in done.outlines if line.startswith("E ")]
    assert shown[0].startswith("assert p95 of lora/12B is ")
    assert shown[0].endswith(" ms, which is not <= 20 ms")
    assert " % goes to packet on the air" in shown[1]
    on_air = next(line for line in shown if line.startswith("packet on the air"))
    assert on_air.endswith(" %  ################")
    assert any(" more " in line for line in shown), "short stages stand together"
    assert not any("truncated" in line for line in shown), "nothing is left out at pytest's usual verbosity"


def test_a_suite_fails_with_each_broken_bound(project: pytest.Pytester) -> None:
    project.path.joinpath("gate.toml").write_text(SUITE)
    done = run(
        project,
        """
        def test_rows(bench):
            measured = bench.run("gate.toml")
            assert list(measured) == ["uart/12B", "lora/12B"] and len(measured) == 2
            assert measured["uart"].p95 <= "10 ms"
            assert measured.broken[0].startswith("lora/12B: p95 <= 20 ms is broken: ")
            bench.run("gate.toml", only=["uart"]).check()
            measured.check()
        """,
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "E * AssertionError: lora/12B: p95 <= 20 ms is broken: *",
            "E * lora/12B, near its median:",
            "E * packet on the air *",
        ]
    )
    assert "uart/12B:" not in done.stdout.str()


def test_firmware_is_told_by_its_size_as_a_suite_tells_it(project: pytest.Pytester, images: Path) -> None:
    done = run(
        project,
        f"""
        from airwire.tune.elf import sizes_of

        IMAGES = {str(images)!r}
        SETTINGS = {{"interrupts": True, "rounds": 20}}

        def test_sizes(bench):
            row = bench.firmware(IMAGES + "/wiznet_settings.elf", settings=SETTINGS)
            assert row.ram <= "264 KiB" and row.flash <= "2 MiB"
            assert float(row.ram) == sizes_of(IMAGES + "/wiznet_settings.elf")["ram"]
            assert float(row.flash) > 1000

        def test_too_large(bench):
            assert bench.firmware(IMAGES + "/wiznet_settings.elf", settings=SETTINGS).flash <= "100 B"

        def test_of_a_link(bench):
            bench.link("lora", samples=50).ram
        """,
    )
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(
        [
            "E * assert flash of wiznet_settings is *, which is not <= 100 B",
            "*lora/128B: has no ram, which needs firmware*",
        ]
    )


def test_firmware_is_measured_and_run(project: pytest.Pytester, images: Path) -> None:
    done = run(
        project,
        f"""
        IMAGES = {str(images)!r}

        def test_rate(bench):
            settings = {{"interrupts": True, "rounds": 100}}
            row = bench.firmware(IMAGES + "/wiznet_settings.elf", settings=settings, skip=1, board="w5500-evb-pico")
            assert row.messages_per_second >= 1000
            assert row.p95 <= "1 ms"

        def test_slow(bench):
            settings = {{"interrupts": False, "poll_ms": 20, "rounds": 50}}
            row = bench.firmware(IMAGES + "/wiznet_settings.elf", settings=settings, skip=1)
            assert row.messages_per_second >= 1000

        def test_console(bench):
            board = bench.board(IMAGES + "/hello_uart.elf")
            assert not board.run("10 ms").failed
        """,
    )
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(
        [
            "E * assert messages_per_second of wiznet_settings is * messages/s, which is not >= 1000",
            "E * % waits for a poll every 20 ms: wire the INT pin; * messages/s",
        ]
    )


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ('bench.link("lora").messages_per_second', "lora/128B: has no messages_per_second, which needs firmware"),
        ('bench.link("lorra")', "there is no link lorra; the nearest is lora"),
        ('bench.link("uart", samples=50).p95 <= "5 lightyears"', 'p95 is "<= 5 lightyears", but it takes a relation'),
        ('bench.run("gate.toml")["sik"]', "has no row sik; it has uart/12B, lora/12B"),
        ('assert bench.link("uart", samples=50).p95', "p95 of uart/128B is no yes or no; compare it with a limit"),
        ('assert bench.link("uart", samples=50).p95 == "5 ms"', "is compared by <=, <, >= or > with a limit"),
        ('assert bench.link("uart", samples=50).p95 != "5 ms"', "is compared by <=, <, >= or > with a limit"),
        ('bench.link("uart", payload_bytes=-1)', "payload_bytes is -1, but it takes a whole number from 0"),
        (
            'bench.firmware("gate.toml", smaples=3)',
            "AirwireError: smaples: there is no such field; the nearest is samples",
        ),
        ('bench.run("nothing.toml")', "nothing.toml: cannot read this suite"),
    ],
)
def test_what_a_test_gets_wrong_is_one_sentence(project: pytest.Pytester, expression: str, says: str) -> None:
    project.path.joinpath("gate.toml").write_text(SUITE)
    done = run(project, f"def test_wrong(bench):\n    {expression}\n")
    done.assert_outcomes(failed=1)
    assert says in done.stdout.str()
    assert "AirwireError" in done.stdout.str()


def test_a_message_that_nobody_answered_keeps_no_bound(tmp_path: Path) -> None:
    bench = Bench(tmp_path, tmp_path)
    row = bench.link("uart", payload_bytes=12, samples=50)
    lost = type(row.p95)(row, "p95", "ps", None)
    assert not lost <= "1 s"
    assert not lost >= "0 s"
    assert repr(lost) == "nothing"
    with pytest.raises(airwire.AirwireError, match="no message was answered"):
        float(lost)


def test_reports_are_written_on_request_and_named(project: pytest.Pytester) -> None:
    test = """
        def test_two(bench):
            bench.link("uart", payload_bytes=12, samples=50)
            assert bench.link("lora", payload_bytes=12, samples=50).p95 <= "1 ms"

        def test_nothing():
            pass
        """
    plain = run(project, test)
    assert "reports of Airwire" not in plain.stdout.str()
    done = run(project, test, "--airwire-report", "reports", "--junit-xml", "tests.xml")
    done.assert_outcomes(passed=1, failed=1)
    pages = sorted(page.name for page in (project.path / "reports").iterdir())
    assert len(pages) == 2
    assert all(page.startswith("test_reports_are_written") and "test_two" in page for page in pages)
    done.stdout.fnmatch_lines(["*= reports of Airwire =*", *(f"*{Path('reports') / page}" for page in reversed(pages))])
    assert "<html" in (project.path / "reports" / pages[0]).read_text(encoding="utf-8")
    assert "airwire_report" in (project.path / "tests.xml").read_text(encoding="utf-8")


def test_where_no_test_asks_for_it_nothing_of_the_bench_is_loaded() -> None:
    probe = (
        "import sys, pytest\nbefore = set(sys.modules)\nimport airwire.pytest_plugin as plugin\n"
        "plugin.pytest_assertrepr_compare('<', 1, 2)\nprint(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.split()
    ours = {name for name in loaded if name.startswith("airwire")}
    assert ours == {"airwire", PLUGIN}
    assert "polars" not in loaded


def test_pytest_finds_the_plug_in_of_an_installed_package() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"airwire": PLUGIN}
    assert not any(one.startswith("pytest") for one in project["dependencies"]), "only who tests needs pytest"


def test_without_the_plug_ins_fixture_the_package_needs_no_pytest() -> None:
    probe = "import sys\nsys.modules['pytest'] = None\nimport airwire.cli\nairwire.cli.app"
    done = subprocess.run(
        [sys.executable, "-c", probe], env=dict(os.environ), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_suite_that_is_stopped_ends_the_tests(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text("samples = 10_000_000\npayloads = [12]\n[links.nrf24]\n", encoding="ascii")
    ctrl_c = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    ctrl_c.start()
    with pytest.raises(KeyboardInterrupt):
        Bench(tmp_path, tmp_path).run("suite.toml")
    ctrl_c.join()

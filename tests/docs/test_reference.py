"""Reference pages say what the code does: the command line, JSON, run folders, and links between documents."""

from __future__ import annotations

import json
import re
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import polars as pl
import pytest
from docs_console import (
    BOARDS_PAGE,
    CLI_PAGE,
    DOCUMENTS,
    LINKS_PAGE,
    NETWORKS_PAGE,
    REPOSITORY,
    Command,
    run,
)
from docs_tables import LEDGER, ledger_table, tables_in

import airwire as package
from airwire import _core
from airwire.board import Board, describe_board
from airwire.board.network import network_reference
from airwire.cli.boards_reference import boards_page
from airwire.cli.links_reference import links_page
from airwire.cli.networks_reference import networks_page
from airwire.cli.reference import reference_page
from airwire.link.model import Ledger
from airwire.synthetic import SlottedLink

Run = Callable[..., CompletedProcess[str]]
JSON_PAGE = REPOSITORY / "docs" / "reference" / "json.md"
RUN_FOLDER_PAGE = REPOSITORY / "docs" / "reference" / "run-folder.md"
SWEEP_FOLDER_PAGE = REPOSITORY / "docs" / "reference" / "sweep-folder.md"
FIDELITY_PAGE = REPOSITORY / "docs" / "explanation" / "fidelity.md"
# Stands for an object whose fields follow.
OBJECT = object()
PINS_OF_CHIPS = ("boards[].chips[].pins", "chips[].pins")
# Keyed by the kind of finding (docs/explanation/findings.md lists them), or by the settings of a link.
FREE_KEYS = (
    "captures[].findings[].evidence",
    "settings",
    "rows[].settings",
    "accepted[].settings",
    "before.values",
    "before.figures",
    "before.intervals",
    "after.values",
    "after.figures",
    "after.intervals",
    "worths[].alone",
    "worths[].among",
    "bus",
    *PINS_OF_CHIPS,
)
# Described as having the fields of another list.
SAME_AS_ELSEWHERE = ("front", "spare", "refused[].nearest", "changes", "answer.row", "compared", "verdicts")
LISTS_OF_TEXT = (
    "usb_device.interface_classes",
    "usb_device.functions",
    "answer.called",
    "answer.traffic",
    "without_rule",
    "rows[].verdicts[].details",
    "links[].settings[].alternatives",
    "notes",
    "only_in_a",
    "only_in_b",
    "changed[].rows",
    "goals",
    "subject_to",
    "knobs[].values",
    "files",
)
# Rows of tests that every machine has, so that a link with gates and one with several settings are both seen.
SUITE = "samples = 60\npayloads = [12]\n[links.lora]\n[links.esp32-802154]\n"


# A vector table, and code that reads a register that SPI0 does not have, then spins.
UNKNOWN_REGISTER = struct.pack("<2I4HI", 0x20041000, 0x10000009, 0x4801, 0x6801, 0xE7FE, 0xBF00, 0x4003C0F0) + bytes(
    236
)


def sections(page: Path) -> dict[str, list[list[str]]]:
    """The table rows below each heading of a page, as lists of cells."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("| `"):
            found.setdefault(heading, []).append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def fields_in(page: Path, heading: str) -> dict[str, str]:
    """Fields and types of a table; a cell may name several fields."""
    return {name.strip("` "): row[1] for row in sections(page)[heading] for name in row[0].split(", ")}


def paths_of(value: Any, at: str = "", free: tuple[str, ...] = FREE_KEYS) -> Iterator[tuple[str, Any]]:
    """Every field of a JSON object with its path, lists of objects as ``name[]``."""
    for name, inner in value.items():
        path = f"{at}.{name}" if at else name
        if path in LISTS_OF_TEXT or path in SAME_AS_ELSEWHERE:
            yield path, inner
            continue
        if isinstance(inner, dict) and path not in free:
            yield path, OBJECT
            yield from paths_of(inner, path, free)
        elif isinstance(inner, list) and (not inner or isinstance(inner[0], dict)):
            yield f"{path}[]", inner
            for element in inner:
                yield from paths_of(element, f"{path}[]", free)
        else:
            yield path, inner


def fits(value: Any, described: str) -> bool:
    """Whether a JSON value has the type that a table names."""
    kinds: dict[str, type | tuple[type, ...]] = {
        "text": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "object": dict,
        "null": type(None),
        "list": list,
        "list of 2 numbers": list,
    }
    return any(isinstance(value, kinds[kind]) for kind in described.split(" or "))


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a capture of a slotted link and the run folder of its analysis."""
    folder = tmp_path_factory.mktemp("analysed")
    SlottedLink().write_csv(folder / "12B-slotted.csv")
    code, printed = run(Command("airwire analyze 12B-slotted.csv --out run", ""), folder)
    assert code == 0, printed
    return folder


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reference")
    links = "airwire run demo --only espnow --only lora --out runs/demo/run"
    code, printed = run(Command(links, ""), folder)
    assert code == 0, printed
    return folder / "runs" / "demo"


def check_json(described: dict[str, str], value: Any) -> set[str]:
    """The fields of a JSON object, each found to be described; objects count by their own fields."""
    seen = {path: inner for path, inner in paths_of(value) if path in described or not is_object(path, described)}
    for path, inner in seen.items():
        assert path in described, f"{JSON_PAGE.name} does not describe {path}"
        assert inner is OBJECT or fits(inner, described[path]), f"{path} is {inner!r}, not {described[path]}"
    return set(seen)


def is_object(path: str, described: dict[str, str]) -> bool:
    return any(name.startswith(f"{path}.") for name in described)


def test_the_command_line_reference_is_up_to_date() -> None:
    remedy = "run `python -m airwire.cli.reference > docs/reference/cli.md`"
    assert CLI_PAGE.read_text(encoding="utf-8") == reference_page(), remedy


def test_the_reference_of_links_is_up_to_date() -> None:
    remedy = "run `python -m airwire.cli.links_reference > docs/reference/links.md`"
    assert LINKS_PAGE.read_text(encoding="utf-8") == links_page(), remedy


def test_the_reference_of_boards_is_up_to_date() -> None:
    remedy = "run `python -m airwire.cli.boards_reference > docs/reference/boards.md`"
    assert BOARDS_PAGE.read_text(encoding="utf-8") == boards_page(), remedy


def test_the_reference_of_networks_is_up_to_date() -> None:
    remedy = "run `python -m airwire.cli.networks_reference > docs/reference/networks.md`"
    assert NETWORKS_PAGE.read_text(encoding="utf-8") == networks_page(), remedy


def test_every_example_on_the_page_of_networks_is_a_right_one(tmp_path: Path) -> None:
    examples = re.findall(r"^```toml\n(.*?)^```$", NETWORKS_PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(examples) == len(network_reference().kinds) + 4
    for example in examples:
        # A certificate is a file of the user's.
        example = re.sub(r"^certificate = .*\n", "", example, flags=re.MULTILINE)
        (tmp_path / "network.toml").write_text(example, encoding="utf-8")
        Board("w5500-evb-pico", network=tmp_path / "network.toml")


def test_every_example_on_the_page_of_boards_is_a_right_one(tmp_path: Path) -> None:
    examples = re.findall(r"^```toml\n(.*?)^```$", BOARDS_PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(examples) == boards_page().count("### ") - len(package.board_names())
    for example in examples:
        (tmp_path / "example.toml").write_text(f"mcu = 'rp2040'\n{example}", encoding="utf-8")
        assert len(describe_board(tmp_path / "example.toml").chips) == 1


@pytest.mark.slow
def test_the_ledger_on_the_fidelity_page_is_true(ledger: Ledger) -> None:
    assert tables_in(FIDELITY_PAGE)[LEDGER] == ledger_table(ledger), "run `make docs`"


def test_rows_of_the_ledger_on_the_fidelity_page_are_true(some_ledger: Ledger) -> None:
    """The last line counts all rows, and is not among these."""
    shown = tables_in(FIDELITY_PAGE)[LEDGER].splitlines()
    lines = ledger_table(some_ledger).splitlines()[:-1]
    assert len(lines) > 20 and [line for line in lines if line not in shown] == [], "run `make docs`"


def test_the_fidelity_page_has_a_section_with_short_cuts_for_every_link() -> None:
    for link in package.links():
        section = re.search(
            rf"^### [^\n]*`{link.name}`.*?(?=^##|\Z)",
            FIDELITY_PAGE.read_text(encoding="utf-8"),
            flags=re.MULTILINE | re.DOTALL,
        )
        assert section, f"{link.name} has no section"
        assert "**Short-cuts**" in section[0], f"{link.name} has no short-cuts"


def test_every_field_of_an_analysis_in_json_is_described_and_every_described_one_is_there(
    airwire: Run, analysed: Path
) -> None:
    bad = analysed / "bad.csv"
    bad.write_text("no capture", encoding="ascii")
    done = airwire("analyze", analysed / "12B-slotted.csv", bad, "--json")
    fields = fields_in(JSON_PAGE, "airwire.analyze/1")
    assert check_json(fields, json.loads(done.stdout)) == set(fields)


@pytest.mark.skipif(shutil.which("sigrok-cli") is None, reason="sigrok-cli is not installed")
def test_every_field_of_a_capture_in_json_is_described_and_every_described_one_is_there(airwire: Run) -> None:
    demo_device = ("capture", "--instrument", "sigrok:demo", "--done", "D3", "--rate", "100kHz", "--samples", "10")
    done = airwire(*demo_device, "--out", "a.csv", "--json")
    own, of_analysis = (fields_in(JSON_PAGE, f"airwire.{name}/1") for name in ("capture", "analyze"))
    assert check_json(own | of_analysis, json.loads(done.stdout)) >= set(own)


def test_every_field_of_a_comparison_in_json_is_described_and_every_described_one_is_there(
    airwire: Run, analysed: Path
) -> None:
    done = airwire("compare", analysed / "run", analysed / "12B-slotted.csv", "--json")
    fields = fields_in(JSON_PAGE, "airwire.compare/1")
    assert check_json(fields, json.loads(done.stdout)) == set(fields)


def test_every_field_of_two_runs_compared_in_json_is_described(airwire: Run, suite_run: Path) -> None:
    (suite_run.parent / "other.toml").write_text(SUITE.replace("60", "70"), encoding="ascii")
    assert airwire("run", "other.toml", "--out", "other").returncode == 0
    assert seen_in(airwire, "of two runs", ("compare", "run", "other")) == set(fields_in(JSON_PAGE, "of two runs"))


def test_every_field_of_a_bound_is_described(airwire: Run, tmp_path: Path) -> None:
    (tmp_path / "bound.toml").write_text(f'{SUITE}bounds.p95 = "<= 1 s"\n', encoding="ascii")
    printed = json.loads(airwire("run", "bound.toml", "--out", "bound", "--json").stdout)
    rows = json.loads((tmp_path / "bound" / "manifest.json").read_text())["rows"]
    (bound,) = (bound for row in rows for bound in row.get("bounds", ()))
    described = fields_in(RUN_FOLDER_PAGE, "Bounds")
    assert set(bound) == set(described)
    assert all(fits(value, described[name]) for name, value in bound.items())
    (sentence,) = (row[2] for row in sections(JSON_PAGE)["airwire.run/1"] if row[0] == "`bounds[]`")
    assert set(printed["bounds"][0]) <= set(re.findall(r"`(\w+)`", sentence))


def seen_in(airwire: Run, heading: str, *commands: tuple[str | Path, ...]) -> set[str]:
    """The fields that commands print, each found to be described below ``heading``."""
    fields = fields_in(JSON_PAGE, heading)
    seen: set[str] = set()
    for command in commands:
        printed = airwire(*command, "--json")
        seen |= check_json(fields, json.loads(printed.stdout))
    return seen


@pytest.fixture
def suite_run(airwire: Run, tmp_path: Path) -> Path:
    (tmp_path / "suite.toml").write_text(SUITE, encoding="ascii")
    assert airwire("run", "suite.toml", "--out", "run", "--captures").returncode == 0
    return tmp_path / "run"


def test_every_field_of_links_budgets_and_runs_in_json_is_described(airwire: Run, suite_run: Path) -> None:
    gated = ("link", "nrf52840-ble", "--every", "1s", "--battery", "230mAh")
    assert seen_in(airwire, "airwire.link/1", gated) == set(fields_in(JSON_PAGE, "airwire.link/1"))
    assert seen_in(airwire, "airwire.links/1", ("links",)) == set(fields_in(JSON_PAGE, "airwire.links/1"))
    printed = seen_in(airwire, "airwire.run/1", ("run", "suite.toml", "--out", "again"))
    assert printed == set(fields_in(JSON_PAGE, "airwire.run/1"))


def test_every_field_of_probes_in_json_and_run_folders_is_described(airwire: Run, tmp_path: Path) -> None:
    ping = ("ping", "127.0.0.1", "--set", "count=20", "--set", "interval=1ms")
    printed = json.loads(airwire("probe", *ping, "--out", "run", "--json").stdout)
    assert set(printed) == {name.removesuffix("[]") for name in fields_in(JSON_PAGE, "airwire.probe/1")}
    assert set(printed["target"]) == set(fields_in(JSON_PAGE, "Rows of addresses"))
    (row,) = json.loads((tmp_path / "run" / "manifest.json").read_text())["rows"]
    described = {name.removeprefix("rows[].") for name in fields_in(RUN_FOLDER_PAGE, "manifest.json of addresses")}
    shared = "run variant title target measure figure latency published same_but samples skip end_ps problem"
    assert set(row) == described | set(shared.split())


def test_every_field_of_explanations_in_json_is_described(airwire: Run, suite_run: Path) -> None:
    assert seen_in(airwire, "airwire.explain/1", ("explain", suite_run)) == set(
        fields_in(JSON_PAGE, "airwire.explain/1")
    )
    capture = next((suite_run / "captures").glob("*esp32-802154*"))
    described = {
        name.removesuffix("[]") if name == "changes[]" else name for name in fields_in(JSON_PAGE, "of a capture")
    }
    fields = {
        name if name != "changes[]" else "changes": kind for name, kind in fields_in(JSON_PAGE, "of a capture").items()
    }
    printed = json.loads(airwire("explain", capture, "--link", "esp32-802154", "--json").stdout)
    assert check_json(fields, printed) == described


def test_every_field_of_why_and_of_a_row_of_a_board_in_json_is_described(airwire: Run, firmware: Path) -> None:
    def why(image: str) -> Any:
        return json.loads(airwire("why", firmware / "w5500-evb-pico" / image, "--json").stdout)

    client, server = why("pingpong_client-lwip_raw.elf"), why("http_server-hardware.elf")
    fields = fields_in(JSON_PAGE, "airwire.why/1")
    assert check_json(fields, client) | check_json(fields, server) == set(fields)
    described = fields_in(JSON_PAGE, "Rows of boards")
    of_other_tables = ("settings", "peer", "figure", "latency", "published", "same_but", "counts", "bulk")
    seen = dict(paths_of(client["answer"]["row"], free=of_other_tables))
    assert set(seen) == set(described)
    for path, inner in seen.items():
        assert inner is OBJECT or fits(inner, described[path]), f"{path} is {inner!r}, not {described[path]}"


def test_every_field_of_a_choice_in_json_is_described(airwire: Run) -> None:
    bounds = ("--p95", "60ms", "--p50", "60ms", "--loss", "90%")
    both = (("choose", "--payload", "12", *bounds), ("choose", "--p95", "1us", "--link", "lora"))
    assert seen_in(airwire, "airwire.choose/1", *both) == set(fields_in(JSON_PAGE, "airwire.choose/1"))


def test_every_field_of_a_search_is_described(airwire: Run) -> None:
    words = ("tune", "lora", "--payload", "12B", "--goal", "min p95", "--subject-to", "loss<=1%", "--budget", "12")
    seen = seen_in(airwire, "airwire.tune/1", (*words, "--samples", "100", "--cache", "cache", "--out", "tuned"))
    # With a file of lwIP's options alone.
    of_a_file = {"binding[].option", "binding[].evidence"}
    assert seen | of_a_file == set(fields_in(JSON_PAGE, "airwire.tune/1"))


def test_every_field_of_sweeps_and_histories_in_json_is_described(airwire: Run, tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text("samples = 60\npayloads = [12]\n[links.lora]\n")
    (tmp_path / "slow.toml").write_text("samples = 60\npayloads = [12]\n[links.lora]\nsf = 9\n")
    axes = ("--over", "sf=6,7", "--over", "header=explicit,implicit")
    line = ("sweep", "suite.toml", *axes, "--out", "swept", "--json")
    described = fields_in(JSON_PAGE, "airwire.sweep/1")
    lists = ("axes",)
    seen = dict(paths_of(json.loads(airwire(*line).stdout), free=lists))
    assert set(seen) == set(described)
    columns = {name for row in sections(SWEEP_FOLDER_PAGE)["points"] for name in re.findall(r"`(\w+)`", row[0])}
    points = pl.read_parquet(tmp_path / "swept" / "points" / "*.parquet")
    assert set(points.columns) == columns | {"sf", "header", "payload"}
    for name in ("suite", "slow"):
        airwire("run", f"{name}.toml", "--out", name)
        added = json.loads(airwire("history", "add", name, "--label", name, "--json").stdout)
    assert set(dict(paths_of(added))) == set(fields_in(JSON_PAGE, "airwire.history-add/1"))
    run = {name.removeprefix("added[].") for name in fields_in(JSON_PAGE, "airwire.history-add/1") if "[]." in name}
    listed = json.loads(airwire("history", "list", "--json").stdout)
    assert set(listed) == {name.removesuffix("[]") for name in fields_in(JSON_PAGE, "airwire.history-list/1")}
    assert set(listed["runs"][0]) == run
    trend = json.loads(airwire("history", "trend", "lora/12B", "--json").stdout)
    free = ("steps[].run", "steps[].figure.settings")
    of_objects = {name for name, inner in paths_of(trend, free=free) if inner is not OBJECT or name.endswith("change")}
    assert of_objects == set(fields_in(JSON_PAGE, "airwire.history-trend/1"))
    first = json.loads(airwire("history", "first-bad", "lora/12B", "--good", "suite", "--bad", "slow", "--json").stdout)
    found = dict(paths_of(first, free=("probes[].figure", "probes[].change")))
    assert set(found) == set(fields_in(JSON_PAGE, "airwire.history-first-bad/1"))


def test_every_field_of_a_ledger_in_json_is_described(airwire: Run, real_captures: Path, tmp_path: Path) -> None:
    (tmp_path / "captures" / "rfm95").mkdir(parents=True)
    for name in ("250k-SF128-12B.csv", "64k5-SF2048-4o6-12B.csv"):
        (tmp_path / "captures" / "rfm95" / name).write_bytes((real_captures / "rfm95" / name).read_bytes())
    (tmp_path / "captures" / "rfm95" / "64k5-SF2048-4o6-12B.csv").write_text("broken", encoding="ascii")
    assert seen_in(airwire, "airwire.validate/1", ("validate",)) == set(fields_in(JSON_PAGE, "airwire.validate/1"))


def test_every_field_of_boards_and_their_runs_in_json_is_described(
    airwire: Run, images: Path, firmware: Path, tmp_path: Path
) -> None:
    image = images / "fault_unaligned.elf"
    (tmp_path / "unknown.bin").write_bytes(UNKNOWN_REGISTER)
    runs = (image, images / "systick.elf", images / "blink_timer.elf", "unknown.bin")
    run_on_network = ("board", "run", images / "wiznet_http.elf", "--board", "w5500-evb-pico", "--until-done")
    seen = seen_in(
        airwire,
        "airwire.board-run/1",
        *(("board", "run", image, "--for", "20ms") for image in runs),
        ("board", "run", firmware / "pico" / "stopwatch-usb.elf", "--for", "1s"),
        (*run_on_network, "--traffic", "ping to=board count=1", "--traffic", "scan to=board ports=80"),
        (*run_on_network, "--traffic", "ping to=board count=1 timeout=50ms", "--impair", "loss=100%"),
    )
    assert seen == set(fields_in(JSON_PAGE, "airwire.board-run/1"))
    described = set(fields_in(JSON_PAGE, "airwire.board-profile/1"))
    assert seen_in(airwire, "airwire.board-profile/1", ("board", "profile", image)) == described
    listed = set(fields_in(JSON_PAGE, "airwire.board-list/1"))
    assert seen_in(airwire, "airwire.board-list/1", ("board", "list")) == listed
    checked = set(fields_in(JSON_PAGE, "airwire.board-check/1"))
    assert seen_in(airwire, "airwire.board-check/1", ("board", "check", "pico")) == checked


@pytest.mark.parametrize(("table", "folder"), [("samples", "analysed"), ("edges", "analysed"), ("spans", "demo")])
def test_the_columns_of_run_folders_are_those_that_are_described(
    table: str, folder: str, request: pytest.FixtureRequest
) -> None:
    run_folder = request.getfixturevalue(folder) / "run"
    types = {"text": pl.String(), "integer": pl.Int64()}
    described = {name: types[kind] for name, kind in fields_in(RUN_FOLDER_PAGE, table).items()}
    assert dict(pl.read_parquet(run_folder / table / "*.parquet").schema) == described


@pytest.mark.parametrize(
    ("heading", "codes"), [("Causes", _core.CAUSES), ("Sites", _core.SITES), ("Subjects", _core.SUBJECTS)]
)
def test_every_code_of_a_stage_is_described(heading: str, codes: tuple[str, ...]) -> None:
    described = sections(RUN_FOLDER_PAGE)[heading]
    assert [name.strip("`") for row in described for name in row[0].split(", ")] == list(codes)


def test_everything_that_can_be_under_way_is_described() -> None:
    (text,) = re.findall(r"Under way are ([^.]+)\.", RUN_FOLDER_PAGE.read_text())
    assert re.findall(r"`(\w+)`", text) == list(_core.UNDER_WAY)


def test_links_and_captures_have_the_same_columns(analysed: Path, demo: Path) -> None:
    both = (pl.read_parquet(folder / "run" / "samples" / "*.parquet").schema for folder in (analysed, demo))
    assert len({tuple(schema.items()) for schema in both}) == 1


@pytest.mark.parametrize(
    ("heading", "folder", "list_name"),
    [("manifest.json", "analysed", "captures[]"), ("manifest.json of links", "demo", "rows[]")],
)
def test_the_fields_of_manifests_are_those_that_are_described(
    heading: str, folder: str, list_name: str, request: pytest.FixtureRequest
) -> None:
    run_folder = request.getfixturevalue(folder) / "run"
    manifest = json.loads((run_folder / "manifest.json").read_text(encoding="utf-8"))
    described = set()
    within = list_name
    for name in fields_in(RUN_FOLDER_PAGE, heading):
        described.add(f"{within}{name}" if name.startswith(".") else name)
        within = name.rsplit(".", 1)[0] if "[]." in name else list_name
    # What figures consist of is described with the rows of boards.
    found = paths_of(manifest, free=("rows[].settings", "rows[].figure", "rows[].latency"))
    assert {path for path, inner in found if inner is not OBJECT} == described


def test_the_manifest_is_the_same_for_the_same_captures_and_the_environment_is_not(
    airwire: Run, tmp_path: Path, analysed: Path
) -> None:
    for name in ("a", "b"):
        airwire("analyze", analysed / "12B-slotted.csv", "--out", name)
    a, b = ((tmp_path / name / "manifest.json").read_bytes() for name in ("a", "b"))
    assert a == b
    environments = [(tmp_path / name / "environment.json").read_bytes() for name in ("a", "b")]
    assert environments[0] != environments[1]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    targets = [t for t in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in t and not t.startswith("#")]
    for target in targets:
        file, _, anchor = target.partition("#")
        path = (document.parent / file).resolve()
        assert path.exists(), f"{target} leads nowhere"
        assert not anchor or anchor in anchors_of(path), f"{target} names no heading"


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-") for heading in headings}

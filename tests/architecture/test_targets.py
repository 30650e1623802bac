"""What a row was measured on is asked in few places; functions take ``Capture[LinkRow]`` or ``Capture[BoardRow]``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from airwire.model import Capture

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "airwire"
TYPES = {"AddressRow", "CaptureFile", "LinkRow", "BoardRow"}
KINDS = {"address", "capture", "link", "board"}
# How often each file asks. Whoever adds a kind of target looks at these files alone.
PLACES = {
    "explain/findings.py": 1,
    "explain/link/run.py": 6,
    "explain/waterfall.py": 2,
    "model.py": 7,
    "report/samples.py": 6,
}
MOST_FILES = 5


def named(node: ast.AST) -> set[str]:
    """The last part of every name in an expression: ``LinkRow`` of ``airwire.LinkRow``."""
    parts = list(ast.walk(node))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names | {part.attr for part in parts if isinstance(part, ast.Attribute)}


def is_kind(node: ast.AST) -> bool:
    """Whether an expression is the kind of something: ``row.target.kind``."""
    return isinstance(node, ast.Attribute) and node.attr == "kind"


def is_one_of_the_kinds(node: ast.AST) -> bool:
    """Whether an expression holds the kind of a target: ``"board"``, ``("link", "board")``."""
    return bool(KINDS & {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)})


def predicates(tree: ast.AST) -> set[str]:
    """The functions whose answer narrows a target: ``is_of_board``."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.returns is not None]
    returned = {function.name: named(function.returns) for function in functions if function.returns is not None}
    return {name for name, words in returned.items() if words & {"TypeIs", "TypeGuard"} and words & TYPES}


def asks(node: ast.AST, known: set[str]) -> bool:
    """Whether one node of a syntax tree asks for the kind of a target."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, types]):
            return bool(named(types) & TYPES)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in known
        case ast.Compare(left=left, comparators=comparators):
            sides = [left, *comparators]
            by_type = any(named(side) & TYPES for side in sides)
            return by_type or (any(map(is_kind, sides)) and any(map(is_one_of_the_kinds, sides)))
        case ast.MatchClass(cls=cls):
            return bool(named(cls) & TYPES)
        case ast.Match(subject=subject, cases=cases):
            return is_kind(subject) and any(is_one_of_the_kinds(case.pattern) for case in cases)
    return False


def places(source: str, known: set[str]) -> int:
    """How often a source asks."""
    return sum(asks(node, known) for node in ast.walk(ast.parse(source)))


def sources() -> Iterator[tuple[str, str]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        yield file.relative_to(PACKAGE).as_posix(), file.read_text(encoding="utf-8")


def test_the_kind_of_a_target_is_asked_where_it_was_and_nowhere_else() -> None:
    known = {name for _, source in sources() for name in predicates(ast.parse(source))}
    assert {"is_of_link", "is_of_board"} < known
    found = {path: places(source, known) for path, source in sources()}
    asking = {path: count for path, count in found.items() if count}
    assert asking == PLACES, "take Capture[LinkRow] or Capture[BoardRow] instead of asking; fewer are welcome here"
    assert len(asking) <= MOST_FILES


def test_a_capture_has_a_target_and_no_property_for_each_kind() -> None:
    assert not {"link", "board"} & set(dir(Capture))


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(row.target, BoardRow)",
        "isinstance(row.target, LinkRow | airwire.BoardRow)",
        "type(row.target) is CaptureFile",
        "row.target.kind == 'board'",
        "row.target.kind in ('link', 'board')",
        "is_of_board(row)",
        "model.is_of_link(row)",
        "narrows(view)",
        "match row.target:\n    case BoardRow() as board: pass",
        "match row.target.kind:\n    case 'link' | 'board': pass",
    ],
)
def test_every_way_to_ask_is_counted(source: str) -> None:
    assert places(source, {"is_of_link", "is_of_board", "narrows"}) == 1


@pytest.mark.parametrize(
    "source", ["finding.kind == 'gate'", "rows_of_links(run)", "row.target.spans", "LinkRow(name)"]
)
def test_what_asks_for_something_else_is_not_counted(source: str) -> None:
    assert places(source, {"is_of_link", "is_of_board"}) == 0


def test_a_function_that_narrows_is_known_by_what_it_returns() -> None:
    found = predicates(ast.parse("def narrows(view: View) -> TypeIs[View[LinkRow]]: ...\ndef row() -> LinkRow: ..."))
    assert found == {"narrows"}

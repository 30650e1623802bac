"""The reference page of the links, made of the very definitions that the virtual bench runs.

``python -m airwire.cli.links_reference`` prints ``docs/reference/links.md``; a test fails when that file is stale.
Leaves out how stages follow each other, which ``airwire link NAME`` shows for a payload.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import airwire

if TYPE_CHECKING:
    from airwire.link.model import Constant, Link

HEADER = """\
# Links

<!-- Made by `python -m airwire.cli.links_reference > docs/reference/links.md`; do not edit by hand. -->

What `airwire links NAME` prints of every link: settings with what they take and their defaults, gates with these
defaults, and the constants of the model, each with its source or the capture that it was fitted on. Long lists of
quantiles are cut to their ends; `airwire links NAME --json` has them all.
[How a link model works](../explanation/link-models.md) explains the words, and
[fidelity](../explanation/fidelity.md) says how good the models are.
"""
# A least value and a width stand on their own; more values are quantiles or the shares that belong to them.
_LONGEST_LIST = 2


def links_page() -> str:
    """The page in Markdown."""
    return "\n".join([HEADER, *(line for link in airwire.links() for line in _lines(link))]).rstrip() + "\n"


def _lines(link: Link) -> Iterator[str]:
    from airwire.explain.quantities import time

    size = "1 byte" if link.max_payload_bytes == 1 else f"1 to {link.max_payload_bytes} bytes"
    yield from [f"## {link.name}", "", f"{link.title[0].upper()}{link.title[1:]}. A message has {size}.", ""]
    if link.gates:
        yield from ["Gates: " + ", ".join(f"{gate.name} every {time(gate.period_ps)}" for gate in link.gates) + ".", ""]
    if link.settings:
        yield from ["| setting | takes | default | meaning |", "|---|---|---|---|"]
        for setting in link.settings:
            yield _row(f"`{setting.name}`", setting.takes, f"`{setting.default}`", setting.help)
        yield ""
    if link.constants:
        yield from ["| constant | value | meaning | from |", "|---|---|---|---|"]
        for constant in link.constants:
            yield _row(f"`{constant.name}`", _value(constant.value), constant.meaning, _origin(constant))
        yield ""


def _row(*cells: str) -> str:
    return "".join(f"| {_cell(text)} " for text in cells) + "|"


def _cell(text: str) -> str:
    for special in ("|", "*"):
        text = text.replace(special, f"\\{special}")
    return " ".join(text.split()).replace("<", "&lt;")


def _value(value: object) -> str:
    if not isinstance(value, list):
        return str(value)
    if len(value) <= _LONGEST_LIST:
        return ", ".join(str(element) for element in value)
    kind = "quantiles" if isinstance(value[0], str) else "values"
    return f"{len(value)} {kind}, {value[0]} to {value[-1]}"


def _origin(constant: Constant) -> str:
    return f"fitted on {constant.fitted}" if constant.fitted else str(constant.source)


if __name__ == "__main__":
    print(links_page(), end="")

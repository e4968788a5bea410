"""docs/ik_node.md tells every parameter as it is.

python test/ros/test_documented.py        prints the tables
"""

from __future__ import annotations

from collections.abc import Iterator

from ik_node.ros.ik_node_parameters import INTERFACE, RECONFIGURE, ROBOT, TRACKER
from ik_node.ros.parameters import Parameter

GROUPS = {"The robot": ROBOT, "The interface": INTERFACE, "The motion": (*TRACKER, *RECONFIGURE)}


def row(parameter: Parameter) -> str:
    default = str(parameter.default).lower() if isinstance(parameter.default, bool) else (
        "(empty)" if parameter.default in ("", []) else f"`{parameter.default}`"
    )  # fmt: skip
    words = parameter.description
    if parameter.choices:
        words += "; " + ", ".join(f"`{choice}`" for choice in parameter.choices)
    return f"| `{parameter.name}` | {default} | {parameter.unit} | {words} |"


def tables() -> Iterator[str]:
    for title, parameters in GROUPS.items():
        yield f"### {title}"
        yield ""
        yield "| parameter | default | unit | what |"
        yield "| --- | --- | --- | --- |"
        yield from map(row, parameters)
        yield ""


def test_the_tables_in_the_document_are_those_of_the_node(root):
    text = (root / "docs" / "ik_node.md").read_text(encoding="utf-8")
    assert "\n".join(tables()).strip() in text


if __name__ == "__main__":
    print("\n".join(tables()))

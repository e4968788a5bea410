"""The rules that a reader of one file cannot see: who imports whom, who reads a clock."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ik_node"

MAY_IMPORT = {
    "": {"", "numpy"},
    "core": {"", "core", "numpy", "numba", "urdf_parser_py", "xacro", "lxml"},
    "control": {"", "core", "control", "numpy"},
    "dynamixel": {"", "dynamixel", "dynamixel_sdk", "serial", "yaml"},
}
"""Layer to the layers and third-party modules that it may import; the top row is free."""

TOP = {"ros", "viewer", "cli"}

CLOCKS = {
    "time": {"time", "monotonic", "perf_counter", "time_ns", "monotonic_ns", "sleep"},
    "datetime": {"now", "utcnow", "today"},
}

LONGEST = {"ik_node": 300, "launch": 300, "test": 400, "bench": 400}
"""Lines that a file may have, by folder."""


def files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def layer(file: Path) -> str:
    parts = file.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Every imported module's dotted name, with its line; relative ones resolved."""
    package = file.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[: len(package) + 1 - node.level]) if node.level else ""
            module = ".".join(filter(None, [start, node.module]))
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"


def standard(module: str) -> bool:
    return module.split(".")[0] in sys.stdlib_module_names


def imported_layer(module: str) -> str | None:
    """The layer of one of this package's modules, None for other packages."""
    parts = module.split(".")
    if parts[0] != "ik_node":
        return None
    return parts[1] if len(parts) > 1 and (PACKAGE / parts[1]).is_dir() else ""


@pytest.mark.parametrize("name", sorted(MAY_IMPORT))
def test_a_layer_imports_only_what_stands_below_it(name: str) -> None:
    wrong = []
    for file in files():
        if layer(file) != name:
            continue
        for line, module in imports(file):
            own = imported_layer(module)
            what = own if own is not None else module.split(".")[0]
            if own is None and standard(module):
                continue
            if what not in MAY_IMPORT[name]:
                wrong.append(f"{file.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_every_folder_of_the_package_is_a_known_layer() -> None:
    folders = {layer(file) for file in files()}
    assert folders <= set(MAY_IMPORT) | TOP


def test_no_layer_below_the_top_reads_a_clock_or_sleeps() -> None:
    wrong = []
    for file in files():
        if layer(file) in TOP:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner = node.func.value
            module = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
            if node.func.attr in CLOCKS.get(module, ()):
                wrong.append(
                    f"{file.relative_to(ROOT)}:{node.lineno} calls {module}.{node.func.attr}"
                )
        for line, module in imports(file):
            start, _, name = module.rpartition(".")
            if name in CLOCKS.get(start, ()):
                wrong.append(f"{file.relative_to(ROOT)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


def test_randomness_is_handed_in_or_seeded_by_the_caller() -> None:
    wrong = []
    for file in files():
        if layer(file) in TOP:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            text = ast.unparse(node.func)
            if text in ("np.random.default_rng", "random.Random"):
                if not node.args and not node.keywords:
                    wrong.append(f"{file.relative_to(ROOT)}:{node.lineno} makes an unseeded {text}")
            elif re.match(r"(np\.random|numpy\.random|random)\.\w+$", text):
                wrong.append(f"{file.relative_to(ROOT)}:{node.lineno} calls {text}")
    assert not wrong, "\n".join(wrong)


def test_no_file_wants_splitting() -> None:
    lengths = {
        str(file.relative_to(ROOT)): len(file.read_text().splitlines())
        for folder in LONGEST
        for file in (ROOT / folder).rglob("*.py")
    }
    too_long = {
        name: lines for name, lines in lengths.items() if lines > LONGEST[name.split("/")[0]]
    }
    assert not too_long


def test_nothing_names_a_machine_or_a_place_outside_the_project() -> None:
    places = ["/wo" + "rk/", "/tmp/scr" + "atch", "/ro" + "ot/", "py" + "pi.org"]
    wrong = [
        f"{file.relative_to(ROOT)} names {place}"
        for folder in (
            "ik_node",
            "test",
            "bench",
            "launch",
            "config",
            "docs",
            "tools",
            "requirements",
        )
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix not in (".pyc", ".png", ".npz")
        for place in places
        if place in file.read_text(errors="ignore")
    ]
    assert not wrong, "\n".join(wrong)

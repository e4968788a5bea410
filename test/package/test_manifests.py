"""package.xml, setup.py, the requirement files and the code say the same."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import ik_node

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ElementTree.parse(ROOT / "package.xml").getroot()

ROSDEP_OF_MODULE = {
    "click": "python3-click",
    "matplotlib": "python3-matplotlib",
    "numba": "python3-numba",
    "numpy": "python3-numpy",
    "rich": "python3-rich",
    "serial": "python3-serial",
    "urdf_parser_py": "urdfdom_py",
    "tf2_ros": "tf2_ros_py",
    "yaml": "python3-yaml",
}
"""Imported module to rosdep key, where they differ."""

WITHOUT_A_KEY = {"viser", "lxml"}
"""viser is an extra by pip; lxml is never imported by name."""

PIP_OF_MODULE = {
    "dynamixel_sdk": "dynamixel-sdk",
    "serial": "pyserial",
    "urdf_parser_py": "urdfdom-py",
    "yaml": "PyYAML",
}


def third_party_modules() -> set[str]:
    found = set()
    for file in (ROOT / "ik_node").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {"ik_node"}


def setup_arguments() -> dict[str, object]:
    for node in ast.walk(ast.parse((ROOT / "setup.py").read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setup":
            found: dict[str, object] = {}
            for keyword in node.keywords:
                try:
                    found[str(keyword.arg)] = ast.literal_eval(keyword.value)
                except ValueError:
                    continue
            return found
    raise AssertionError("setup.py calls no setup()")


def pins(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (ROOT / "requirements" / name).read_text().splitlines():
        if line and not line.startswith("#"):
            package, _, version = line.partition(";")[0].strip().partition("==")
            assert version, f"{line} in {name} is not pinned"
            found.setdefault(package, []).append(version)
    return found


def test_versions_agree() -> None:
    version = MANIFEST.findtext("version")
    assert version == setup_arguments()["version"] == ik_node.__version__
    changes = (ROOT / "CHANGELOG.rst").read_text()
    assert re.search(rf"^(Forthcoming|{re.escape(str(version))} \(.*\))$", changes, re.MULTILINE)


def test_every_imported_module_is_a_dependency_of_the_ros_package() -> None:
    keys = {element.text for element in MANIFEST.iter("exec_depend")}
    wanted = {
        ROSDEP_OF_MODULE.get(module, module) for module in third_party_modules() - WITHOUT_A_KEY
    }
    assert wanted <= keys, sorted(wanted - keys)


def test_every_imported_module_outside_ros_is_pinned_and_required() -> None:
    required = set(setup_arguments()["install_requires"]) | {"numba"}  # type: ignore[call-overload]
    assert required == set(pins("run.txt"))
    ros = {element.text for element in MANIFEST.iter("exec_depend")}
    for module in third_party_modules() - WITHOUT_A_KEY:
        pip, rosdep = PIP_OF_MODULE.get(module, module), ROSDEP_OF_MODULE.get(module, module)
        assert pip in required or rosdep in ros, module


@pytest.mark.parametrize("distro", ["jazzy", "kilted"])
def test_the_wheels_of_a_distribution_cover_the_message_packages(distro: str) -> None:
    names = {
        name.removeprefix(f"ros-{distro}-").replace("-", "_") for name in pins(f"{distro}.txt")
    }
    messages = {
        str(element.text)
        for element in MANIFEST.iter("exec_depend")
        if str(element.text).endswith(("_msgs", "_srvs"))
    }
    brought_by_rclpy = {"rcl_interfaces", "builtin_interfaces"}
    used_with_tf2_ros = {"tf2_msgs"}  # neither is a wheel
    needed = messages - used_with_tf2_ros | {"rclpy", "rmw_fastrtps_cpp"}
    assert needed <= names | brought_by_rclpy


def test_the_floor_is_the_same_set_without_numba() -> None:
    assert set(pins("floor.txt")) == set(pins("run.txt")) - {"numba"}


def test_every_executable_has_its_module_and_function(executable_targets: dict[str, str]) -> None:
    for name, target in executable_targets.items():
        module, function = target.split(":")
        file = ROOT / f"{module.replace('.', '/')}.py"
        assert file.exists(), f"{name} needs {file}"
        names = {
            node.name if isinstance(node, ast.FunctionDef) else ast.unparse(node.targets[0])
            for node in ast.parse(file.read_text()).body
            if isinstance(node, (ast.FunctionDef, ast.Assign))
        }
        assert function in names


@pytest.fixture(scope="module")
def executable_targets() -> dict[str, str]:
    points = setup_arguments()["entry_points"]
    return dict(line.split(" = ") for line in points["console_scripts"])  # type: ignore[index]


def test_everything_that_ros_needs_lies_under_share() -> None:
    text = (ROOT / "setup.py").read_text()
    assert "share/ament_index/resource_index/packages" in text
    for folder in ("config", "launch"):
        assert f'shared("{folder}")' in text
    assert (ROOT / "resource" / "ik_node").exists()

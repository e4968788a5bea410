"""Installs the Python package, and for ROS its manifest, arms and launch files under share/."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "ik_node"


def shared(folder):
    """Return data_files entries that install every file under `folder` as it lies here."""
    root = Path(__file__).resolve().parent
    found = {}
    for file in sorted((root / folder).rglob("*")):
        if file.is_file():
            place = file.relative_to(root)
            found.setdefault(f"share/{NAME}/{place.parent}", []).append(str(place))
    return list(found.items())


setup(
    name=NAME,
    version="0.1.0",
    description="Cartesian control for small Dynamixel arms on a committed elbow branch",
    license="Apache-2.0",
    maintainer="ik_node maintainers",
    maintainer_email="maintainers@users.noreply.a-seed-07c0ba54.example",
    python_requires=">=3.10",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *shared("config"),
        *shared("launch"),
    ],
    zip_safe=False,
    install_requires=[
        "click",
        "dynamixel-sdk",
        "matplotlib",
        "numpy",
        "pyserial",
        "PyYAML",
        "rich",
        "urdfdom-py",
        "xacro",
    ],
    extras_require={
        "compiled": ["numba"],
        "viewer": ["viser"],
        "test": ["hypothesis", "pytest<8.4", "pytest-timeout", "scipy"],
    },
    entry_points={
        "console_scripts": [
            "dynamixel_driver = ik_node.cli.start:dynamixel_driver",
            "emulated_dynamixel = ik_node.cli.start:emulated_dynamixel",
            "gazebo_relay = ik_node.cli.start:gazebo_relay",
            "ik_arm = ik_node.cli.start:ik_arm",
            "ik_demo = ik_node.cli.start:ik_demo",
            "ik_node = ik_node.cli.start:ik_node",
            "ik_viewer = ik_node.cli.start:ik_viewer",
            "rviz_target = ik_node.cli.start:rviz_target",
        ],
    },
)

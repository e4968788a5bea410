"""Let clients that nobody here wrote judge the emulated bus: `python test/clients/run_clients.py`.

Every client gets an environment of its own (their pins contradict each other), made on the first
run under `.venv-clients`, and a freshly started emulator. Few of them repeat a question, and a
loaded machine may be late with an answer: each has a few tries. Exit code 0 only if all are
content.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TIMEOUT = 180.0
TRIES = 4


@dataclass(frozen=True)
class Client:
    """A client: its script here, what it needs, and what it needs without its dependencies."""

    name: str
    script: str
    requirements: tuple[str, ...]
    bare_requirements: tuple[str, ...] = ()


CLIENTS = (
    Client("sdk-3.8.4", "sdk.py", ("dynamixel-sdk==3.8.4",)),
    Client("sdk-4.0.3", "sdk.py", ("dynamixel-sdk==4.0.3",)),
    Client("sdk-4.1.0", "sdk.py", ("dynamixel-sdk==4.1.0",)),
    Client("easy-sdk-4.1.0", "easy_sdk.py", ("dynamixel-sdk==4.1.0",)),
    Client("dynamixel-python-0.0.8", "dynamixel_python.py", ("dynamixel-python==0.0.8",)),
    Client(
        "lerobot-0.4.4",
        "lerobot_bus.py",
        ("dynamixel-sdk==3.8.4", "pyserial", "deepdiff<9", "tqdm", "numpy"),
        ("lerobot==0.4.4",),
    ),
)


def main() -> int:
    """Run every client, or those that are named; print a line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="CLIENT", help="default: all")
    parser.add_argument("--folder", type=Path, default=ROOT / ".venv-clients")
    options = parser.parse_args()
    chosen = [client for client in CLIENTS if not options.names or client.name in options.names]
    if unknown := set(options.names) - {client.name for client in CLIENTS}:
        known = ", ".join(client.name for client in CLIENTS)
        parser.error(f"unknown client {', '.join(sorted(unknown))}; known are: {known}")
    failures = 0
    for client in chosen:
        python = environment(client, options.folder / client.name)
        start = time.monotonic()
        for _ in range(TRIES):
            result = judge(client, python)
            content = result.returncode == 0
            if content:
                break
            print(f"{client.name}: not content", flush=True)
        failures += not content
        said = result.stdout.strip()
        verdict = said.rpartition("\n")[2] if content else "NOT CONTENT\n" + said
        print(f"{client.name:<24} {time.monotonic() - start:5.1f} s  {verdict}", flush=True)
    return 1 if failures else 0


def environment(client: Client, folder: Path) -> Path:
    """The interpreter of the client's own environment, made when it is not there."""
    wanted = (*client.requirements, "--no-deps", *client.bare_requirements)
    mark = folder / "made-of"
    content = hashlib.sha256(repr((wanted, sys.version)).encode()).hexdigest()
    python = folder / "bin" / "python"
    if mark.exists() and mark.read_text() == content:
        return python
    print(f"{client.name}: making {folder}", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    subprocess.run([*pip, *client.requirements], check=True, env=clean())
    if client.bare_requirements:
        subprocess.run([*pip, "--no-deps", *client.bare_requirements], check=True, env=clean())
    mark.write_text(content)
    return python


def judge(client: Client, python: Path) -> subprocess.CompletedProcess[str]:
    """Start an emulator, run the client's script on it, and end both."""
    with tempfile.TemporaryDirectory() as folder:
        link = Path(folder) / "port"
        command = [sys.executable, "-m", "ik_node.cli.emulated_dynamixel"]
        command += ["--config", str(HERE / "servos.yaml"), "--link", str(link)]
        paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        emulator = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
        )
        try:
            assert emulator.stdout is not None
            if not emulator.stdout.readline().startswith("ready:"):
                raise SystemExit("the emulator did not start")
            return subprocess.run(
                [str(python), str(HERE / client.script), str(link)],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=TIMEOUT,
                env=clean(),
                check=False,
            )
        finally:
            emulator.send_signal(signal.SIGINT)
            emulator.wait(10.0)
            emulator.stdout.close()


def clean() -> dict[str, str]:
    """The environment variables without what belongs to this interpreter's packages."""
    private = ("PYTHON", "LD_LIBRARY_PATH", "AMENT_", "COLCON_", "ROS_", "VIRTUAL_ENV")
    return {key: value for key, value in os.environ.items() if not key.startswith(private)}


if __name__ == "__main__":
    sys.exit(main())

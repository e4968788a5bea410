"""The last seconds of control, kept in memory and written to a file when something goes wrong."""

from __future__ import annotations

import zipfile
from collections import deque
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik_node.control.status import Status
from ik_node.errors import ConfigurationError

if TYPE_CHECKING:
    from ik_node.control.output import TrackerOutput
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Recording:
    """k ticks of an arm with n joints; what was not there is NaN.

    Attributes:
        joint_names: (n,) the arm's joints.
        lower, upper: (n,) position limits, rad or m.
        velocity: (n,) speed limits, rad/s or m/s.
        time: (k,) s, since the first tick.
        measured: (k, n) rad or m.
        command: (k, n) rad or m.
        target: (k, 3) m, where the tool is going, base frame.
        tool: (k, 3) m, where the tool is commanded to be, base frame.
        measured_tool: (k, 3) m, where the tool is by `measured`, base frame.
        distance: (k,) m, what the status says is left to the target that was asked for.
        manipulability: (k,) relative to the arm's best.
        status: (k,) the most serious code.
        sentence: (k,) what the status said about it; empty in files from before it was kept.
        branch: (k,) label of the committed branch.
    """

    joint_names: NDArray[np.str_]
    lower: Array
    upper: Array
    velocity: Array
    time: Array
    measured: Array
    command: Array
    target: Array
    tool: Array
    measured_tool: Array
    distance: Array
    manipulability: Array
    status: NDArray[np.str_]
    sentence: NDArray[np.str_]
    branch: NDArray[np.str_]

    def save(self, path: Path) -> None:
        """Write an .npz file; it appears under its name when it is whole.

        Raises:
            OSError: it cannot be written.
        """
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        part = path.with_name(path.name + ".part")
        with part.open("wb") as file:
            np.savez_compressed(file, **arrays)
        part.replace(path)

    @classmethod
    def load(cls, path: Path) -> Recording:
        """Read what `save` wrote.

        Raises:
            ConfigurationError: no such file, or not a recording.
        """
        names = [field.name for field in fields(cls)]
        try:
            with path.open("rb") as raw, np.load(raw) as file:
                later = {
                    "measured_tool": np.full_like(file["tool"], np.nan),
                    "sentence": np.full(file["status"].shape, ""),
                }
                return cls(
                    **{name: later[name] if name not in file else file[name] for name in names}
                )
        except FileNotFoundError:
            raise ConfigurationError(str(path), "is missing", "name a recording") from None
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
            raise ConfigurationError(
                str(path), "is not a recording", "give a file that ik_node's recorder wrote"
            ) from None


class _Tick(NamedTuple):
    time: float
    measured: Array
    command: Array
    target: Array
    tool: Array
    distance: float
    manipulability: float
    status: str
    sentence: str
    branch: str


class Recorder:
    """Keeps the last seconds of one arm."""

    def __init__(self, arm: JointGroup, seconds: float) -> None:
        self._arm = arm
        self._seconds = seconds
        self._ticks: deque[_Tick] = deque()
        self._no_joints = np.full(arm.size, np.nan)
        self._nowhere = np.full(3, np.nan)

    def __len__(self) -> int:
        return len(self._ticks)

    def note(
        self, now: float, measured: Array | None, output: TrackerOutput, status: Status
    ) -> None:
        """Keep a tick, and forget those that are too old.

        Args:
            now: s, on any steady clock.
            measured: (n,) rad or m; None where it was not known.
            output: what the tracker gave.
            status: what was reported.
        """
        ticks = self._ticks
        nothing, nowhere = self._no_joints, self._nowhere
        measure = output.manipulability
        ticks.append(
            _Tick(
                now,
                nothing if measured is None else np.array(measured, dtype=np.float64),
                nothing if output.q_command is None else output.q_command,
                nowhere if output.goal_pose is None else output.goal_pose[:3, 3],
                nowhere if output.tool_pose is None else output.tool_pose[:3, 3],
                status.distance,
                np.nan if measure is None else measure.relative,
                status.code.value,
                status.sentence,
                output.branch,
            )
        )
        while ticks[0].time < now - self._seconds:
            ticks.popleft()

    def recording(self) -> Recording:
        """What is kept now."""
        arm, ticks = self._arm, tuple(self._ticks)
        n = arm.size
        measured = np.array([tick.measured for tick in ticks]).reshape(-1, n)
        time = np.array([tick.time for tick in ticks])
        return Recording(
            np.array(arm.joint_names),
            np.array(arm.lower),
            np.array(arm.upper),
            np.array(arm.velocity),
            time - time[:1],
            measured,
            np.array([tick.command for tick in ticks]).reshape(-1, n),
            np.array([tick.target for tick in ticks]).reshape(-1, 3),
            np.array([tick.tool for tick in ticks]).reshape(-1, 3),
            self._tools(measured),
            np.array([tick.distance for tick in ticks]),
            np.array([tick.manipulability for tick in ticks]),
            np.array([tick.status for tick in ticks], dtype=np.str_),
            np.array([tick.sentence for tick in ticks], dtype=np.str_),
            np.array([tick.branch for tick in ticks], dtype=np.str_),
        )

    def _tools(self, measured: Array) -> Array:
        """Where the tool is (k, 3) at configurations (k, n); here and not in the loop's time."""
        known = np.isfinite(measured).all(axis=1)
        tools = np.full((len(measured), 3), np.nan)
        for k in np.flatnonzero(known):
            tools[k] = self._arm.forward_kinematics(measured[k])[:3, 3]
        return tools

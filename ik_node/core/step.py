"""`solve_ik`: one bounded step of the joints towards a target."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.core.damping import Damping
from ik_node.core.kernels import step as kernel
from ik_node.core.limits import Box
from ik_node.core.posture import Posture
from ik_node.core.rows import Rows
from ik_node.core.target import as_key, for_kernels, read_target, refuse_target
from ik_node.core.tasks import FrameTask
from ik_node.errors import ConfigurationError, SizeError, UnknownNameError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

Array = NDArray[np.float64]

METHODS = {"dls": kernel.DLS, "pinv": kernel.PINV, "transpose": kernel.TRANSPOSE}
POSTURE_WEIGHT = 1e-2


class Step(NamedTuple):
    """One step.

    Attributes:
        dq: (n,) joint motion of this step, rad (m).
        scale: in (0, 1], by how much the step was shortened for the rate limits.
        limited_by: names of the joints that a limit holds: at a bound, or the slowest one.
        damping: lam of the first level, m/rad.
        sigma_min: smallest singular value of the first level that counts, m/rad.
        position_error: m, before the step.
        orientation_error: rad, before the step.
    """

    dq: Array
    scale: float
    limited_by: tuple[str, ...]
    damping: float
    sigma_min: float
    position_error: float
    orientation_error: float


def solve_ik(
    arm: JointGroup,
    q: ArrayLike,
    target: ArrayLike,
    dt: float = 0.01,
    *,
    rows: Rows | str = "auto",
    method: str = "dls",
    limits: Box | None = None,
    velocity: ArrayLike | None = None,
    keep_side: bool = True,
    branch_margin: float = 1e-3,
    posture: Posture | str | ArrayLike | None = None,
    orientation_weights: ArrayLike | None = None,
    damping: Damping | float | None = None,
    dq_step_max: float = 0.05,
) -> Step:
    """Compute one step from `q` towards `target`; add its `dq` to q and repeat to converge.

    `dls`: the exact minimiser of the damped rows inside the limits, priorities kept, with
    lam >= |e| / (2 dq_step_max), so that no joint moves more than `dq_step_max` whatever the error.
    `pinv`: the same without damping, which near a singularity asks for all that the rate limits
    allow. `transpose`: the gradient. The two are there for comparison.

    Args:
        arm: the joints.
        q: (n,) rad (m).
        target: (4, 4) pose or (3,) point, base frame.
        dt: s, the time that the step may take: no joint moves more than velocity * dt.
        rows: `auto`, `pose`, `position`, `position_then_orientation`.
        method: `dls`, `pinv`, `transpose`.
        limits: box on q; None: the arm's joint limits. Outside it a joint only moves inward.
        velocity: (n,) rad/s; None: the arm's.
        keep_side: the elbow stays on its side of straight.
        branch_margin: how near to straight the elbow may come, rad.
        posture: what spare freedom is for: a rest pose (n,), `elbow_high`, `elbow_low`, `centre`.
        orientation_weights: (3,) about the tool's x, y, z.
        damping: a number (m/rad), a `Damping`, or None: from the speed limits.
        dq_step_max: largest joint motion of a `dls` step, rad.

    Raises:
        TargetError, SizeError, UnknownNameError, ConfigurationError: bad input, by name.

    Source: Nakamura and Hanafusa, Inverse kinematic solutions with singularity robustness, 1986.
    """
    pose, point = read_target(target)
    stepper = _made_once(
        threading.get_ident(),
        arm,
        rows,
        method,
        limits,
        keep_side,
        branch_margin,
        dq_step_max,
        point,
        as_key(velocity),
        as_key(posture),
        as_key(orientation_weights),
        damping,
    )
    return stepper.step(q, pose, dt)


class Stepper:
    """`solve_ik` with its options read once and its scratch kept: for a loop."""

    def __init__(
        self,
        arm: JointGroup,
        rows: Rows | str = "auto",
        method: str = "dls",
        limits: Box | None = None,
        keep_side: bool = True,
        branch_margin: float = 1e-3,
        dq_step_max: float = 0.05,
        point: bool = False,
        velocity: ArrayLike | None = None,
        posture: Posture | str | ArrayLike | None = None,
        orientation_weights: ArrayLike | None = None,
        damping: Damping | float | None = None,
    ) -> None:
        if method not in METHODS:
            raise UnknownNameError("method", method, METHODS)
        if not dq_step_max > 0.0:
            raise ConfigurationError("dq_step_max", f"{dq_step_max} is not positive", "use 0.05")
        n = arm.size
        task = FrameTask.of(arm, rows, orientation_weights, point)
        wish = Posture.of(arm, posture)
        box = limits if limits is not None else Box(arm.lower, arm.upper)
        if box.size != n:
            raise SizeError("limits", f"{n} joints", str(box.size))
        speeds = arm.velocity if velocity is None else np.asarray(velocity, dtype=np.float64)
        if speeds.shape != (n,):
            raise SizeError("velocity", f"{n} numbers", f"shape {speeds.shape}")
        self._names = tuple(arm.joint_names)
        self._size = n
        self._chain = np.array(arm.chain)
        self._limits = np.ascontiguousarray([box.lower, box.upper, speeds, wish.home])
        setting = np.zeros(kernel.SETTINGS)
        setting[kernel.ROWS] = task.code
        setting[kernel.METHOD] = METHODS[method]
        setting[kernel.WEIGHT_X : kernel.WEIGHT_Z + 1] = task.weights
        variable = damping if isinstance(damping, Damping) else Damping.from_speeds(arm)
        fixed = isinstance(damping, (int, float))
        setting[kernel.DAMPING] = float(damping) if fixed else -1.0  # type: ignore[arg-type]
        setting[kernel.DAMPING_MAX] = variable.ceiling
        setting[kernel.THRESHOLD] = variable.threshold
        setting[kernel.RANK] = task.rank()
        setting[kernel.STEP_MAX] = dq_step_max
        setting[kernel.POSTURE] = wish.code
        setting[kernel.POSTURE_WEIGHT] = 0.0
        if wish.code != 0:
            setting[kernel.POSTURE_WEIGHT] = POSTURE_WEIGHT * arm.characteristic_length
        setting[kernel.ELBOW] = wish.elbow
        setting[kernel.MARGIN] = -1.0
        if keep_side and arm.elbow is not None:
            setting[kernel.ELBOW] = arm.elbow.index
            setting[kernel.STRAIGHT] = arm.elbow.straight
            setting[kernel.MARGIN] = branch_margin
        self._setting = setting
        k = self._chain.shape[0] - 1
        self._flat = np.empty(100 + 12 * n + 6 * k)
        self._square = np.empty((3 * n + 9, n))
        self._active = np.zeros(n, dtype=np.int8)

    def step(self, q: ArrayLike, pose: Array, dt: float) -> Step:
        """Compute one step; `pose` is C-ordered (4, 4), the rest as in `solve_ik`."""
        n = self._size
        start = for_kernels(q)
        if start.shape != (n,):
            raise SizeError("q", f"{n} numbers ({', '.join(self._names)})", f"{start.shape}")
        out = np.empty(n + kernel.REPORT)
        kernel.differential_step(
            self._chain,
            start,
            pose,
            self._limits,
            self._setting,
            dt,
            self._flat,
            self._square,
            self._active,
            out,
        )
        scale, slowest, lam, sigma, position, orientation, fault = out[n:].tolist()
        if fault:
            refuse_target(int(fault), pose)
        limited: tuple[str, ...] = ()
        active = self._active.tolist()
        if slowest >= 0.0 or any(active):
            limited = tuple(
                name for j, name in enumerate(self._names) if active[j] or j == int(slowest)
            )
        return Step(out[:n], scale, limited, lam, sigma, position, orientation)


@lru_cache(maxsize=64)
def _made_once(thread: int, *arguments: Any) -> Stepper:
    """Return the stepper for these arguments, prepared before where it can be; one for a thread."""
    return Stepper(*arguments)

"""The numbers of one tick: how the arm follows, and where the command stands."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import forward_kinematics
from ik_node.core.kernels.manipulability import singular_values
from ik_node.core.kernels.task import pose_error

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

# numbers (NUMBERS,) of `observe`
TO_POSTURE, DISTANCE, ANGLE, YOSHIKAWA, SIGMA_MIN, SIGMA_MAX = 0, 1, 2, 3, 4, 5
MEASURED_DISTANCE, MEASURED_ANGLE, AT_LIMIT, HELD, SPEED = 6, 7, 8, 9, 10
NUMBERS = 11

# bits of the flags of `observe`
BIT_AT_LOWER, BIT_AT_UPPER, BIT_HELD = 1, 2, 4

# numbers of `compare`
SHARE, WORST, GAP, DIFFERS, JUMPED, LEFT = 0, 1, 2, 3, 4, 5
COMPARED = 6


@njit
def compare(
    command: Array,
    measured: Array,
    passed: float,
    at_rest: bool,
    scales: Array,
    memory: Array,
    out: Array,
) -> None:
    """Compare the measured joints with the command.

    Args:
        command: (n,).
        measured: (n,).
        passed: s, since the last call.
        at_rest: whether the command stands still.
        scales: (3, n) gap that counts as lag, gap that counts as moved by others, speed limit.
        memory: (2, n) in and out: the last believed reading, and the smallest gap since the
            command stands still (inf to begin with).
        out: (COMPARED,) out: the largest gap in units of the lag, its joint, the gap itself; 1
            where a gap counts as moved, where the reading jumped, where the arm left a command
            that stands still.
    """
    for i in range(COMPARED):
        out[i] = 0.0
    for i in range(command.shape[0]):
        gap = abs(measured[i] - command[i])
        share = gap / scales[0, i]
        if share > out[SHARE]:
            out[SHARE], out[WORST], out[GAP] = share, float(i), gap
        if gap > scales[1, i]:
            out[DIFFERS] = 1.0
        if abs(measured[i] - memory[0, i]) > 2.0 * scales[2, i] * passed + scales[1, i]:
            out[JUMPED] = 1.0
        memory[1, i] = min(memory[1, i], gap) if at_rest else math.inf
        if at_rest and gap > memory[1, i] + scales[1, i]:
            out[LEFT] = 1.0
    if out[JUMPED] == 0.0:
        for i in range(command.shape[0]):
            memory[0, i] = measured[i]


@njit
def observe(
    chain: Array,
    q: Array,
    v: Array,
    measured: Array,
    goal: Array,
    posture: Array,
    asked: Array,
    limits: Array,
    joint_limits: Array,
    rows: int,
    rank: int,
    length: float,
    tool: Array,
    memory: Array,
    numbers: Array,
    flags: Flags,
) -> None:
    """Write the numbers that the status is made of.

    Args:
        chain: packed chain, see `kinematics`.
        q: (n,) command.
        v: (n,) its velocity.
        measured: (n,); a NaN first entry stands for none.
        goal: (4, 4) pose that the tool goes to.
        posture: (n,) configuration that reaches it; a NaN first entry stands for no goal.
        asked: (4, 4) target.
        limits: (4, n) lower wall, upper wall, speed, acceleration.
        joint_limits: (2, n) where a joint counts as being at its limit.
        rows: 3 or 6 controlled rows.
        rank: of them in general.
        length: m that one radian counts as.
        tool: (4, 4) out, pose of the command.
        memory: (28 + 12 n + 6 k,) scratch.
        numbers: (NUMBERS,) out: largest distance of a joint from the posture, distance and angle
            of the command from what was asked; manipulability; distance and angle of the measured
            tool from the goal where the command rests (else inf, 0); how many joints are at a
            limit, how many are held; the largest |v|.
        flags: (n,) out, bits: at the lower limit, at the upper one, held by a wall or its speed.
    """
    n = q.shape[0]
    k = chain.shape[0] - 1
    T = memory[:16].reshape(4, 4)
    J = memory[16 : 16 + 6 * n].reshape(6, n)
    at = 16 + 6 * n
    joints = memory[at : at + 6 * k].reshape(k, 6)
    at += 6 * k
    small, large = min(n, rows), max(n, rows)
    A = memory[at : at + small * large].reshape(small, large)
    at += 6 * n
    error = memory[at : at + 6]
    sigma = memory[at + 6 : at + 6 + small]
    V = memory[:0].reshape(0, 0)
    for i in range(NUMBERS):
        numbers[i] = 0.0
    numbers[MEASURED_DISTANCE] = math.inf
    has_goal = not math.isnan(posture[0])
    forward_kinematics(chain, q, tool, J, joints)
    if has_goal:
        pose_error(tool, asked, error)
        numbers[DISTANCE] = math.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2)
        numbers[ANGLE] = math.sqrt(error[3] ** 2 + error[4] ** 2 + error[5] ** 2)
    singular_values(J, rows, length, A, V, sigma)
    numbers[YOSHIKAWA] = 1.0
    for i in range(rank):
        numbers[YOSHIKAWA] *= sigma[i]
    numbers[SIGMA_MIN] = sigma[rank - 1]
    numbers[SIGMA_MAX] = sigma[0]
    for i in range(n):
        if has_goal:
            numbers[TO_POSTURE] = max(numbers[TO_POSTURE], abs(posture[i] - q[i]))
        numbers[SPEED] = max(numbers[SPEED], abs(v[i]))
        flag = 0
        if q[i] <= joint_limits[0, i]:
            flag |= BIT_AT_LOWER
        if q[i] >= joint_limits[1, i]:
            flag |= BIT_AT_UPPER
        if flag != 0:
            numbers[AT_LIMIT] += 1.0
        full = abs(v[i]) >= limits[2, i] * (1.0 - 1e-6)
        if full or q[i] <= limits[0, i] + 1e-9 or q[i] >= limits[1, i] - 1e-9:
            flag |= BIT_HELD
            numbers[HELD] += 1.0
        flags[i] = np.int8(flag)
    if has_goal and numbers[SPEED] == 0.0 and not math.isnan(measured[0]):
        forward_kinematics(chain, measured, T, J, joints)
        pose_error(T, goal, error)
        numbers[MEASURED_DISTANCE] = math.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2)
        numbers[MEASURED_ANGLE] = math.sqrt(error[3] ** 2 + error[4] ** 2 + error[5] ** 2)

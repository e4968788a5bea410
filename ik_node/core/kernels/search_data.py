"""What a search works on: a few arrays, cut into named pieces.

From Python they come packed, because every argument of a compiled function costs more than the
arithmetic behind it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import inlined

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

# setting: what does not change while the arm, the box and the rows stay
ROWS, WEIGHT_X, WEIGHT_Y, WEIGHT_Z, LENGTH = 0, 1, 2, 3, 4
POSITION_TOLERANCE, ORIENTATION_TOLERANCE, STRIDE = 5, 6, 7
ELBOW, STRAIGHT, KEEP_SIDE = 8, 9, 10
POSTURE, ENOUGH, REFINED = 11, 12, 13
SETTINGS = 14

# state: the first three are set by the caller before a fresh search; MARGIN [m] and TURN_MARGIN
# [rad] are by how much a restart has to be better than the descent from the seed
RESTARTS, MARGIN, TURN_MARGIN = 0, 1, 2
# what has been found: the best of it is in `best`
BEST_DISTANCE, BEST_ANGLE, BEST_TRAVEL, BEST_INDEX = 3, 4, 5, 6
POSITION_ERROR, ORIENTATION_ERROR, ITERATIONS = 7, 8, 9
# where the search stands
PHASE, INDEX, FINDS, REFINEMENTS, FAULT = 10, 11, 12, 13, 14
SCORED, TAKEN, CROSSING, STARTED = 15, 16, 17, 18
# of the descent under way
COST, SLOWED, SHIFT, PREDICTED, RADIUS, COUNT, HELD, LEVEL_ONE = 19, 20, 21, 22, 23, 24, 25, 26
STATE = 27

# phases of a descent
GAUSS_NEWTON, NEWTON, REFINE, RESTORE, DONE = 0, 1, 2, 3, 4

REFINE_RADIUS = 0.5
FEATURES = 7


class Pieces(NamedTuple):
    """One search of n joints, k of them moving, N samples, at most R restarts."""

    setting: Array
    """(SETTINGS,)."""
    state: Array
    """(STATE,)."""
    best: Array
    """(n,) the best configuration so far."""
    q: Array
    """(n,) where the descent stands."""
    before: Array
    """(n,) where it stood."""
    gradient: Array
    """(n,)."""
    pull: Array
    """(n,) the gradient of the model in the box."""
    lower: Array
    """(n,) of the step."""
    upper: Array
    """(n,) of the step."""
    dq: Array
    """(n,) the step."""
    box: Array
    """(2, n) where this descent may be."""
    limits: Array
    """(4, n) lower, upper, home of the posture [rad]; 1 where a turn changes nothing."""
    chain: Array
    """(k + 1, COLUMNS)."""
    T: Array
    """(4, 4) tool pose."""
    J: Array
    """(6, n) Jacobian."""
    A: Array
    """(6, n) weighted rows."""
    joints: Array
    """(k, 6) axes."""
    e: Array
    """(6,) pose error."""
    b: Array
    """(6,) the same, weighted."""
    hold: Array
    """(6,) multipliers of level 1."""
    H: Array
    """(n, n) Hessian of the model."""
    G: Array
    """(n, n) Hessian of level 1."""
    model: Array
    """(n, n) Hessian of level 2."""
    factor: Array
    """(n, n) scratch."""
    qp: Array
    """(n + 2, n) scratch of the minimiser."""
    active: Flags
    """(n,) warm set of the minimiser."""
    samples: Array
    """(n, N) configurations inside the limits, joint by joint."""
    features: Array
    """(FEATURES, N) their poses, see `seeds.sample_poses`."""
    scores: Array
    """(N,) how far they are from the target; inf: ruled out."""
    stalled: Array
    """(R + 1, n) ends of descents that stalled, by index."""
    stalled_cost: Array
    """(R + 1,) what was left there; inf: none, or done with."""


class Memory(NamedTuple):
    """The arrays that the pieces lie in."""

    wide: Array
    """(wide_rows(n, R), n) all that has a number for every joint."""
    table: Array
    """(n + FEATURES + 1, N) samples, features, scores."""
    twists: Array
    """(3 + k, 6) e, b, hold, joints."""
    flat: Array
    """(flat_size(R),) setting, state, T, stalled_cost."""
    chain: Array
    """(k + 1, 16)."""
    active: Flags
    """(n,)."""


def wide_rows(n: int, restarts: int) -> int:
    """Return how many rows `Memory.wide` has."""
    return 8 + 2 + 4 + 12 + 4 * n + n + 2 + restarts + 1


def flat_size(restarts: int) -> int:
    """Return how many numbers `Memory.flat` has."""
    return SETTINGS + STATE + 16 + restarts + 1


def cut(memory: Memory) -> Pieces:
    """Cut the memory into its pieces: views, in Python as in kernels."""
    wide, table, twists, flat, chain, active = memory
    n = active.shape[0]
    at = 26 + 4 * n
    pose = SETTINGS + STATE
    return Pieces(
        setting=flat[:SETTINGS],
        state=flat[SETTINGS:pose],
        best=wide[0],
        q=wide[1],
        before=wide[2],
        gradient=wide[3],
        pull=wide[4],
        lower=wide[5],
        upper=wide[6],
        dq=wide[7],
        box=wide[8:10],
        limits=wide[10:14],
        chain=chain,
        T=flat[pose : pose + 16].reshape(4, 4),
        J=wide[14:20],
        A=wide[20:26],
        joints=twists[3:],
        e=twists[0],
        b=twists[1],
        hold=twists[2],
        H=wide[26 : 26 + n],
        G=wide[26 + n : 26 + 2 * n],
        model=wide[26 + 2 * n : 26 + 3 * n],
        factor=wide[26 + 3 * n : at],
        qp=wide[at : at + n + 2],
        active=active,
        samples=table[:n],
        features=table[n : n + FEATURES],
        scores=table[n + FEATURES],
        stalled=wide[at + n + 2 :],
        stalled_cost=flat[pose + 16 :],
    )


pieces = inlined(cut)
"""`cut`, for kernels."""

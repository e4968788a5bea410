"""What a search works on: one array of numbers, cut into named pieces.

From Python it comes in one, because every argument of a compiled function costs more than the
arithmetic behind it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels.jit import inlined
from ik_node.core.kernels.kinematics import COLUMNS

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

# sizes: joints that move, samples, starts; the joints of q are counted by `active`
MOVING, SAMPLES, STARTS = 0, 1, 2
SIZES = 3

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
HEAD = SIZES + SETTINGS + STATE + 16
"""Numbers before the pieces whose sizes differ: sizes, setting, state, T."""


class Pieces(NamedTuple):
    """One search of n joints, k of them moving, N samples, R starts."""

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
    """(R, n) ends of descents that stalled, by index."""
    stalled_cost: Array
    """(R,) what was left there; inf: none, or done with."""


def memory_size(n: int, k: int, samples: int, starts: int) -> int:
    """Return how many numbers `cut` needs."""
    for_joints = (28 + 5 * n + starts) * n
    for_samples = (n + FEATURES + 1) * samples
    return HEAD + starts + 6 * (3 + k) + COLUMNS * (k + 1) + for_joints + for_samples


def cut(memory: Array, active: Flags) -> Pieces:
    """Cut the memory into its pieces: views, in Python as in kernels.

    `memory[:SIZES]` holds k, N and R.
    """
    n = active.shape[0]
    k, samples, starts = int(memory[MOVING]), int(memory[SAMPLES]), int(memory[STARTS])
    state = SIZES + SETTINGS
    pose = state + STATE
    twists = HEAD + starts
    chain = twists + 6 * (3 + k)
    wide = chain + COLUMNS * (k + 1)
    table = memory.shape[0] - (n + FEATURES + 1) * samples
    twist = memory[twists:chain].reshape(3 + k, 6)
    joint = memory[wide:table].reshape((table - wide) // n, n)
    sample = memory[table:].reshape(n + FEATURES + 1, samples)
    at = 26 + 4 * n
    return Pieces(
        setting=memory[SIZES:state],
        state=memory[state:pose],
        best=joint[0],
        q=joint[1],
        before=joint[2],
        gradient=joint[3],
        pull=joint[4],
        lower=joint[5],
        upper=joint[6],
        dq=joint[7],
        box=joint[8:10],
        limits=joint[10:14],
        chain=memory[chain:wide].reshape(k + 1, COLUMNS),
        T=memory[pose:HEAD].reshape(4, 4),
        J=joint[14:20],
        A=joint[20:26],
        joints=twist[3:],
        e=twist[0],
        b=twist[1],
        hold=twist[2],
        H=joint[26 : 26 + n],
        G=joint[26 + n : 26 + 2 * n],
        model=joint[26 + 2 * n : 26 + 3 * n],
        factor=joint[26 + 3 * n : at],
        qp=joint[at : at + n + 2],
        active=active,
        samples=sample[:n],
        features=sample[n : n + FEATURES],
        scores=sample[n + FEATURES],
        stalled=joint[at + n + 2 :],
        stalled_cost=memory[HEAD:twists],
    )


pieces = inlined(cut)
"""`cut`, for kernels."""

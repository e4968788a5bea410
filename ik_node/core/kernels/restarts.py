"""Where the descents of a search begin and what becomes of their ends."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels import search_data as data
from ik_node.core.kernels.descent import squared
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.search_data import DONE, GAUSS_NEWTON, NEWTON, REFINE_RADIUS
from ik_node.core.kernels.seeds import keep_side, nearest_turns, score_samples, take_sample
from ik_node.core.kernels.task import (
    BAD_CONFIGURATION,
    POSITION,
    POSITION_THEN_ORIENTATION,
    pose_fault,
)

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

TINY = 1e-6
FULL_STARTS = 16
SECOND_TURN = 0.1
SAME = 0.1
BORDER = 0.1


@njit
def begin_search(
    target: Array,
    seed: Array,
    limits: Array,
    setting: Array,
    state: Array,
    square: Array,
    stalled: Array,
    active: Flags,
) -> None:
    """Set the state for a new target and load the seed; a fault ends the search at once."""
    n = seed.shape[0]
    fault = pose_fault(target)
    for i in range(n):
        if not math.isfinite(seed[i]):
            fault = BAD_CONFIGURATION
    for i in range(data.PHASE, data.STATE):
        state[i] = 0.0
    state[data.FAULT] = float(fault)
    state[data.BEST_INDEX] = -1.0
    state[data.BEST_DISTANCE] = math.inf
    state[data.BEST_ANGLE] = math.inf
    state[data.BEST_TRAVEL] = math.inf
    state[data.COST] = math.inf
    if fault != 0:
        state[data.PHASE] = float(DONE)
        return
    for i in range(stalled.shape[0]):
        stalled[i, n] = math.inf
    for i in range(n):
        square[data.BOX_LOWER, i] = limits[0, i]
        square[data.BOX_UPPER, i] = limits[1, i]
        square[data.Q, i] = min(max(seed[i], limits[0, i]), limits[1, i])
        square[data.BEST, i] = square[data.Q, i]
        active[i] = 0
    j = int(setting[data.ELBOW])
    if setting[data.KEEP_SIDE] != 0.0 and j >= 0:
        low, high = keep_side(square[data.Q, j], setting[data.STRAIGHT], limits[0, j], limits[1, j])
        square[data.BOX_LOWER, j] = low
        square[data.BOX_UPPER, j] = high
        below = low > limits[0, j] and square[data.Q, j] - low < BORDER
        above = high < limits[1, j] and high - square[data.Q, j] < BORDER
        if (below or above) and state[data.RESTARTS] > 0.0:
            state[data.CROSSING] = 1.0


@njit
def start_phase(phase: int, state: Array, hold: Array) -> None:
    """Begin a phase of the descent."""
    state[data.PHASE] = float(phase)
    state[data.COST] = math.inf
    state[data.SLOWED] = 0.0
    state[data.SHIFT] = 0.0
    state[data.RADIUS] = REFINE_RADIUS
    state[data.COUNT] = 0.0
    for i in range(6):
        hold[i] = 0.0


@njit
def record(
    seed: Array,
    limits: Array,
    far: float,
    angle: float,
    e: Array,
    q: Array,
    best: Array,
    state: Array,
) -> None:
    """Keep q, whose error is e, if it is the best so far: distance, then angle, then travel."""
    if far == 0.0:
        state[data.FINDS] += 1.0
    travel = nearest_turns(q, seed, limits)
    margin, turn_margin = TINY, TINY
    if state[data.BEST_INDEX] == 0.0:
        margin = max(TINY, state[data.MARGIN])
        turn_margin = max(TINY, state[data.TURN_MARGIN])
    best_far = state[data.BEST_DISTANCE]
    if far == 0.0 or best_far == 0.0 or best_far == math.inf:
        margin = 0.0
    if far < best_far - margin or far > best_far + margin:
        better = far < best_far
    elif angle < state[data.BEST_ANGLE] - turn_margin or angle > (
        state[data.BEST_ANGLE] + turn_margin
    ):
        better = angle < state[data.BEST_ANGLE]
    elif state[data.BEST_INDEX] == 0.0 and state[data.MARGIN] > 0.0:
        better = False
    else:
        better = travel < state[data.BEST_TRAVEL]
    if better:
        state[data.BEST_DISTANCE] = far
        state[data.BEST_ANGLE] = angle
        state[data.BEST_TRAVEL] = travel
        state[data.BEST_INDEX] = state[data.INDEX]
        state[data.POSITION_ERROR] = math.sqrt(squared(e, 0, 3))
        state[data.ORIENTATION_ERROR] = math.sqrt(squared(e, 3, 6))
        for i in range(q.shape[0]):
            best[i] = q[i]


@njit
def next_start(
    target: Array,
    seed: Array,
    limits: Array,
    samples: Array,
    features: Array,
    scores: Array,
    setting: Array,
    state: Array,
    q: Array,
    box: Array,
    stalled: Array,
    active: Flags,
    hold: Array,
) -> None:
    """Load the next start, or end the search.

    First the seed again, free to cross, if it is next to the other side. Then samples for all rows
    at once, while there are restarts left. Then, nothing having reached: what stalled, driven to
    the bottom, the seed's own descent before the others; or, where the orientation comes second,
    samples for the position alone.
    """
    n = q.shape[0]
    restarts = int(state[data.RESTARTS])
    rows = int(setting[data.ROWS])
    second = rows == POSITION_THEN_ORIENTATION
    for i in range(n):
        box[0, i] = limits[0, i]
        box[1, i] = limits[1, i]
        active[i] = 0
    if state[data.CROSSING] == 1.0:
        state[data.CROSSING] = 2.0
        state[data.INDEX] = 1.0
        for i in range(n):
            q[i] = min(max(seed[i], limits[0, i]), limits[1, i])
        start_phase(GAUSS_NEWTON, state, hold)
        return
    refined = int(state[data.REFINEMENTS])
    first_pass = min(restarts, FULL_STARTS) if second else restarts
    sampling = refined == 0 and state[data.INDEX] < first_pass
    if not sampling:
        if state[data.BEST_DISTANCE] == 0.0 and state[data.BEST_ANGLE] == 0.0:
            state[data.PHASE] = float(DONE)
            return
        least = 0
        if refined > 0 or stalled[0, n] == math.inf:
            for i in range(restarts + 1):
                if stalled[i, n] < stalled[least, n]:
                    least = i
            if second:
                least = 0
        if stalled[least, n] < math.inf:
            if refined >= setting[data.REFINED]:
                state[data.PHASE] = float(DONE)
                return
            for i in range(n):
                q[i] = stalled[least, i]
            _rule_out(q, stalled)
            state[data.REFINEMENTS] += 1.0
            state[data.INDEX] = float(least)
            start_phase(NEWTON, state, hold)
            return
        if not second or restarts == 0 or refined >= restarts:
            state[data.PHASE] = float(DONE)
            return
        state[data.REFINEMENTS] += 1.0
    if state[data.SCORED] != (1.0 if sampling else 2.0):
        state[data.SCORED] = 1.0 if sampling else 2.0
        turn = 0.0 if rows == POSITION else (1.0 if sampling else SECOND_TURN)
        score_samples(
            target,
            seed,
            setting[data.LENGTH],
            setting[data.STRIDE],
            turn,
            samples,
            features,
            scores,
        )
    state[data.INDEX] = state[data.INDEX] + 1.0 if sampling else float(restarts + refined + 1)
    take_sample(samples, scores, q)
    start_phase(GAUSS_NEWTON, state, hold)


@njit
def _rule_out(q: Array, stalled: Array) -> None:
    """Drop every stalled point near q: it would go to the same bottom."""
    n = q.shape[0]
    for i in range(stalled.shape[0]):
        if stalled[i, n] < math.inf:
            near = True
            for j in range(n):
                if abs(stalled[i, j] - q[j]) > SAME:
                    near = False
            if near:
                stalled[i, n] = math.inf

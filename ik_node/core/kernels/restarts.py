"""Where the descents of a search begin and what becomes of their ends."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels import search_data as data
from ik_node.core.kernels.descent import copy, squared
from ik_node.core.kernels.jit import inlined, njit
from ik_node.core.kernels.search_data import (
    DONE,
    GAUSS_NEWTON,
    NEWTON,
    REFINE_RADIUS,
    Pieces,
)
from ik_node.core.kernels.seeds import (
    best_sample,
    nearest_turns,
    one_side,
    rule_out_around,
    score_samples,
    wrapped,
)
from ik_node.core.kernels.task import (
    BAD_CONFIGURATION,
    POSITION,
    POSITION_THEN_ORIENTATION,
    pose_fault,
)

Array = NDArray[np.float64]

TINY = 1e-6
FULL_STARTS = 16
SECOND_TURN = 0.1
SAME = 0.1
BORDER = 0.1


@inlined
def begin_search(target: Array, seed: Array, s: Pieces) -> None:
    """Set the state for a new target and load the seed; a fault ends the search at once."""
    n = seed.shape[0]
    state, limits = s.state, s.limits
    fault = pose_fault(target)
    for i in range(n):
        if not math.isfinite(seed[i]):
            fault = BAD_CONFIGURATION
    for i in range(data.BEST_DISTANCE, data.STATE):
        state[i] = 0.0
    state[data.FAULT] = float(fault)
    state[data.BEST_INDEX] = -1.0
    state[data.BEST_DISTANCE] = math.inf
    state[data.BEST_ANGLE] = math.inf
    state[data.BEST_TRAVEL] = math.inf
    state[data.POSITION_ERROR] = math.inf
    state[data.ORIENTATION_ERROR] = math.inf
    state[data.COST] = math.inf
    if fault != 0:
        state[data.PHASE] = float(DONE)
        return
    s.stalled_cost[0] = math.inf
    for i in range(n):
        s.box[0, i] = limits[0, i]
        s.box[1, i] = limits[1, i]
        s.q[i] = min(max(seed[i], limits[0, i]), limits[1, i])
        s.best[i] = s.q[i]
        s.active[i] = 0
    j = int(s.setting[data.ELBOW])
    if s.setting[data.KEEP_SIDE] != 0.0 and j >= 0:
        bend = wrapped(s.q[j] - s.setting[data.STRAIGHT])
        low, high = one_side(bend >= 0.0, s.q[j] - bend, limits[0, j], limits[1, j])
        s.box[0, j] = low
        s.box[1, j] = high
        below = low > limits[0, j] and s.q[j] - low < BORDER
        above = high < limits[1, j] and high - s.q[j] < BORDER
        if (below or above) and state[data.RESTARTS] > 0.0:
            state[data.CROSSING] = 1.0


@inlined
def start_phase(phase: int, s: Pieces) -> None:
    """Begin a phase of the descent."""
    state = s.state
    state[data.PHASE] = float(phase)
    state[data.COST] = math.inf
    state[data.SLOWED] = 0.0
    state[data.SHIFT] = 0.0
    state[data.RADIUS] = REFINE_RADIUS
    state[data.COUNT] = 0.0
    for i in range(6):
        s.hold[i] = 0.0


@inlined
def record(seed: Array, far: float, angle: float, s: Pieces) -> None:
    """Keep q, whose error is e, if it is the best so far: distance, then angle, then travel."""
    state, e = s.state, s.e
    if far == 0.0:
        state[data.FINDS] += 1.0
    travel = nearest_turns(s.q, seed, s.limits)
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
        copy(s.q, s.best)


@inlined
def next_start(target: Array, seed: Array, s: Pieces) -> None:
    """Load the next start, or end the search.

    First the seed again, its elbow mirrored, if it is next to the other side. Then samples for all
    rows at once, while there are restarts left. Then, nothing having reached: what stalled, driven
    to the bottom, the seed's own descent before the others; or, where the orientation comes second,
    samples for the position alone.
    """
    state, setting, limits = s.state, s.setting, s.limits
    restarts = int(state[data.RESTARTS])
    rows = int(setting[data.ROWS])
    second = rows == POSITION_THEN_ORIENTATION
    for i in range(s.q.shape[0]):
        s.box[0, i] = limits[0, i]
        s.box[1, i] = limits[1, i]
        s.active[i] = 0
    if state[data.CROSSING] == 1.0:
        state[data.CROSSING] = 2.0
        for i in range(s.q.shape[0]):
            s.q[i] = min(max(seed[i], limits[0, i]), limits[1, i])
        _mirror_elbow(s)
        _start_descent(s)
        return
    refined = int(state[data.REFINEMENTS])
    first_pass = min(restarts, FULL_STARTS) if second else restarts
    sampling = refined == 0 and state[data.INDEX] < first_pass
    if not sampling:
        if state[data.BEST_DISTANCE] == 0.0 and state[data.BEST_ANGLE] == 0.0:
            state[data.PHASE] = float(DONE)
            return
        least = 0
        if refined > 0 or s.stalled_cost[0] == math.inf:
            for i in range(int(state[data.STARTED]) + 1):
                if s.stalled_cost[i] < s.stalled_cost[least]:
                    least = i
            if second:
                least = 0
        if s.stalled_cost[least] < math.inf:
            if refined >= setting[data.REFINED]:
                state[data.PHASE] = float(DONE)
                return
            copy(s.stalled[least], s.q)
            _rule_out_stalled(s)
            state[data.REFINEMENTS] += 1.0
            state[data.INDEX] = float(least)
            start_phase(NEWTON, s)
            return
        if not second or restarts == 0 or refined >= restarts:
            state[data.PHASE] = float(DONE)
            return
        state[data.REFINEMENTS] += 1.0
    scored = 1.0 if sampling else 2.0
    if state[data.SCORED] == scored:
        rule_out_around(int(state[data.TAKEN]), s.samples, s.scores)
    else:
        turn = 0.0 if rows == POSITION else (1.0 if sampling else SECOND_TURN)
        score_samples(
            target,
            seed,
            setting[data.LENGTH],
            setting[data.STRIDE],
            turn,
            s.samples,
            s.features,
            s.scores,
        )
        state[data.SCORED] = scored
    taken = best_sample(s.scores)
    state[data.TAKEN] = float(taken)
    for i in range(s.q.shape[0]):
        s.q[i] = s.samples[i, taken]
    if sampling:
        _start_descent(s)
    else:
        state[data.INDEX] = float(restarts + refined + 1)
        start_phase(GAUSS_NEWTON, s)


@inlined
def _mirror_elbow(s: Pieces) -> None:
    """Put the elbow as far across straight, or folded, as it is before it, and keep it there."""
    j = int(s.setting[data.ELBOW])
    bend = wrapped(s.q[j] - s.setting[data.STRAIGHT])
    border = s.q[j] - bend
    if abs(bend) > 0.5 * math.pi:
        border += math.copysign(math.pi, bend)
    low, high = one_side(s.q[j] < border, border, s.limits[0, j], s.limits[1, j])
    s.box[0, j] = low
    s.box[1, j] = high
    s.q[j] = min(max(2.0 * border - s.q[j], low), high)


@njit
def _start_descent(s: Pieces) -> None:
    """Begin the next descent of the first pass, from q."""
    s.state[data.STARTED] += 1.0
    s.state[data.INDEX] = s.state[data.STARTED]
    s.stalled_cost[int(s.state[data.STARTED])] = math.inf
    start_phase(GAUSS_NEWTON, s)


@njit
def _rule_out_stalled(s: Pieces) -> None:
    """Drop every stalled point near q: it would go to the same bottom."""
    for i in range(int(s.state[data.STARTED]) + 1):
        if s.stalled_cost[i] < math.inf:
            near = True
            for j in range(s.q.shape[0]):
                if abs(s.stalled[i, j] - s.q[j]) > SAME:
                    near = False
            if near:
                s.stalled_cost[i] = math.inf

"""The whole search as one resumable state machine on arrays.

First the descent from the caller's seed. If that does not reach, descents from the most promising
of a table of configurations whose poses are known; if none reaches, the best of them are driven to
the bottom by Newton steps, and level 2 is refined on what level 1 leaves free, step by step.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels import search_data as data
from ik_node.core.kernels.box_qp import solve_box_qp
from ik_node.core.kernels.descent import (
    Place,
    convex_model,
    copy,
    longest,
    look,
    newton_model,
    predicted_gain,
    reached,
    squared,
    stiffen,
)
from ik_node.core.kernels.gauss_newton import REACHED, SLOW, gauss_newton
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.restarts import begin_search, next_start, record, start_phase
from ik_node.core.kernels.search_data import (
    DONE,
    GAUSS_NEWTON,
    NEWTON,
    REFINE,
    REFINE_RADIUS,
    RESTORE,
    pieces,
)
from ik_node.core.kernels.second_level import (
    Second,
    judge_step,
    level_two,
    level_two_model,
    push_back,
)
from ik_node.core.kernels.seeds import wrapped
from ik_node.core.kernels.task import (
    POSE,
    POSITION,
    POSITION_THEN_ORIENTATION,
    rotation_error,
)

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

STEP, AGAIN, STALLED, ENDED = 0, 1, 2, 3

NEAR = 0.3
NEWTON_STEPS = 60
NEWTON_RADIUS = 1.0
REFINE_STEPS = 40
SMALLEST_RADIUS = 1e-6
RESTORATIONS = 8
LEAP = 0.3


@njit
def advance(
    target: Array,
    seed: Array,
    memory: Array,
    active: Flags,
    budget: int,
    fresh: bool,
) -> tuple[int, bool, bool, float, float, int, float, int, bool]:
    """Spend at most `budget` iterations on one search.

    Args:
        target: (4, 4).
        seed: (n,) where to start and what to stay near to.
        memory: see `search_data.cut`; before a fresh search the caller sets the first numbers of
            the state, afterwards `best` is there.
        active: (n,) a part of it.
        budget: at least 1.
        fresh: begin anew.

    Returns:
        1 when the search is done, 0 when not yet, a fault of the target or the seed as -fault. Then
        of the best so far: whether level 1 is reached, and level 2 too; its position [m] and
        orientation error [rad]; 1 on the + side of the elbow, else 0; the travel [rad or m]; the
        iterations spent; whether it is the seed's own descent. A plain tuple of plain numbers:
        Python gets it quickest.
    """
    n = active.shape[0]
    s = pieces(memory, active)
    setting, state = s.setting, s.state
    q, g, lower, upper, dq, box = s.q, s.gradient, s.lower, s.upper, s.dq, s.box
    A, b, H = s.A, s.b, s.H
    weights = setting[data.WEIGHT_X : data.WEIGHT_Z + 1]
    even = weights[0] if weights[0] == weights[1] and weights[1] == weights[2] else 0.0
    heavy = max(weights[0], weights[1], weights[2], 1e-3)
    rows = int(setting[data.ROWS])
    posture = int(setting[data.POSTURE]) if rows != POSITION_THEN_ORIENTATION else 0
    here = Place(s.chain, s.joints, s.T, s.J, s.e, A, b, rows, weights, even)
    want = Second(posture, int(setting[data.ELBOW]), heavy, s.limits[2])
    level_one = 6 if rows == POSE else 3
    close = setting[data.POSITION_TOLERANCE]

    if fresh:
        begin_search(target, seed, s)
    spent = 0
    while state[data.PHASE] != DONE and spent < budget:
        phase = int(state[data.PHASE])
        m = level_one
        what = STEP
        rounds = 1
        radius = math.inf
        used = 1
        met = False
        if phase != GAUSS_NEWTON:
            look(here, q, target)
            met = reached(b, m, setting)
        if phase == GAUSS_NEWTON:
            if rows != POSITION and state[data.REFINEMENTS] == 0.0:
                m = 6
            came, used = gauss_newton(target, here, m, budget - spent, s)
            met = came == REACHED
            what = ENDED if met else (STALLED if came == SLOW else AGAIN)
            if met and (posture != 0 or (rows == POSITION_THEN_ORIENTATION and m == 3)):
                what = AGAIN
                start_phase(REFINE, s)
                state[data.HELD] = 1.0
            elif what == STALLED:
                from_seed = state[data.INDEX] == 0.0 or (
                    state[data.INDEX] == 1.0 and state[data.CROSSING] == 2.0
                )
                near = squared(b, 0, m) < (NEAR * setting[data.STRIDE]) ** 2
                close_by = near or state[data.RESTARTS] == 0.0
                if state[data.REFINEMENTS] > 0.0 or (from_seed and close_by):
                    what = AGAIN
                    start_phase(NEWTON, s)
        elif phase == NEWTON:
            radius = NEWTON_RADIUS
            state[data.COUNT] += 1.0
            cost = 0.5 * squared(b, 0, m)
            if met or state[data.COUNT] > NEWTON_STEPS:
                what = ENDED
                hopeless = not met and state[data.BEST_DISTANCE] == 0.0
                if not hopeless and (posture != 0 or rows == POSITION_THEN_ORIENTATION):
                    what = AGAIN
                    start_phase(REFINE, s)
                    state[data.HELD] = 1.0 if met else 0.0
            else:
                newton_model(here, m, cost, q, s.before, s.G, H, g, s.factor, state)
        elif phase == REFINE:
            radius = state[data.RADIUS]
            state[data.COUNT] += 1.0
            held = state[data.HELD] != 0.0
            state[data.LEVEL_ONE] = 0.5 * squared(b, 0, m)
            state[data.COST] = level_two(want, here, q)
            copy(q, s.before)
            if radius < SMALLEST_RADIUS or state[data.COUNT] > REFINE_STEPS:
                what = ENDED
            else:
                rounds = 3
                convex_model(held, 0.0, here, m, s.G, g, s.factor)
                level_two_model(want, held, here, q, s.hold, s.model, H, g)
                state[data.SHIFT] = stiffen(H, s.model, s.G, s.factor)
                if state[data.SHIFT] == 0.0:
                    what = ENDED
        else:
            radius = REFINE_RADIUS
            held = state[data.HELD] != 0.0
            cost = 0.5 * squared(b, 0, m)
            state[data.SLOWED] += 1.0
            if held:
                restored = 2.0 * cost <= 0.01 * close * close
            else:
                restored = cost <= state[data.LEVEL_ONE] * (1.0 + 1e-9) + 1e-14
            last = cost > 0.9 * state[data.PREDICTED] or state[data.SLOWED] > RESTORATIONS
            if last and held and met:
                restored = True
            state[data.PREDICTED] = cost
            if restored or last:
                what = AGAIN
                gain = state[data.COST] - level_two(want, here, q)
                judge_step(gain if restored else -1.0, heavy, q, s.before, state)
            else:
                convex_model(held, 1e-9, here, m, H, g, s.factor)
        spent += used
        state[data.ITERATIONS] += used
        if what == STEP:
            for i in range(n):
                lower[i] = max(box[0, i] - q[i], -radius)
                upper[i] = min(box[1, i] - q[i], radius)
                s.pull[i] = g[i]
            s.hold[:] = 0.0
            for _ in range(rounds):
                solve_box_qp(H, s.pull, lower, upper, dq, active, s.qp)
                if rounds > 1:
                    push_back(A, m, s.G, dq, state[data.SHIFT], s.hold, s.pull)
            size = longest(dq)
            if phase == NEWTON:
                state[data.PREDICTED] = predicted_gain(H, g, dq)
                if size < 1e-9 or state[data.PREDICTED] <= 1e-14 * state[data.COST]:
                    state[data.COUNT] = NEWTON_STEPS
                    what = AGAIN
            elif phase == REFINE:
                slope = 0.0
                for i in range(n):
                    slope -= g[i] * dq[i]
                if size < 1e-7 or slope <= 1e-13 * heavy * heavy:
                    what = ENDED
                else:
                    state[data.PHASE] = float(RESTORE)
                    state[data.PREDICTED] = math.inf
                    state[data.SLOWED] = 0.0
                    state[data.SHIFT] = size
        if what == STEP:
            for i in range(n):
                q[i] = min(max(q[i] + dq[i], box[0, i]), box[1, i])
        elif what != AGAIN:
            finished = False
            if what == ENDED:
                far = 0.0
                if phase == REFINE:
                    met = state[data.HELD] != 0.0
                if not met:
                    far = math.sqrt(squared(b, 0, m))
                angle = 0.0
                if rows == POSITION_THEN_ORIENTATION:
                    angle = math.sqrt(squared(b, 3, 6)) / setting[data.LENGTH]
                    if angle <= setting[data.ORIENTATION_TOLERANCE]:
                        angle = 0.0
                elif rows == POSITION:
                    rotation_error(s.T, target, s.e)
                record(seed, far, angle, s)
                answered = far == 0.0 and angle == 0.0
                leapt = state[data.CROSSING] == 1.0 and state[data.BEST_TRAVEL] > LEAP
                finished = answered and (
                    (state[data.INDEX] == 0.0 and not leapt)
                    or state[data.FINDS] >= setting[data.ENOUGH] + leapt
                )
            else:
                index = int(state[data.INDEX])
                copy(q, s.stalled[index])
                s.stalled_cost[index] = squared(b, 0, m)
            if finished:
                state[data.PHASE] = float(DONE)
            else:
                next_start(target, seed, s)
    side = 0
    elbow = int(setting[data.ELBOW])
    if elbow >= 0:
        bend = wrapped(s.best[elbow] - setting[data.STRAIGHT])
        side = 1 if bend >= 0.0 or bend == -math.pi else 0
    came = -int(state[data.FAULT])
    if came == 0 and state[data.PHASE] == DONE:
        came = 1
    converged = state[data.BEST_DISTANCE] == 0.0
    return (
        came,
        bool(converged),
        bool(converged and state[data.BEST_ANGLE] == 0.0),
        float(state[data.POSITION_ERROR]),
        float(state[data.ORIENTATION_ERROR]),
        side,
        float(state[data.BEST_TRAVEL]),
        int(state[data.ITERATIONS]),
        bool(state[data.BEST_INDEX] == 0.0),
    )

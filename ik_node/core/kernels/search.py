"""The whole search as one resumable state machine on arrays.

First the descent from the caller's seed. If that does not reach, descents from the most promising
of a table of configurations whose poses are known; if none reaches, the best of them are driven to
the bottom by Newton steps, and level 2 is refined on what level 1 leaves free. One iteration at a
time, so that a control loop can spread it over its ticks.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ik_node.core.kernels import search_data as data
from ik_node.core.kernels.box_qp import solve_box_qp
from ik_node.core.kernels.curvature import add_position_curvature, add_rotation_hessian
from ik_node.core.kernels.descent import (
    convexify,
    damped_model,
    exact_model,
    longest,
    normal_equations,
    predicted_gain,
    squared,
    stiffen,
)
from ik_node.core.kernels.jit import njit
from ik_node.core.kernels.kinematics import forward_kinematics
from ik_node.core.kernels.posture import posture_height, posture_step
from ik_node.core.kernels.seeds import keep_side, nearest_turns, score_samples, take_sample
from ik_node.core.kernels.task import (
    BAD_CONFIGURATION,
    POSE,
    POSITION,
    POSITION_THEN_ORIENTATION,
    pose_error,
    pose_fault,
    weigh_rotation,
)

Array = NDArray[np.float64]
Flags = NDArray[np.int8]

GAUSS_NEWTON, NEWTON, REFINE, RESTORE, DONE = 0, 1, 2, 3, 4
STEP, AGAIN, STALLED, ENDED = 0, 1, 2, 3

SLOW = 0.6
PATIENCE = 2
NEAR = 0.3
NEWTON_STEPS = 60
NEWTON_RADIUS = 1.0
REFINE_STEPS = 40
REFINE_RADIUS = 0.5
SMALLEST_RADIUS = 1e-6
RESTORATIONS = 8
TINY = 1e-6
FULL_STARTS = 16
SECOND_TURN = 0.1
SAME = 0.1


@njit
def advance(
    chain: Array,
    target: Array,
    seed: Array,
    limits: Array,
    samples: Array,
    features: Array,
    scores: Array,
    setting: Array,
    square: Array,
    flat: Array,
    stalled: Array,
    active: Flags,
    budget: int,
    fresh: bool,
    out: Array,
) -> bool:
    """Spend at most `budget` iterations on one search; tell whether it is done.

    Args:
        chain: (k + 1, 19).
        target: (4, 4).
        seed: (n,) where to start and what to stay near to.
        limits: (4, n) lower, upper, home of the posture [rad]; 1 where a turn changes nothing.
        samples: (n, N) configurations inside the limits, joint by joint.
        features: (12, N) their poses, see `seeds.sample_poses`.
        scores: (N,) scratch.
        setting: (SETTINGS,) see search_data.
        square: (square_rows(n), n) scratch.
        flat: (flat_size(k),) scratch, which begins with the state; before a fresh search the caller
            sets RESTARTS, and MARGIN [m], TURN_MARGIN [rad]: by how much a restart has to be better
            than the descent from the seed.
        stalled: (restarts + 1, n + 1) scratch at least.
        active: (n,) scratch.
        budget: at least 1.
        fresh: begin anew.
        out: (n + STATE,) out: the best configuration so far and a copy of the state.
    """
    n = seed.shape[0]
    k = chain.shape[0] - 1
    state = flat[: data.STATE]
    T = flat[data.STATE : data.STATE + 16].reshape(4, 4)
    e = flat[data.STATE + 16 : data.STATE + 22]
    b = flat[data.STATE + 22 : data.STATE + 28]
    hold = flat[data.STATE + 28 : data.STATE + 34]
    joints = flat[data.STATE + 34 : data.STATE + 34 + 6 * k].reshape(k, 6)
    q = square[data.Q]
    before = square[data.BEFORE]
    g = square[data.GRADIENT]
    pull = square[data.PULL]
    lower = square[data.LOWER]
    upper = square[data.UPPER]
    dq = square[data.DQ]
    at = data.VECTORS
    H = square[at : at + n]
    G = square[at + n : at + 2 * n]
    model = square[at + 2 * n : at + 3 * n]
    factor = square[at + 3 * n : at + 4 * n]
    qp = square[at + 4 * n : at + 5 * n + 2]
    J = square[at + 5 * n + 2 : at + 5 * n + 8]
    A = square[at + 5 * n + 8 : at + 5 * n + 14]
    box = square[data.BOX_LOWER : data.BOX_UPPER + 1]
    best = square[data.BEST]
    weights = setting[data.WEIGHT_X : data.WEIGHT_Z + 1]
    even = weights[0] if weights[0] == weights[1] and weights[1] == weights[2] else 0.0
    heavy = max(weights[0], weights[1], weights[2], 1e-3)
    rows = int(setting[data.ROWS])
    elbow = int(setting[data.ELBOW])
    posture = int(setting[data.POSTURE]) if rows != POSITION_THEN_ORIENTATION else 0
    level_one = 6 if rows == POSE else 3
    close = setting[data.POSITION_TOLERANCE]
    turned = setting[data.ORIENTATION_TOLERANCE] * setting[data.LENGTH]

    if fresh:
        _begin(target, seed, limits, setting, state, square, stalled, active)
    spent = 0
    while state[data.PHASE] != DONE and spent < budget:
        spent += 1
        state[data.ITERATIONS] += 1.0
        phase = int(state[data.PHASE])
        forward_kinematics(chain, q, T, J, joints)
        pose_error(T, target, e)
        for i in range(3):
            b[i] = e[i]
            for j in range(n):
                A[i, j] = J[i, j]
        weigh_rotation(T, J, e, weights[0], weights[1], weights[2], A[3:], b[3:])
        m = level_one
        if phase == GAUSS_NEWTON and rows != POSITION and state[data.REFINEMENTS] == 0.0:
            m = 6
        reached = squared(b, 0, 3) <= close * close
        if reached and m == 6:
            reached = squared(b, 3, 6) <= turned * turned
        what = STEP
        rounds = 1
        radius = math.inf
        if phase == GAUSS_NEWTON:
            cost = squared(b, 0, m)
            if cost > SLOW * state[data.COST]:
                state[data.SLOWED] += 1.0
            else:
                state[data.SLOWED] = 0.0
                state[data.COST] = cost
            if reached:
                what = ENDED
                if posture != 0 or (rows == POSITION_THEN_ORIENTATION and m == 3):
                    what = AGAIN
                    _start(REFINE, state, hold)
                    state[data.HELD] = 1.0
            elif state[data.SLOWED] >= PATIENCE:
                what = STALLED
                if state[data.REFINEMENTS] > 0.0 or (
                    state[data.INDEX] == 0.0
                    and (state[data.RESTARTS] == 0.0 or cost < (NEAR * setting[data.STRIDE]) ** 2)
                ):
                    what = AGAIN
                    _start(NEWTON, state, hold)
            else:
                damped_model(A, b, m, setting[data.STRIDE], H, g)
        elif phase == NEWTON:
            radius = NEWTON_RADIUS
            state[data.COUNT] += 1.0
            cost = 0.5 * squared(b, 0, m)
            if reached or state[data.COUNT] > NEWTON_STEPS:
                what = ENDED
                hopeless = not reached and state[data.BEST_DISTANCE] == 0.0
                if not hopeless and (posture != 0 or rows == POSITION_THEN_ORIENTATION):
                    what = AGAIN
                    _start(REFINE, state, hold)
                    state[data.HELD] = 1.0 if reached else 0.0
            else:
                gained = 1.0
                if cost >= state[data.COST]:
                    gained = -1.0
                    for i in range(n):
                        q[i] = before[i]
                else:
                    if state[data.COST] < math.inf:
                        gained = (state[data.COST] - cost) / state[data.PREDICTED]
                    state[data.COST] = cost
                    for i in range(n):
                        before[i] = q[i]
                    exact_model(chain, joints, T, e, A, b, m, even, G, g)
                size = 0.0
                for i in range(n):
                    size += abs(G[i, i])
                    for j in range(n):
                        H[i, j] = G[i, j]
                if gained > 0.75:
                    state[data.SHIFT] *= 0.1
                elif gained < 0.0:
                    state[data.SHIFT] = max(4.0 * state[data.SHIFT], 1e-3 * size)
                elif gained < 0.25:
                    state[data.SHIFT] = max(2.0 * state[data.SHIFT], 1e-4 * size)
                state[data.SHIFT] = convexify(H, state[data.SHIFT], factor)
        elif phase == REFINE:
            radius = state[data.RADIUS]
            state[data.COUNT] += 1.0
            held = state[data.HELD] != 0.0
            state[data.LEVEL_ONE] = 0.5 * squared(b, 0, m)
            state[data.COST] = _level_two(posture, elbow, heavy, chain, joints, q, limits, b)
            for i in range(n):
                before[i] = q[i]
            if radius < SMALLEST_RADIUS or state[data.COUNT] > REFINE_STEPS:
                what = ENDED
            else:
                if held:
                    normal_equations(A, b, 0, m, G, g)
                else:
                    exact_model(chain, joints, T, e, A, b, m, even, G, g)
                    convexify(G, 0.0, factor)
                rounds = 3
                _level_two_model(
                    posture, elbow, heavy, even, held, chain, joints, T, e, A, b, q, limits,
                    hold, model, H, g,
                )  # fmt: skip
                state[data.SHIFT] = stiffen(H, model, G, factor)
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
            if last and held and reached:
                restored = True
            state[data.PREDICTED] = cost
            if restored or last:
                what = AGAIN
                state[data.PHASE] = float(REFINE)
                gain = state[data.COST] - _level_two(
                    posture, elbow, heavy, chain, joints, q, limits, b
                )
                if restored and gain > 0.0:
                    state[data.RADIUS] = min(2.0 * state[data.RADIUS], REFINE_RADIUS)
                    if gain < 1e-12 * heavy * heavy:
                        state[data.RADIUS] = 0.0
                else:
                    for i in range(n):
                        q[i] = before[i]
                    state[data.RADIUS] = 0.25 * min(state[data.RADIUS], state[data.SHIFT])
            else:
                if held:
                    normal_equations(A, b, 0, m, H, g)
                else:
                    exact_model(chain, joints, T, e, A, b, m, even, H, g)
                size = 0.0
                for i in range(n):
                    size += abs(H[i, i])
                convexify(H, 1e-9 * size, factor)
        if what == STEP:
            for i in range(n):
                lower[i] = max(box[0, i] - q[i], -radius)
                upper[i] = min(box[1, i] - q[i], radius)
                pull[i] = g[i]
            for i in range(6):
                hold[i] = 0.0
            for r in range(rounds):
                solve_box_qp(H, pull, lower, upper, dq, active, qp)
                if rounds > 1:
                    _push(A, m, G, dq, state[data.SHIFT], r, hold, pull)
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
                    reached = state[data.HELD] != 0.0
                if not reached:
                    far = math.sqrt(squared(b, 0, m))
                angle = 0.0
                if rows == POSITION_THEN_ORIENTATION:
                    angle = math.sqrt(squared(b, 3, 6)) / setting[data.LENGTH]
                    if angle <= setting[data.ORIENTATION_TOLERANCE]:
                        angle = 0.0
                _record(seed, limits, far, angle, e, q, best, state)
                answered = far == 0.0 and angle == 0.0
                finished = answered and (
                    state[data.INDEX] == 0.0 or state[data.FINDS] >= setting[data.ENOUGH]
                )
            else:
                index = int(state[data.INDEX])
                for i in range(n):
                    stalled[index, i] = q[i]
                stalled[index, n] = squared(b, 0, m)
            if finished:
                state[data.PHASE] = float(DONE)
            else:
                _next(
                    target, seed, limits, samples, features, scores, setting, state, q, box,
                    stalled, active, hold,
                )  # fmt: skip
    for i in range(n):
        out[i] = best[i]
    for i in range(data.STATE):
        out[n + i] = state[i]
    return bool(state[data.PHASE] == DONE)


@njit
def _begin(
    target: Array,
    seed: Array,
    limits: Array,
    setting: Array,
    state: Array,
    square: Array,
    stalled: Array,
    active: Flags,
) -> None:
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


@njit
def _start(phase: int, state: Array, hold: Array) -> None:
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
def _level_two(
    posture: int,
    elbow: int,
    heavy: float,
    chain: Array,
    joints: Array,
    q: Array,
    limits: Array,
    b: Array,
) -> float:
    """Return what level 2 lowers, m^2."""
    if posture == 0:
        return 0.5 * squared(b, 3, 6)
    return heavy * heavy * posture_height(posture, elbow, chain, joints, q, limits[2])


@njit
def _level_two_model(
    posture: int,
    elbow: int,
    heavy: float,
    even: float,
    held: bool,
    chain: Array,
    joints: Array,
    T: Array,
    e: Array,
    A: Array,
    b: Array,
    q: Array,
    limits: Array,
    hold: Array,
    model: Array,
    H: Array,
    g: Array,
) -> None:
    """Write the gradient of level 2, a safe Hessian H, and the exact one of its Lagrangian."""
    n = q.shape[0]
    if posture == 0:
        normal_equations(A, b, 3, 6, H, g)
    else:
        posture_step(posture, elbow, chain, joints, q, limits[2], 1e9, g)
        for i in range(n):
            g[i] *= -heavy * heavy
            for j in range(n):
                H[i, j] = heavy * heavy if i == j else 0.0
    exact = posture == 0 and even > 0.0
    for i in range(n):
        for j in range(n):
            model[i, j] = 0.0 if exact else H[i, j]
    if exact:
        add_rotation_hessian(chain, joints, e, even * even, model)
    if held:
        add_position_curvature(chain, joints, T, hold, model)


@njit
def _push(
    A: Array, m: int, G: Array, dq: Array, weight: float, done: int, hold: Array, pull: Array
) -> None:
    """Push dq back onto level 1's null space: the next round of the method of multipliers."""
    n = dq.shape[0]
    for i in range(m):
        for j in range(n):
            hold[i] -= weight * A[i, j] * dq[j]
    for i in range(n):
        for j in range(n):
            pull[i] += weight * G[i, j] * dq[j]


@njit
def _record(
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
def _next(
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

    First samples for all rows at once, while there are restarts left. Then, nothing having reached:
    what stalled, driven to the bottom, the seed's own descent before the others; or, where the
    orientation comes second, samples for the position alone.
    """
    n = q.shape[0]
    restarts = int(state[data.RESTARTS])
    rows = int(setting[data.ROWS])
    second = rows == POSITION_THEN_ORIENTATION
    for i in range(n):
        box[0, i] = limits[0, i]
        box[1, i] = limits[1, i]
        active[i] = 0
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
            _start(NEWTON, state, hold)
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
    _start(GAUSS_NEWTON, state, hold)


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

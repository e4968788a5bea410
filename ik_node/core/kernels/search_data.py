"""Where `search` keeps things in its flat arrays."""

from __future__ import annotations

# setting: what does not change while the arm, the box and the rows stay
ROWS, WEIGHT_X, WEIGHT_Y, WEIGHT_Z, LENGTH = 0, 1, 2, 3, 4
POSITION_TOLERANCE, ORIENTATION_TOLERANCE, STRIDE = 5, 6, 7
ELBOW, STRAIGHT, KEEP_SIDE = 8, 9, 10
POSTURE, ENOUGH, REFINED = 11, 12, 13
SETTINGS = 14

# state: the first three are set by the caller before a fresh search
RESTARTS, MARGIN, TURN_MARGIN = 0, 1, 2
PHASE, INDEX, FINDS, ITERATIONS, REFINEMENTS = 3, 4, 5, 6, 7
BEST_DISTANCE, BEST_ANGLE, BEST_TRAVEL, BEST_INDEX = 8, 9, 10, 11
POSITION_ERROR, ORIENTATION_ERROR, FAULT = 12, 13, 14
# of the descent under way
COST, SLOWED, SHIFT, PREDICTED, RADIUS, COUNT, HELD, LEVEL_ONE = 15, 16, 17, 18, 19, 20, 21, 22
SCORED, CROSSING = 23, 24
STATE = 25

# phases of a descent
GAUSS_NEWTON, NEWTON, REFINE, RESTORE, DONE = 0, 1, 2, 3, 4

REFINE_RADIUS = 0.5

# vectors (n,) and matrices (n, n) in the square scratch, in rows
Q, BEFORE, BEST, GRADIENT, PULL, LOWER, UPPER, DQ, BOX_LOWER, BOX_UPPER = range(10)
VECTORS = 10


def square_rows(n: int) -> int:
    """Return the rows of the (rows, n) scratch: vectors, H, G, model, factor, the minimiser's."""
    return VECTORS + 5 * n + 2 + 12


def flat_size(k: int) -> int:
    """Return the size of the flat scratch for k moving joints: state, T, e, b, hold, joints."""
    return STATE + 16 + 18 + 6 * k

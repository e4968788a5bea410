"""What callers may ask for: a pose (4, 4) or a point (3,)."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ik_node.core.kernels import task
from ik_node.errors import TargetError

Array = NDArray[np.float64]

_IDENTITY = np.eye(4)
_FLOAT = np.dtype(np.float64)


def read_target(target: ArrayLike) -> tuple[Array, bool]:
    """Return the target as a pose (4, 4) for a kernel, and whether it was only a point.

    The numbers themselves are judged by the kernels, see `refuse_target`.

    Raises:
        TargetError: neither 4x4 nor three numbers.
    """
    try:
        array = for_kernels(target)
    except (TypeError, ValueError):
        raise TargetError("it holds something that is not a number") from None
    shape = array.shape
    if shape == (4, 4):
        return array, False
    if shape == (3,):
        pose = _IDENTITY.copy()
        pose[:3, 3] = array
        return pose, True
    raise TargetError(f"give a 4x4 pose or a point (3,), not an array of shape {shape}")


def for_kernels(values: ArrayLike) -> Array:
    """Return the numbers as the kernels take them: C-ordered, float64, writable.

    Copied only where they are not: another kind of array is another type to numba, for which every
    kernel would be compiled anew.
    """
    if type(values) is np.ndarray and values.dtype is _FLOAT and values.flags.carray:
        return values
    return np.array(values, dtype=np.float64, order="C")


def as_key(option: object) -> Any:
    """Return an option of a solver as what a solver is remembered by: arrays as tuples."""
    if option is not None and isinstance(option, (np.ndarray, list, tuple)):
        return tuple(as_key(part) for part in np.asarray(option).tolist())
    return option


def refuse_target(fault: int, target: Array) -> NoReturn:
    """Raise the TargetError for a kernel's fault code."""
    if fault == task.NOT_FINITE:
        where = np.argwhere(~np.isfinite(target[:3]))[0]
        raise TargetError(f"entry [{where[0]}, {where[1]}] is not a finite number")
    if fault == task.BAD_CONFIGURATION:
        raise TargetError("the configuration to start from holds a number that is not finite")
    raise TargetError(
        "its upper left 3x3 block is not a rotation; make its columns orthonormal, right-handed"
    )

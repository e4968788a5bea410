"""How much a step is damped: nothing away from singularities, bounded by the speed limits there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ik_node.core.kernels.damping import variable_damping
from ik_node.core.kernels.kinematics import INDEX, PRISMATIC
from ik_node.errors import ConfigurationError

if TYPE_CHECKING:
    from ik_node.core.joint_group import JointGroup

TOOL_SPEED = 0.5
SLOW_DOWN = 8.0


@dataclass(frozen=True)
class Damping:
    """Variable damping of the first level.

    Attributes:
        ceiling: lam where the smallest singular value is 0, m/rad.
        threshold: the singular value from which on lam is 0, m/rad.
    """

    ceiling: float
    threshold: float

    def __post_init__(self) -> None:
        if not (0.0 <= self.ceiling < np.inf and 0.0 < self.threshold < np.inf):
            raise ConfigurationError(
                "damping",
                f"ceiling {self.ceiling} and threshold {self.threshold} are not usable",
                "give a ceiling >= 0 and a threshold > 0",
            )

    def at(self, sigma: float) -> float:
        """Return lam for the smallest singular value `sigma`, both m/rad."""
        return float(variable_damping(sigma, self.ceiling, self.threshold))

    @classmethod
    def from_speeds(
        cls, arm: JointGroup, tool_speed: float = TOOL_SPEED, slow_down: float = SLOW_DOWN
    ) -> Damping:
        """Derive the damping from what the joints can do.

        `slow_down` is by how much the tool may slow down exactly on its line before it gives up
        the direction: ceiling = tool_speed / (2 slow_down joint_speed), threshold = 2 ceiling.

        Args:
            arm: the velocity limits of its turning joints are used; where it has none, 1 rad/s.
            tool_speed: m/s.
            slow_down: at least 1.
        """
        turning = np.ones(arm.size, dtype=bool)
        for row in arm.chain[:-1]:
            turning[int(row[INDEX])] &= row[PRISMATIC] == 0.0
        finite = arm.velocity[turning & np.isfinite(arm.velocity)]
        joint_speed = float(finite.min()) if finite.size else 1.0
        ceiling = tool_speed / (2.0 * slow_down * max(joint_speed, 1e-6))
        return cls(ceiling, 2.0 * ceiling)

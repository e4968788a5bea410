"""The node `dynamixel_driver`: joint commands to a Dynamixel bus, joint states back (DESIGN 9).

A lifecycle node that activates itself unless `auto_activate` is false. *configure* only validates;
connecting and retrying happen in *active*; *deactivate* lets go of the bus with the arm held.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from std_srvs.srv import SetBool, Trigger

from ik_node.dynamixel.config import BusConfig
from ik_node.dynamixel.report import DriverReport
from ik_node.errors import ConfigurationError, IkNodeError
from ik_node.ros.bus_thread import BusThread, Request
from ik_node.ros.complaints import Complaints
from ik_node.ros.driver_commands import DriverCommands, gripper_joint
from ik_node.ros.driver_output import DriverOutput
from ik_node.ros.driver_parameters import bus_config, driver_table
from ik_node.ros.executable import run
from ik_node.ros.joint_command import type_name
from ik_node.ros.lean_node import LeanNode
from ik_node.ros.node_parameters import NodeParameters, overrides_of
from ik_node.ros.usage import Usage

DIAGNOSTICS_PERIOD = 1.0

SUCCESS = TransitionCallbackReturn.SUCCESS
FAILURE = TransitionCallbackReturn.FAILURE

USAGE = Usage(
    "Drives the servos of servos.yaml: takes joint_command and ~/gripper, sends joint_states, and "
    "says on driver_status and /diagnostics how the bus and every servo are.",
    "dynamixel_driver --ros-args --params-file config/planar_2r/servos.yaml \\\n"
    "    -p port:=/dev/ttyUSB0",
    "docs/servos.md, which tells the entries of servos too",
    driver_table({}),
)


class DynamixelDriver(LeanNode, LifecycleNode):
    """Owns the bus thread while active."""

    def __init__(self, **node_arguments: Any) -> None:
        """Make the node and, unless told otherwise, bring it to *active*.

        Raises:
            IkNodeError: parameters that cannot be used.
        """
        super().__init__("dynamixel_driver", **node_arguments)
        self._bus: BusThread | None = None
        self._config: BusConfig | None = None
        overrides = overrides_of(self)
        self.parameters = NodeParameters(
            self, driver_table(overrides), overrides, self._check_parameters
        )
        interface = self.parameters["command_interface"]
        self._output = DriverOutput(self, type_name(interface))
        complain = Complaints(self.get_logger().warning, time.monotonic)
        self._commands = DriverCommands(self, interface, complain)
        self.create_service(SetBool, "~/torque", self._on_torque)
        self.create_service(Trigger, "~/reboot", self._on_reboot)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(DIAGNOSTICS_PERIOD, self._publish_diagnostics, clock=steady)
        if self.parameters["auto_activate"]:
            self._read_configuration()
            self._activate_by_itself()
        else:
            self.get_logger().info("waiting for the lifecycle transitions configure and activate")

    def close(self) -> None:
        """Let go of the bus: the arm is held, unless `shutdown` says otherwise."""
        self._stop_bus()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Validate the configuration."""
        try:
            self._read_configuration()
        except IkNodeError as error:
            self.get_logger().error(str(error))
            return FAILURE
        self._output.inactive("inactive")
        return SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start the bus thread, which connects and retries by itself."""
        self._commands.take()  # what was meant for an arm at rest
        self._bus = BusThread(self._config, self._take_goals, self._report)
        self._bus.start()
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of the bus."""
        self._stop_bus()
        self._output.inactive("inactive")
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Forget the configuration."""
        self._config = None
        return SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of the bus for good."""
        self._stop_bus()
        return SUCCESS

    @property
    def lifecycle_state(self) -> str:
        """Name of the present state."""
        if self._bus is not None:
            return "active"
        return "inactive" if self._config is not None else "unconfigured"

    def _activate_by_itself(self) -> None:
        for step in (self.trigger_configure, self.trigger_activate):
            if step() is not SUCCESS:
                # rclpy drops what a transition raises.
                raise ConfigurationError("the driver", f"ended in {self.lifecycle_state}")

    def _read_configuration(self) -> None:
        config = bus_config(self.parameters.values())
        self._commands.use_gripper(gripper_joint(config, self.parameters["gripper_joint"]))
        self._config = config

    def _stop_bus(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            bus.stop()

    def _check_parameters(self, values: Mapping[str, Any]) -> None:
        if self._bus is not None:
            raise ConfigurationError(
                "the bus's configuration",
                "is in use",
                "deactivate and clean up the driver, change it, then configure and activate",
            )

    def _take_goals(self) -> Mapping[str, float]:
        """Read the commands in the bus thread, until the context ends under it."""
        try:
            return self._commands.take()
        except Exception:
            if self.context.ok():
                raise
            return {}

    def _report(self, report: DriverReport) -> None:
        """Publish from the bus thread, until the context ends under it."""
        try:
            self._output.report(report)
        except Exception:
            if self.context.ok():
                raise

    def _publish_diagnostics(self) -> None:
        if self._bus is not None:
            self._bus.check()
        self._output.publish_diagnostics(self.lifecycle_state)

    def _on_torque(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        response.success, response.message = self._ask(
            lambda driver, now: driver.set_torque(request.data, now)
        )
        return response

    def _on_reboot(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = self._ask(lambda driver, now: driver.reboot(now))
        return response

    def _ask(self, request: Request) -> tuple[bool, str]:
        if self._bus is None:
            return False, f"the driver is {self.lifecycle_state}; configure and activate it first"
        try:
            return True, self._bus.ask(request)
        except IkNodeError as error:
            return False, str(error)
        except TimeoutError:
            return False, "the bus did not get round to it; see driver_status"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run("dynamixel_driver", DynamixelDriver, USAGE, arguments)


if __name__ == "__main__":
    sys.exit(main())

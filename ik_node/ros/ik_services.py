"""The services of `ik_node`: pause and resume, stop here, change the branch."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from rclpy.service import Service
from std_srvs.srv import SetBool, Trigger

from ik_node.errors import IkNodeError
from ik_node.ros.elbow_service import elbow_service
from ik_node.ros.loop import Loop
from ik_node.ros.node_parameters import NodeParameters
from ik_node.ros.robot import Robot


class Services:
    """Offers the services; those of the elbow go by the branch names of the present arm."""

    def __init__(self, node: Node, loop: Loop, parameters: NodeParameters) -> None:
        self._node = node
        self._loop = loop
        self._parameters = parameters
        self._elbow: dict[str, Service] = {}
        node.create_service(SetBool, "~/enable", self._enable)
        node.create_service(Trigger, "~/hold", self._hold)

    def offer(self, robot: Robot) -> None:
        """Offer exactly this robot's branches; none without an elbow."""
        labels = robot.tracker.branches
        for label in set(self._elbow) - set(labels):
            self._node.destroy_service(self._elbow.pop(label))
        for label in labels:
            if label not in self._elbow:
                self._elbow[label] = self._node.create_service(
                    Trigger, f"~/{elbow_service(label)}", self._change_to(label)
                )

    def _enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._loop.enable(request.data)
        response.success = True
        response.message = (
            "enabled: the arm follows targets"
            if request.data
            else "paused: no commands are sent until ~/enable is called with true"
        )
        return response

    def _hold(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._loop.hold()
        response.success = True
        response.message = "holding: the arm stops here and waits for the next target"
        return response

    def _change_to(
        self, label: str
    ) -> Callable[[Trigger.Request, Trigger.Response], Trigger.Response]:
        def answer(_: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            if not self._loop.robot:
                response.message = "there is no robot description yet"
                return response
            try:
                plan = self._loop.robot.tracker.request_branch(
                    label, dry_run=self._parameters["reconfigure.dry_run"]
                )
                response.success, response.message = plan.accepted, plan.sentence
            except IkNodeError as error:
                response.message = str(error)
            return response

        return answer

"""What comes in between: states that stay away, a push, a pause, a fault, another parameter."""

from __future__ import annotations

from dataclasses import replace

from control.simulation import DT, Simulation

from ik_node.control import PoseTracker, TrackerOutput


def found_at(simulation: Simulation, q, target=None, velocity=None) -> list[TrackerOutput]:
    """The arm stands at q whatever it is told, until the tracker has seen it."""
    outputs = []
    for _ in range(3):
        simulation.now += DT
        outputs.append(simulation.tracker.step(q, target, simulation.now, DT, qd_measured=velocity))
    if outputs[-1].q_command is not None:
        simulation.q, simulation.v = outputs[-1].q_command, outputs[-1].dq / DT
    return outputs


def lose_the_joint_states(simulation: Simulation, target=None) -> None:
    for _ in range(120):
        simulation.now += DT
        simulation.tracker.step(None, target, simulation.now, DT)
    found_at(simulation, simulation.q, target)


def push_it_away(simulation: Simulation, target=None) -> None:
    found_at(simulation, simulation.q + 0.4, target)


def tune(simulation: Simulation, **settings) -> None:
    """Other parameters from now on, unless they are refused."""
    config = replace(simulation.config, **settings)
    tuned = PoseTracker(simulation.arm, config)
    tuned.go_on_from(simulation.tracker)
    simulation.tracker, simulation.config = tuned, config


def tune_it(simulation: Simulation, target=None) -> None:
    tune(simulation, tool_speed=0.1)


def pause_and_tune_it(simulation: Simulation, target=None) -> None:
    simulation.tracker.enable(False)
    simulation.run(target, 0.4)
    tune_it(simulation)
    simulation.run(target, 0.1)
    simulation.tracker.enable(True)


def have_a_fault_and_tune_it(simulation: Simulation, target=None) -> None:
    simulation.tracker.fault("overload")
    simulation.run(target, 0.1)
    tune_it(simulation)
    simulation.run(target, 0.1)
    simulation.tracker.fault(None)
    found_at(simulation, simulation.q, target)


INTERRUPTIONS = [
    lose_the_joint_states,
    push_it_away,
    tune_it,
    pause_and_tune_it,
    have_a_fault_and_tune_it,
]


def ask_for_the_other_branch(simulation: Simulation) -> str:
    tracker = simulation.tracker
    other = next(label for label in tracker.branches if label != tracker.branch)
    answer = tracker.request_branch(other)
    assert answer.accepted, answer.sentence
    return other


def side(simulation: Simulation) -> str:
    elbow = simulation.arm.elbow
    return elbow.label(elbow.sign_of(simulation.q))

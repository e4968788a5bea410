from __future__ import annotations

import pytest
from virtual_bus import VirtualClient, make_bus

from ik_node.dynamixel.emulator.protocol import ALERT, Error, Instruction

VOLTAGE, HEAT, OVERLOAD = 1, 4, 32


@pytest.fixture
def client() -> VirtualClient:
    return VirtualClient(make_bus("XM430-W350", "XM430-W350"))


def push_against_a_stop(client: VirtualClient) -> None:
    client.servo(1).set_stops(-0.1, 0.1)
    client.must_set(1, torque_enable=1, goal_position=3500)


def test_pushing_for_two_seconds_is_an_overload(client):
    push_against_a_stop(client)
    client.wait(1.5)
    assert client.get(1, "torque_enable") == 1
    client.wait(1.5)
    assert client.get(1, "hardware_error_status") == OVERLOAD
    assert client.get(1, "torque_enable") == 0
    assert client.get(1, "present_current") == 0


def test_every_reply_carries_the_alert_and_only_of_that_servo(client):
    push_against_a_stop(client)
    client.wait(3.0)
    assert client.ping(1)[0].error == ALERT
    assert client.set(1, "led", 1) == ALERT
    assert client.set(1, "goal_position", 5000) == ALERT | Error.DATA_LIMIT
    assert client.ping(2)[0].error == 0


def test_only_a_reboot_gives_the_torque_back(client):
    push_against_a_stop(client)
    client.wait(3.0)
    client.set(1, "torque_enable", 1)
    assert client.get(1, "torque_enable") == 0
    client.one(1, Instruction.REBOOT)
    client.wait(0.4)
    assert client.get(1, "hardware_error_status") == 0
    client.must_set(1, torque_enable=1)
    assert client.get(1, "torque_enable") == 1


def test_without_the_bit_in_the_shutdown_mask_the_torque_stays(client):
    client.must_set(1, shutdown=0x14)
    push_against_a_stop(client)
    client.wait(3.0)
    assert client.get(1, "hardware_error_status") == OVERLOAD
    assert client.get(1, "torque_enable") == 1


def test_a_low_supply_is_an_alert_that_ends_with_it(client):
    client.must_set(1, torque_enable=1)
    client.inject("voltage_sag", value=9.0)
    client.wait(0.2)
    assert client.get(1, "present_input_voltage") == 90
    assert client.get(1, "hardware_error_status") == VOLTAGE
    assert client.get(1, "torque_enable") == 1, "52 does not name the voltage"
    client.injector.clear()
    client.wait(0.2)
    assert client.get(1, "hardware_error_status") == 0


def test_an_xl330_shuts_down_for_its_voltage():
    client = VirtualClient(make_bus("XL330-M288"))
    client.must_set(1, torque_enable=1)
    client.inject("voltage_sag")
    client.wait(0.2)
    assert client.get(1, "torque_enable") == 0


def test_the_supply_gives_way_under_current(client):
    client.servo(1).set_stops(-0.1, 0.1)
    idle = client.get(1, "present_input_voltage")
    push_against_a_stop(client)
    client.wait(1.0)
    assert client.get(1, "present_input_voltage") < idle


def test_a_stalled_motor_gets_hot_and_shuts_down(client):
    client.must_set(1, shutdown=HEAT)
    push_against_a_stop(client)
    client.wait(5.0)
    warm = client.get(1, "present_temperature")
    assert 30 < warm < 80
    client.wait(120.0)
    assert client.get(1, "hardware_error_status") & HEAT
    assert client.get(1, "torque_enable") == 0
    client.wait(600.0)
    assert client.get(1, "present_temperature") < 40


def test_a_light_load_never_overheats():
    client = VirtualClient(make_bus("XM430-W350", loads={"j1": 0.8}))
    client.must_set(1, torque_enable=1)
    client.wait(400.0)
    assert client.get(1, "hardware_error_status") == 0
    assert client.get(1, "present_temperature") < 45


def test_a_hot_servo_stays_hot_as_long_as_the_fault_holds(client):
    client.inject("over_temperature", "j1", until=100.0)
    client.wait(60.0)
    assert client.get(1, "hardware_error_status") == HEAT
    client.one(1, Instruction.REBOOT)
    client.wait(1.0)
    assert client.get(1, "hardware_error_status") == HEAT
    client.wait(60.0)
    client.injector.end_expired(client.now)
    client.one(1, Instruction.REBOOT)
    client.wait(1.0)
    assert client.get(1, "hardware_error_status") == 0

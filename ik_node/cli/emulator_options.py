"""Repeatable options of emulated_dynamixel: text to values, a mistake to a usage error."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click

from ik_node.dynamixel.emulator.fault_request import FAULT_KEYS, fault_from
from ik_node.dynamixel.emulator.faults import Fault


class Finite(click.FloatRange):
    """A number in a range; NaN and infinity are in none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Text to number; a mistake ends in a usage error."""
        number = click.FLOAT.convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not finite.", param, ctx)
        return float(super().convert(number, param, ctx))


def pairs_of(option: str, texts: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE, repeated, as a dictionary."""
    pairs = {}
    for text in texts:
        name, equals, value = text.replace(":=", "=").partition("=")
        if not equals:
            raise click.UsageError(f"{option} {text}: write NAME=VALUE")
        pairs[name] = value
    return pairs


def numbers_of(option: str, texts: tuple[str, ...]) -> dict[str, float]:
    """JOINT=NUMBER, repeated, as a dictionary."""
    numbers = {}
    for name, text in pairs_of(option, texts).items():
        try:
            numbers[name] = _finite(text)
        except ValueError:
            raise click.UsageError(f"{option} {name}={text}: write JOINT=NUMBER") from None
    return numbers


def versions_of(option: str, texts: tuple[str, ...]) -> dict[str, int]:
    """JOINT=VERSION, repeated, as a dictionary; a firmware's version is one byte."""
    versions = {}
    for name, number in numbers_of(option, texts).items():
        if number not in range(256):
            raise click.UsageError(f"{option} {name}={number:g}: a version is a number 0 .. 255")
        versions[name] = int(number)
    return versions


def ranges_of(option: str, texts: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """JOINT=LOW:HIGH, repeated, as a dictionary."""
    ranges = {}
    for name, text in pairs_of(option, texts).items():
        low, _, high = text.partition(":")
        try:
            ranges[name] = (_finite(low), _finite(high))
        except ValueError:
            raise click.UsageError(f"{option} {name}={text}: write JOINT=LOW:HIGH") from None
        if ranges[name][0] > ranges[name][1]:
            raise click.UsageError(
                f"{option} {name}={text}: LOW is above HIGH; write JOINT=LOW:HIGH"
            )
    return ranges


def fault_of(text: str) -> Fault:
    """KIND[:SERVO][,KEY=VALUE], as from the emulator's start on."""
    head, *rest = text.split(",")
    kind, _, servo = head.partition(":")
    request: dict[str, Any] = {"kind": kind, "servo": servo or None}
    for name, value in pairs_of("--fault", tuple(rest)).items():
        if name not in FAULT_KEYS:
            raise click.UsageError(f"--fault: unknown key {name}; known: {', '.join(FAULT_KEYS)}")
        try:
            request[name] = float(value)
        except ValueError:
            raise click.UsageError(f"--fault: {name}={value} is no number") from None
    return fault_from(request, 0.0)


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError
    return number

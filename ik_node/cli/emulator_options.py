"""Repeatable options of emulated_dynamixel: text to values, a mistake to a usage error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ik_node.dynamixel.emulator.faults import Fault


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
    try:
        return {name: float(value) for name, value in pairs_of(option, texts).items()}
    except ValueError as error:
        raise click.UsageError(f"{option}: {error}; write JOINT=NUMBER") from None


def ranges_of(option: str, texts: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """JOINT=LOW:HIGH, repeated, as a dictionary."""
    ranges = {}
    for name, text in pairs_of(option, texts).items():
        low, _, high = text.partition(":")
        try:
            ranges[name] = (float(low), float(high))
        except ValueError:
            raise click.UsageError(f"{option} {name}={text}: write JOINT=LOW:HIGH") from None
    return ranges


_FAULT_KEYS: dict[str, tuple[str, Callable[[str], float]]] = {
    "probability": ("probability", float),
    "count": ("remaining", int),
    "duration": ("until", float),
    "value": ("value", float),
}


def fault_of(text: str) -> Fault:
    """KIND[:SERVO][,KEY=VALUE], as from the emulator's start on."""
    head, *rest = text.split(",")
    kind, _, servo = head.partition(":")
    keywords: dict[str, Any] = {"kind": kind, "servo": servo or None}
    for name, value in pairs_of("--fault", tuple(rest)).items():
        if name not in _FAULT_KEYS:
            raise click.UsageError(f"--fault: unknown key {name}; known: {', '.join(_FAULT_KEYS)}")
        key, convert = _FAULT_KEYS[name]
        try:
            keywords[key] = convert(value)
        except ValueError:
            raise click.UsageError(f"--fault: {name}={value} is no number") from None
    return Fault(**keywords)

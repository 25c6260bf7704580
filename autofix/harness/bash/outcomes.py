"""How the states that a shell may be in come together again, and what they leave unknown."""

from collections.abc import Sequence
from dataclasses import replace

from autofix.harness.bash.syntax import Redirect
from autofix.harness.bash.values import ANY, NAME, OPAQUE
from autofix.harness.bash.world import Value, World


def diverts(redirect: Redirect) -> bool:
    """It takes standard output away."""
    return (redirect.operator in {">", ">>", ">|", "&>", "&>>"} and redirect.descriptor in {"", "1"}) or (
        redirect.operator == ">&" and redirect.descriptor in {"", "1"}
    )


def harmless(text: str) -> bool:
    return OPAQUE not in text


def either(one: str, other: str) -> str:
    """What is known of a text that is one of two."""
    if not one or not other or one == other:
        return one or other
    return ANY if ANY in one or ANY in other else OPAQUE


MOST_WORLDS = 8
"""States kept apart; a script written to be read has one or two."""


def merged(worlds: Sequence[World]) -> list[World]:
    """The states that differ; one blurred state where there are too many."""
    unlike: list[World] = []
    for world in worlds:
        if world not in unlike:
            unlike.append(world)
    return unlike if len(unlike) <= MOST_WORLDS else [blurred(unlike)]


def blurred(worlds: Sequence[World]) -> World:
    """One state for many: what they disagree on is opaque."""
    first = worlds[0]
    names = {name for world in worlds for name in world.variables}
    merged: dict[str, Value] = {}
    for name in names:
        values = {world.variables.get(name, "") for world in worlds}
        merged[name] = values.pop() if len(values) == 1 else OPAQUE
    functions = first.functions if all(world.functions == first.functions for world in worlds) else {}
    directory = first.directory if all(world.directory == first.directory for world in worlds) else None
    arguments = first.arguments if all(world.arguments == first.arguments for world in worlds) else (OPAQUE,)
    traps = tuple(dict.fromkeys(text for world in worlds for text in world.traps))
    return World(directory, merged, functions, arguments, traps=traps)


def changed(after: World, before: World) -> World:
    """The state after one round of a loop, with what the round changed unknown from now on."""
    blurred: dict[str, Value] = {
        name: value if before.variables.get(name) == value else _any_of(value)
        for name, value in after.variables.items()
    }
    return replace(after, variables=blurred)


def _any_of(value: Value) -> Value:
    if isinstance(value, str) and value.strip(NAME + ANY) == "":
        return value
    return OPAQUE

"""Draws the run's machine into ARCHITECTURE.md, from the table the program obeys.

python -m tests.diagrams
"""

from pathlib import Path

from autofix.state.machine import TABLE, Phase

DOCUMENT = Path(__file__).parents[1] / "ARCHITECTURE.md"
BEGIN, END = "<!-- machine: drawn by `make diagrams` -->\n", "<!-- /machine -->\n"


def machine() -> str:
    """The table as a mermaid diagram: the states in its order, each with what leaves it."""
    arrows = [f"    [*] --> {Phase.READY.value}"]
    for phase, moves in TABLE.items():
        arrows += [f"    {phase.value} --> {after.value}: {move.value}" for move, after in moves.items()]
        arrows += [f"    {phase.value} --> [*]"] * phase.ended
    return "\n".join(["```mermaid", "stateDiagram-v2", *arrows, "```", ""])


def drawn(text: str) -> str:
    """The document with the diagram as it has to be."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{DOCUMENT.name} has no place for the diagram")
    return before + begin + machine() + end + after


if __name__ == "__main__":
    DOCUMENT.write_text(drawn(DOCUMENT.read_text("utf-8")), "utf-8")

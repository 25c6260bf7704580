"""The long trajectory: shell turns of 4 KB each, 40 and 200 of them, then an edit and a test.

The server sees the gap between its answer and the next request: what the loop itself takes a turn, with gate, hook,
journal and tree comparison, once the command's own time is taken off.
"""

import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import stage
from benchmarks.bench_short import DONE, HOST, call
from benchmarks.model_server import ModelServer
from benchmarks.row import Row
from benchmarks.stage import CHECK, RIGHT_LINE, WRONG_LINE, Ran

MB = 1024 * 1024
LIGHT, HEAVY = 680, 17_000
"""Numbers of five digits a line: 4 KB and 100 KB."""


def measure(rounds: int = 3) -> list[Row]:
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        repository = stage.repository(home / "work")
        ours, minimal = [], []
        for _ in range(rounds):
            ours.append(_ours(repository, home, 40))
            minimal.append(_theirs("minimal", repository, home, 40))
        floor = _theirs("floor", repository, home, 40)
        long = _ours(repository, home, 200)
        heavy = _ours(repository, home, 200, numbers=HEAVY)
    return [*_per_turn(ours, minimal), *_slope(long), _flat(heavy), *_price(ours[0], floor)]


def _output(turn: int, numbers: int = LIGHT) -> str:
    """A command whose output no other turn has."""
    first = 10_000 + turn * 100
    return f"seq {first} {first + numbers}"


def _ours(repository: stage.Repository, home: Path, turns: int, numbers: int = LIGHT) -> Ran:
    script = [[call("Bash", command=_output(turn, numbers))] for turn in range(turns)]
    script += [
        [call("Edit", file_path="shop/cart.py", old_string=WRONG_LINE, new_string=RIGHT_LINE)],
        [call("Bash", command=CHECK)],
    ]
    with ModelServer(script) as server:
        ran = stage.autofix(repository, server, home, *HOST)
    if ran.stats["outcome"] != "fixed":
        raise RuntimeError(f"the long trajectory ended as {ran.stats['outcome']}: {ran.stats['reason']}")
    return ran


def _theirs(name: str, repository: stage.Repository, home: Path, turns: int) -> Ran:
    with ModelServer([*([call("bash", command=_output(turn))] for turn in range(turns + 1)), DONE]) as server:
        return stage.loop(name, repository, server, home)


def _gaps(ran: Ran, first: int, last: int) -> list[float]:
    """Milliseconds of the loop itself for these turns, counted from 1."""
    return [(ran.turns[turn].gap - ran.commands[turn - 1]) * 1000 for turn in range(first, last + 1)]


def _quickest_tenth(gaps: Sequence[float]) -> float:
    return statistics.quantiles(gaps, n=10)[0]


def _cpu(ran: Ran, first: int = 10, last: int = 40) -> float:
    """Milliseconds a turn, with the children's."""
    one, other = ran.turns[first], ran.turns[last]
    return (other.cpu + other.children - one.cpu - one.children) / (last - first) * 1000


def _per_turn(ours: Sequence[Ran], minimal: Sequence[Ran]) -> list[Row]:
    gaps = [gap for ran in ours for gap in _gaps(ran, 31, 40)]
    theirs = statistics.median(gap for ran in minimal for gap in _gaps(ran, 31, 40))
    cpu, their_cpu = statistics.median(map(_cpu, ours)), statistics.median(map(_cpu, minimal))
    return [
        Row("long run, turns 31-40: wall beyond the command, a turn", statistics.median(gaps), 15, "ms"),
        Row(
            "  the quickest tenth: what others on the machine disturbed least",
            _quickest_tenth(gaps),
            float("inf"),
            "ms",
        ),
        Row("  minimal loop", theirs, float("inf"), "ms"),
        Row("long run: CPU a turn with its children / minimal loop's (mini-swe-agent: 5 x)", cpu / their_cpu, 2.5, "x"),
        Row("  autofix", cpu, float("inf"), "ms"),
        Row("  minimal loop", their_cpu, float("inf"), "ms"),
    ]


def _grown(long: Ran) -> float:
    """MB from the 40th to the 200th turn, beyond what the conversation itself grew."""
    grown = (long.turns[200].resident - long.turns[40].resident) / 1024
    return grown - (long.turns[200].bytes - long.turns[40].bytes) / MB


def _flat(heavy: Ran) -> Row:
    return Row("200 turns of 100 KB results: memory beyond the transcript", _grown(heavy), 10, "MB")


def _slope(long: Ran) -> list[Row]:
    early = statistics.median(_gaps(long, 31, 40))
    late = statistics.median(_gaps(long, 191, 200))
    return [
        Row(
            "200 turns: a turn's wall / the 40th's (bar: the bytes' ratio)",
            late / early,
            long.turns[200].bytes / long.turns[40].bytes,
            "x",
        ),
        Row("  a turn's wall, turns 191-200", late, float("inf"), "ms"),
        Row("200 turns: memory beyond the transcript", _grown(long), 10, "MB"),
    ]


def _price(ours: Ran, floor: Ran) -> list[Row]:
    stats = ours.stats
    read, new = stats["cache_read_input_tokens"], stats["input_tokens"] + stats["cache_creation_input_tokens"]
    return [
        Row("long run: input price / floor's", ours.price / floor.price, 1.10, "x"),
        Row("  autofix, thousand tokens", ours.price / 1000, float("inf"), "k"),
        Row("long run: input tokens read from the cache", 100 * read / (read + new), 90, "%", at_least=True),
        Row("long run: requests that rewrote history", len(stats["rewritten"]), 0, ""),
    ]


if __name__ == "__main__":
    for row in measure(1):
        print(row)

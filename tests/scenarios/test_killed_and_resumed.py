"""A run is killed at every event of its journal, before and after it is written, and resumed: nobody can tell.

Same outcome, same fix; one push, one comment; no call done twice unless the model was told that its outcome is
unknown; nothing left behind. In the middle the run asks a person, and the process that goes on with the answer is killed
as well.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from autofix.harness.deed import STOPPED_MEANWHILE
from autofix.state.journal import read
from autofix.state.machine import Phase
from autofix.state.run_state import fold
from tests.fakes.anthropic_server import AnthropicServer, Failure, Turn, call
from tests.scenarios.dying_run import Lived, live
from tests.scenarios.scene import DONE, MEASURE, Scene, bash, fix, told

TAP_CHECK = """\
import sys
sys.path.insert(0, ".")
from shop.sums import add, double, half
cases = {"add": add(2, 3) == 5, "double": double(4) == 8, "half": half(6) == 3}
print(f"1..{len(cases)}")
for number, (name, holds) in enumerate(cases.items(), 1):
    print("ok" if holds else "not ok", number, "-", name)
sys.exit(not all(cases.values()))
"""


def counted(directory: Path, word: str) -> dict:
    """A call that leaves a trace outside the tree each time it runs."""
    return bash(f"echo {word} >> {directory / 'deeds.txt'}")


class Steps:
    """A model that does one step after the other; one whose outcome is unknown, it does again."""

    def __init__(self, directory: Path) -> None:
        self.steps = [
            Turn([counted(directory, "first"), fix("add")]),
            Turn([MEASURE]),
            Turn([DONE]),  # too early: the verification says so
            Turn([counted(directory, "second"), call("RequestScope", path="notes.md", reason="to tell of it")]),
            Turn([fix("double")]),
            Turn([DONE]),
        ]
        self.failed = False

    def __call__(self, body: dict) -> Turn | Failure:
        done = sum(message["role"] == "assistant" for message in body["messages"])
        done -= sum(STOPPED_MEANWHILE in json.dumps(message) for message in body["messages"])
        if done == 1 and not self.failed:
            self.failed = True
            return Failure(529, "busy", headers={"retry-after": "0"})
        return self.steps[done]


def two_bugs(directory: Path) -> Scene:
    """Two bugs, and a check that takes no time."""
    check = {"name": "sums", "command": f"{sys.executable} -B check.py", "runner": "tap"}
    scene = Scene(directory, check=None, configuration={"flaky.reruns": 1, "checks": [check]})
    scene.branch(wrong=("add", "double"), base={"check.py": TAP_CHECK})
    return scene


def start(scene: Scene, server: AnthropicServer, when: str, number: int, *words: str) -> Lived:
    run = ("run", f"--repo={scene.user.path}", "--head=feature", "--sandbox=host", "--mode=bypass-permissions")
    arguments = [*(words or (*run, "--output-format=json")), f"--state-dir={scene.state}"]
    return live(when, number, scene.environ(server), arguments, scene.directory)


def deeds(scene: Scene) -> list[str]:
    return (scene.directory / "deeds.txt").read_text().split() if (scene.directory / "deeds.txt").exists() else []


def assert_as_if_nothing_had_happened(scene: Scene, server: AnthropicServer, result: dict[str, Any]) -> None:
    run = scene.runs[0]
    assert result["outcome"] == "fixed"
    assert scene.pushed_files().keys() == {"shop/sums.py"}
    assert scene._in_remote("rev-list", "--count", f"{scene.head}..feature").strip() == "1"
    assert len(list((scene.state / "comments").iterdir())) == 1
    unknown = sum(STOPPED_MEANWHILE in one for one in told(server))
    assert deeds(scene).count("first") + deeds(scene).count("second") <= 2 + unknown
    assert {"trees", "repo.git", "owner"}.isdisjoint(path.name for path in run.iterdir())
    assert fold(read(run / "journal.jsonl").events).outcome == "fixed"


SHARES = 8
"""Tests that the events are dealt to, so that they run side by side."""


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_killed_at_any_event_ends_as_if_it_had_not_been(tmp_path: Path, when: str, share: int) -> None:
    for number in range(1 + share, 1000, SHARES):
        scene = two_bugs(tmp_path / str(number))
        try:
            if not killed_and_resumed(scene, when, number):
                assert number > FEWEST_EVENTS
                return
        finally:
            scene.close()


WAITS = 11
RESUME = ("resume", "last", "--output-format=json")
FEWEST_EVENTS = 50
"""A run of this story has more: a test that kills nothing must not pass."""


def killed_and_resumed(scene: Scene, when: str, number: int) -> bool:
    """False where the run has fewer events."""
    server = scene.serve(Steps(scene.directory))
    lived = start(scene, server, when, number)
    while lived.exit_code == WAITS:
        lived = start(scene, server, when, max(1, number - events(scene)), *answer(scene))
    if not lived.killed:
        assert lived.exit_code == 0, lived.stderr
        return False
    if (when, number) == ("before", 1):
        assert_never_began(scene, server)
        return True
    ended = gone_on(scene, server)
    while ended.exit_code == WAITS:
        ended = gone_on(scene, server)
    assert ended.exit_code == 0, f"{when} event {number}: {ended.stderr}"
    assert_as_if_nothing_had_happened(scene, server, json.loads(ended.stdout))
    return True


def gone_on(scene: Scene, server: AnthropicServer, when: str = "never", number: int = 0) -> Lived:
    """Another process does what the run waits for: it answers, or goes on."""
    return start(scene, server, when, number, *(answer(scene) if waiting(scene) else RESUME))


def waiting(scene: Scene) -> bool:
    return fold(read(scene.runs[0] / "journal.jsonl").events).phase is Phase.WAITING_FOR_APPROVAL


def answer(scene: Scene) -> tuple[str, ...]:
    question = fold(read(scene.runs[0] / "journal.jsonl").events).question
    return ("approve", "last", question, "--output-format=json")


def events(scene: Scene) -> int:
    return len(read(scene.runs[0] / "journal.jsonl").events)


def assert_never_began(scene: Scene, server: AnthropicServer) -> None:
    ended = start(scene, server, "never", 0, *RESUME)
    assert ended.exit_code == 2
    assert "stopped before it began" in ended.stderr


def test_a_run_killed_again_and_again_still_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    """Each process lives for fourteen events: long enough for a baseline, which is begun again."""
    scene = two_bugs(tmp_path)
    server = scene.serve(Steps(scene.directory))
    ended = start(scene, server, "after", 14)
    resumptions = 0
    while ended.killed or ended.exit_code == WAITS:
        resumptions += 1
        assert resumptions < 60, "the run gets nowhere"
        ended = gone_on(scene, server, "after", 14)
    assert ended.exit_code == 0, ended.stderr
    assert_as_if_nothing_had_happened(scene, server, json.loads(ended.stdout))
    assert resumptions > 2
    again = start(scene, server, "never", 0, "replay", "last")
    assert (again.exit_code, "every request as recorded" in again.stdout) == (0, True), again.stdout
    scene.close()

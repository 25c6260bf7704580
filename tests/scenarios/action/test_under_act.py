"""The first examples as they stand, played by nektos/act: a runner we did not write.

Replaced are only what act cannot do and the project's own setup command. JavaScript actions are fetched from their
repository and run by a node in the job's image, and here is neither: what hands the bundle from job to job is two steps
of shell that leave it as upload-artifact and download-artifact do, a single file at the root of the artifact.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.contract.rooms_here import room_or_skip
from tests.fakes import webhook_events as events
from tests.fakes.anthropic_server import AnthropicServer, Turn
from tests.scenarios.action.stage import KEY, TOKEN, Stage
from tests.scenarios.action.test_in_its_container import SETUP
from tests.scenarios.scene import DONE, fix

pytestmark = [pytest.mark.docker, pytest.mark.timeout(400)]

ROOT = Path(__file__).parents[3]
SHIPPED = ("action.yml", "Dockerfile", ".dockerignore", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a release holds."""
    room_or_skip("docker")
    made = tmp_path_factory.mktemp("release")
    for name in SHIPPED:
        shutil.copy(ROOT / name, made)
    shutil.copytree(ROOT / "requirements", made / "requirements")
    shutil.copytree(ROOT / "autofix", made / "autofix", ignore=shutil.ignore_patterns("__pycache__"))
    return made


UPLOAD = (
    r"        uses: actions/upload-artifact@.*\n        with:\n          name: autofix-bundle\n          path: (.*)\n"
)
HANDED_ON = r"""        run: mkdir -p artifact && cp '\1' artifact/
"""
DOWNLOAD = (
    r"      - uses: actions/download-artifact@.*\n        with:\n          name: autofix-bundle\n          path: (.*)\n"
)
TAKEN_OVER = r"""      - run: mv artifact '\1'
"""


def playable(name: str, model: str) -> str:
    """The example without its JavaScript action, with a setup for the stage's project and the stage's model."""
    text = (ROOT / "examples" / name).read_text(encoding="utf-8")
    text = re.sub(r"      - name: Keep the patch and the \w+\n(?:        .*\n|          .*\n)*", "", text)
    text = re.sub(UPLOAD, HANDED_ON, re.sub(DOWNLOAD, TAKEN_OVER, text))
    said = "      - if: always()\n        run: echo 'ENDED ${{ steps.autofix.outputs.outcome }} ${{ steps.autofix.outputs.delivery }}'\n"
    text = re.sub(r"setup-command: .*", f"setup-command: {SETUP}", text.rstrip("\n") + "\n" + said)
    return re.sub(r"( +)(anthropic-api-key: .*)", rf"\1\2\n\1anthropic-base-url: {model}", text)


def play(stage: Stage, tree: Path, name: str, event: str, payload: Any) -> str:
    """act's log."""
    repository = stage.directory / "checkout"
    (repository / ".github" / "workflows").mkdir(parents=True)
    with AnthropicServer([Turn([fix("add")]), Turn([DONE])], key=KEY) as server:
        stage.environ(server, event, payload, {})
        (repository / ".github" / "workflows" / name).write_text(playable(name, server.url), encoding="utf-8")
        for command in (
            ["init", "-q", "-b", "main"],
            ["remote", "add", "origin", "https://github.com/acme/widgets.git"],
        ):
            subprocess.run(["git", *command], cwd=repository, check=True)
        commit = ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x"]
        subprocess.run(["git", *commit], cwd=repository, check=True)
        done = subprocess.run(
            [
                *(str(Path(sys.executable).parent / "act"), event, "--bind", "--rm", "--actor", "ada", "--pull=false"),
                *(
                    "--action-offline-mode",
                    "-W",
                    f".github/workflows/{name}",
                    "-e",
                    str(stage.directory / "event.json"),
                ),
                *(
                    "-P",
                    "ubuntu-24.04=python:3.13-slim",
                    "-s",
                    f"ANTHROPIC_API_KEY={KEY}",
                    "-s",
                    f"GITHUB_TOKEN={TOKEN}",
                ),
                *(
                    "--env",
                    f"GITHUB_API_URL={stage.github.api_url}",
                    "--env",
                    f"GITHUB_SERVER_URL={stage.github.git.url}",
                ),
                *("--local-repository", f"autofix/autofix@v1={tree}"),
            ],
            cwd=repository,
            capture_output=True,
            text=True,
            check=False,
            timeout=380,
        )
    return done.stdout + done.stderr


@pytest.fixture
def project(stage: Stage) -> Stage:
    stage.pull(base={".github/autofix.toml": 'flaky.reruns = 1\nsandbox.setup-files = ["README.md"]\n'})
    return stage


def test_the_same_repository_example_pushes_a_fix(project, tree):
    log = play(project, tree, "same-repository.yml", "workflow_run", project.failure())
    assert "ENDED fixed push" in log, log[-4000:]
    assert "return a + b" in project.show("feature:shop/sums.py")
    assert KEY not in log


def test_the_forks_example_suggests_on_a_writers_word(project, tree):
    log = play(project, tree, "forks.yml", "issue_comment", events.issue_comment("/autofix run"))
    assert "ENDED fixed suggest" in log, log[-4000:]
    assert project.at() == project.head


def test_the_failing_job_example_fixes_what_failed_before_it(project, tree):
    payload = events.pull_request(action="synchronize")
    payload["pull_request"]["head"]["sha"] = project.head
    payload["pull_request"]["base"]["repo"]["id"] = payload["pull_request"]["head"]["repo"]["id"] = project.repo.id
    log = play(project, tree, "failing-job.yml", "pull_request", payload)
    assert "ENDED fixed push" in log, log[-4000:]


def test_the_two_jobs_example_fixes_in_one_and_delivers_in_the_other(project, tree):
    log = play(project, tree, "two-jobs.yml", "workflow_run", project.failure())
    assert "ENDED fixed push" in log, log[-4000:]
    assert "return a + b" in project.show("feature:shop/sums.py")
    assert "actions/" not in playable("two-jobs.yml", "http://127.0.0.1:1")
    assert project.pushes() == 1

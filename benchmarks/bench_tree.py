"""The bars of git and work trees: a second attempt's tree, the comparison after a Bash call, the scope of a large diff.

Each function sets its own stage in a temporary directory and returns its rows. Where the bar is a ratio, both sides run
in turns and the best of each counts, because what disturbs a run only ever makes it slower.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from autofix.harness.scope import scope_of
from autofix.intake.local import local_pull_request
from autofix.intake.pull_request import PullRequest
from autofix.world.disk_tree import DiskTree
from autofix.world.disk_trees import DiskTrees
from autofix.world.git_cli import GitCli
from benchmarks.row import Row
from tests.fakes.repositories import Repository

_WORDS = [f"word{number}" for number in range(3000)]


def measure() -> list[Row]:
    return [*second_tree(), *comparison(10_000, 40), *comparison(50_000, 150), *scope_of_a_large_diff()]


def second_tree(files: int = 10_000, size: int = 20_000, rounds: int = 4) -> list[Row]:
    """Opening one more tree of 200 MB, `.git` included, beside `git worktree add` of the same commit.

    As in a run, the spare was made while the first tree was in use. Opening another commit of the same files shows what
    a tree costs that nothing was prepared for.
    """
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        repository = _repository(root / "work", files, size)
        door, trees, pull_request = _run(repository, root)
        other = repository.commit({}, "The same files")
        first = _seconds(lambda: trees.open(pull_request.head, "first"))
        trees.open(other, "other").drop()
        prepared, on_demand, theirs = [], [], []
        for _ in range(rounds):
            _wait_for_spare(root)
            os.sync()
            theirs.append(_seconds(lambda: repository.git("worktree", "add", "-q", "--detach", str(root / "added"))))
            repository.git("worktree", "remove", "--force", str(root / "added"))
            os.sync()
            on_demand.append(_open(trees, other))
            prepared.append(_open(trees, pull_request.head))
        trees.close()
        door.close()
    return [
        Row("a second attempt's work tree / git worktree add", min(prepared) / min(theirs), 0.5, "x"),
        Row("the same where none was made ahead", min(on_demand) / min(theirs), 0.5, "x"),
        Row("the first attempt's / git worktree add (no bar)", first / min(theirs), float("inf"), "x"),
    ]


def _wait_for_spare(root: Path) -> None:
    while not (root / "trees" / ".spare" / ".git" / "index").exists():
        time.sleep(0.1)
    time.sleep(0.1)


def _open(trees: DiskTrees, commit: str) -> float:
    start = time.perf_counter()
    tree = trees.open(commit, "second")
    taken = time.perf_counter() - start
    tree.drop()
    return taken


def comparison(files: int, bar: float) -> list[Row]:
    """Comparing an unchanged tree, and one with ten changed files."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        repository = _repository(root / "work", files, 200)
        door, trees, pull_request = _run(repository, root)
        tree = trees.open(pull_request.head, "one")
        _wait_for_spare(root)  # else its thread is measured too
        assert not tree.compare()
        unchanged = _best(tree)
        names = [name for name, _ in tree.walk()][:: files // 10][:10]
        for name in names:
            (tree.path / name).write_text("changed\n")
        assert len(tree.compare().modified) == len(names)
        changed = _best(tree)
        trees.close()
        door.close()
    return [
        Row(f"tree comparison, {files} files", unchanged * 1000, bar, "ms"),
        Row(f"tree comparison, {files} files, ten changed", changed * 1000, bar, "ms"),
    ]


def scope_of_a_large_diff(files: int = 1000, size: int = 59_000) -> list[Row]:
    """Reading the scope of a pull request whose diff has 59 MB, in a process of its own."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        repository = _repository(root / "work", files, size // 2)
        repository.branch("large")
        for number, path in enumerate(sorted((repository.path).glob("pkg*/mod*/*.py"))):
            path.write_text(_text(size // 2, number + 1_000_000))
        repository.commit_all("Everything")
        script = f"import benchmarks.bench_tree as b; b._print_scope({str(repository.path)!r}, {str(root / 'x.git')!r})"
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    milliseconds, megabytes, found = done.stdout.split()
    assert int(found) == files
    return [
        Row("scope of a 59 MB diff, 1,000 files", float(milliseconds), 50, "ms"),
        Row("scope of a 59 MB diff, peak memory", float(megabytes), 150, "MB"),
    ]


def _print_scope(repository: str, directory: str) -> None:
    door = GitCli(Path(repository), Path(directory))
    base, head = door.resolve("main"), door.resolve("large")
    times = []
    for _ in range(5):
        start = time.perf_counter()
        changes = door.changes(base, head)
        scope = scope_of(PullRequest(base, head, base, "main", "large", changes))
        times.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    door.close()
    print(min(times) * 1000, peak / 1024, len(scope.paths))


def _repository(path: Path, files: int, size: int) -> Repository:
    repository = Repository.create(path)
    for number in range(files):
        file = path / f"pkg{number % 100}" / f"mod{number % 7}" / f"file{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_text(size, number))
    repository.commit_all("Everything")
    repository.git("repack", "-a", "-d", "-q")
    return repository


def _text(size: int, seed: int) -> str:
    chosen = random.Random(seed).choices(_WORDS, k=size // 8 + 1)
    lines = [" ".join(chosen[at : at + 8]) for at in range(0, len(chosen), 8)]
    return ("\n".join(lines))[:size] + "\n"


def _run(repository: Repository, root: Path) -> tuple[GitCli, DiskTrees, PullRequest]:
    door = GitCli(repository.path, root / "repo.git")
    pull_request = local_pull_request(door, "HEAD", "HEAD")
    return door, DiskTrees(door, root / "trees", pull_request), pull_request


def _best(tree: DiskTree, rounds: int = 7) -> float:
    return min(_seconds(tree.compare) for _ in range(rounds))


def _seconds(deed: Callable[[], object]) -> float:
    start = time.perf_counter()
    deed()
    return time.perf_counter() - start


if __name__ == "__main__":
    for row in measure():
        print(f"{row.name}: {row.measured:.2f} {row.unit} (bar {row.bar})")

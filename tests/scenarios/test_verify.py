"""`autofix verify` as people call it: the real program on real repositories, patches good and bad."""

import base64
import json
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.repositories import Repository, git
from tests.fakes.result_schema import assert_a_verdict
from tests.scenarios.scene import PATH, picture

WRONG = "def add(a, b):\n    return a - b\n\n\ndef double(n):\n    return n * 2\n"
RIGHT = WRONG.replace("a - b", "a + b")
TESTS = """from shop.sums import add, double


def test_add():
    assert add(2, 3) == 5


def test_add_more():
    assert add(20, 30) == 50
    assert add(0, 1) == 1


def test_double():
    assert double(4) == 8
"""
FILES = {"shop/__init__.py": "", "shop/sums.py": WRONG, "tests/test_sums.py": TESTS, "README.md": "# Shop\n"}
CHECK = "python -m pytest -q -p no:cacheprovider"


class Shop:
    """A repository whose `feature` fails two tests, and the program to judge patches of it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.repository = Repository.create(directory / "checkout")
        self.repository.commit({"shop/__init__.py": "", "README.md": "# Shop\n"}, "Open the shop")
        self.repository.branch("feature")
        self.repository.commit(FILES, "Add sums")
        (directory / "home").mkdir()

    def diff(self, files: dict[str, str | bytes | None]) -> bytes:
        """What a change of the checkout looks like as a patch; the checkout is put back."""
        self.repository.write(files)
        self.repository.git("add", "-A")
        try:
            return git(self.repository.path, "diff", "--cached", "--binary", "HEAD")
        finally:
            self.repository.git("reset", "-q", "--hard")

    def verify(self, patch: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
        check = [] if any(option.startswith("--check=") for option in options) else [f"--check={CHECK}"]
        usual = [f"--repo={self.repository.path}", *check, "--sandbox=host", "--patch=-"]
        return subprocess.run(
            [sys.executable, "-P", "-m", "autofix", "verify", *usual, *options],
            input=patch,
            cwd=self.directory,
            env={"PATH": PATH, "HOME": str(self.directory / "home"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            timeout=60,
            check=False,
        )

    def judged(self, patch: bytes, *options: str) -> dict[str, Any]:
        done = self.verify(patch, "--json", *options)
        assert done.returncode in {0, 10}, done.stderr.decode()
        result = json.loads(done.stdout)
        assert_a_verdict(result)
        assert (done.returncode == 0) is (result["verdict"] == "verified")
        return result


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def cases(keys: list[dict[str, str]]) -> list[str]:
    return [key["case"].rpartition("::")[2] for key in keys]


def test_an_honest_patch_is_verified_and_nothing_of_the_repository_is_touched(shop: Shop):
    patch = shop.diff({"shop/sums.py": RIGHT})
    shop.repository.git("prune", "--expire=now")
    (shop.repository.path / "notes.txt").write_text("not committed\n")
    before = picture(shop.repository.path)

    result = shop.judged(patch, "--base=main")

    assert result["verdict"] == "verified"
    assert cases(result["failing_before"]) == cases(result["fixed"]) == ["test_add", "test_add_more"]
    assert result["failing_after"] == result["findings"] == []
    assert result["files"] == ["shop/sums.py"]
    assert picture(shop.repository.path) == before
    assert list((shop.directory / "home" / ".local" / "state" / "autofix" / "runs").iterdir()) == []


def test_every_other_verdict_has_its_word_and_exit_code_ten(shop: Shop):
    half = WRONG.replace("return a - b", "return a + b if a == 2 else a + b + 1")
    expected = {
        "still_failing": shop.diff({"shop/sums.py": half}),
        "newly_failing": shop.diff({"shop/sums.py": RIGHT.replace("n * 2", "n * 3")}),
        "needs_approval": shop.diff(
            {"shop/sums.py": RIGHT, "tests/test_sums.py": TESTS + "    assert double(0) == 0\n"}
        ),
        "tampering": shop.diff({"tests/test_sums.py": "import pytest\npytest.skip(allow_module_level=True)\n" + TESTS}),
        "invalid_patch": b"--- a/nothing.py\n+++ b/nothing.py\n@@ -1 +1 @@\n-a\n+b\n",
    }

    assert {shop.judged(patch)["verdict"]: patch for patch in expected.values()} == expected


def test_a_finding_names_its_rule_and_line(shop: Shop):
    weaker = TESTS.replace("    assert add(2, 3) == 5\n", "    add(2, 3)\n")

    result = shop.judged(shop.diff({"shop/sums.py": RIGHT, "tests/test_sums.py": weaker}))

    assert result["verdict"] == "tampering"
    found = {(finding["rule"], finding["path"]): finding for finding in result["findings"]}
    finding = found["assertions-removed", "tests/test_sums.py"]
    assert (finding["line"], finding["severity"]) == (4, "tampering")


def test_approved_test_edits_are_still_held_against_the_heads_own_tests(shop: Shop):
    other = TESTS.replace("double(4) == 8", "double(4) == 12")
    patch = shop.diff({"shop/sums.py": RIGHT.replace("n * 2", "n * 3"), "tests/test_sums.py": other})

    result = shop.judged(patch, "--tests-edit=allow")

    assert cases(result["failing_after"]) == ["test_double"]
    assert result["failing_after_with_patched_tests"] == []
    assert cases(result["disagreeing"]) == ["test_double"]
    assert "the head commit's own tests do not pass with this patch: tests/test_sums.py::test_double" in result["notes"]


def test_what_fails_at_the_base_too_is_set_apart_only_where_a_base_is_named(tmp_path: Path):
    shop = Shop(tmp_path)
    shop.repository.branch("later")
    shop.repository.commit({"shop/prices.py": "PRICE = 0\n", "tests/test_prices.py": PRICE_TEST}, "Add prices")
    patch = shop.diff({"shop/prices.py": "PRICE = 1\n"})

    against = shop.judged(patch, "--base=feature")
    alone = shop.judged(patch)

    assert (against["verdict"], cases(against["preexisting"])) == ("verified", ["test_add", "test_add_more"])
    assert (alone["verdict"], cases(alone["still_failing"])) == ("still_failing", ["test_add", "test_add_more"])
    assert any("--base" in note for note in alone["notes"])


PRICE_TEST = "from shop.prices import PRICE\n\n\ndef test_price():\n    assert PRICE == 1\n"


def test_a_patch_to_a_branch_where_nothing_fails_is_verified_when_nothing_breaks(shop: Shop):
    shop.repository.commit({"shop/sums.py": RIGHT}, "Mend it")

    result = shop.judged(shop.diff({"README.md": "# The shop\n"}))

    assert (result["verdict"], result["failing_before"]) == ("verified", [])


def test_a_check_that_cannot_run_says_nothing_of_the_patch(shop: Shop):
    result = shop.judged(shop.diff({"shop/sums.py": RIGHT}), "--check=no-such-program", "--base=main")

    assert result["verdict"] == "not_run"
    assert "command not found" in result["reason"]


class ShakyShop(Shop):
    """The shop with a test that reads its outcomes, one a run, from a file outside every checkout; P passes."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        turns = directory / "turns"
        self.repository.git("checkout", "-q", "main")
        self.repository.commit(
            {".github/autofix.toml": f'[sandbox.environment]\nTURNS = "{turns}"\n[flaky]\nreruns = 2\n'}, "Configure"
        )
        self.repository.git("checkout", "-q", "feature")
        self.repository.git("rebase", "-q", "main")
        self.repository.commit({"tests/test_shaky.py": SHAKY_TEST}, "A shaky test")

    def judged_with(self, turns: str, patch: bytes) -> dict[str, Any]:
        (self.directory / "turns").write_text(turns)
        result = self.judged(patch, "--base=main")
        self.left = (self.directory / "turns").read_text()
        return result


SHAKY_TEST = """import os
from pathlib import Path


def test_shaky():
    turns = Path(os.environ["TURNS"])
    left = turns.read_text()
    turns.write_text(left[1:])
    assert left[:1] == "P", "not this time"
"""


@pytest.fixture
def shaky_shop(tmp_path: Path) -> ShakyShop:
    return ShakyShop(tmp_path)


def test_a_flaky_test_that_fails_for_the_first_time_with_an_honest_patch_is_not_held_against_it(shaky_shop: ShakyShop):
    """It fails with the patch, then passes in the same tree, and fails at the head, too."""
    result = shaky_shop.judged_with("PPP" + "F" + "PP" + "F", shaky_shop.diff({"shop/sums.py": RIGHT}))

    assert (result["verdict"], result["newly_failing"]) == ("verified", [])
    assert cases(result["flaky"]) == ["test_shaky"]
    assert any("test_shaky is flaky" in note for note in result["notes"])


def test_a_test_that_a_patch_made_flaky_is_newly_failing(shaky_shop: ShakyShop):
    """It fails with the patch, then passes in the same tree, and never fails at the head."""
    result = shaky_shop.judged_with("PPP" + "F" + "PP" + "PPP", shaky_shop.diff({"shop/sums.py": RIGHT}))

    assert (result["verdict"], cases(result["newly_failing"])) == ("newly_failing", ["test_shaky"])
    assert any("never failed in 3 runs without it" in note for note in result["notes"])
    assert shaky_shop.left == ""


def test_people_read_lines_in_which_nothing_acts_on_their_terminal(shop: Shop):
    shop.repository.commit({"tests/test_noise.py": NOISE}, "Noise")

    done = shop.verify(shop.diff({"shop/sums.py": RIGHT}))

    text = done.stdout.decode()
    assert done.returncode == 10
    assert text.startswith("still_failing: ")
    assert "\n::" not in text
    assert not any(character < " " and character != "\n" for character in text)


NOISE = 'import pytest\n\n\n@pytest.mark.parametrize("p", ["x"])\ndef test_n(p):\n    assert 0, "\\x1b[2J::error::hi\\r::add-mask::a"\n'


def test_a_patch_file_is_found_from_where_the_caller_stands(shop: Shop):
    (shop.directory / "fix.diff").write_bytes(shop.diff({"shop/sums.py": RIGHT}))

    done = shop.verify(b"", "--patch=fix.diff")

    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.startswith(b"verified: ")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--patch=/no/such/file"], "--patch"),
        (["--repo=/no/such/place"], "--repo"),
        (["--head=nothing"], "--head"),
        (["--base=nothing"], "--base"),
        (["--tests-edit=maybe"], "tests-edit"),
    ],
)
def test_wrong_words_are_one_line_and_exit_code_two(shop: Shop, options: list[str], complaint: str):
    done = shop.verify(b"x", *options)

    assert done.returncode == 2
    assert complaint in done.stderr.decode()
    assert done.stderr.decode().count("\n") == 1
    assert done.stdout == b""


def link() -> bytes:
    return b"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n"


def submodule() -> bytes:
    return (
        b"diff --git a/sub b/sub\nnew file mode 160000\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n"
        b"+Subproject commit " + b"1" * 40 + b"\n"
    )


def new_file(path: str, mode: str = "100644") -> bytes:
    name = path.encode()
    return b"diff --git a/%s b/%s\nnew file mode %s\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+x = 1\n" % (
        name,
        name,
        mode.encode(),
        name,
    )


def bomb(kind: str) -> bytes:
    """A binary file of 100 MB and more in a few lines."""
    content = zlib.compress(bytes([0x80, 0x80, 0x80, 0x80, 0x08] * 2) if kind == "delta" else b"x")
    line = chr(ord("A") + len(content) - 1).encode() + base64.b85encode(content)
    size = 10 if kind == "delta" else 2**31
    return (
        b"diff --git a/b b/b\nnew file mode 100644\nindex %s..%s\nGIT binary patch\n%s %d\n%s\n\nliteral 0\nHcmV?d00001\n\n"
        % (
            b"0" * 40,
            b"1" * 40,
            kind.encode(),
            size,
            line,
        )
    )


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (b"", "empty"),
        (b"hello\n", "does not apply"),
        (b"\xff\x00" * 1000, "does not apply"),
        (link(), "symbolic link"),
        (submodule(), "submodule"),
        (new_file("run.sh", "100755"), "executable"),
        (b"diff --git a/README.md b/README.md\nold mode 100644\nnew mode 100755\n", "executable"),
        (new_file("../outside.py"), "does not apply"),
        (new_file("/etc/cron.d/x"), "does not apply"),
        (new_file(".git/hooks/pre-commit"), "does not apply"),
        (new_file("a/.GIT/config"), "'a/.GIT/config'"),
        (new_file("git~1/config"), "'git~1/config'"),
        (new_file("README.md"), "does not apply"),
        (bomb("literal"), "binary file"),
        (bomb("delta"), "binary file"),
        (b"+x = 1\n", "does not apply"),
        (new_file("a.py").replace(b"x = 1", "x = '\u202e'".encode()), "U+202E"),
    ],
)
def test_a_patch_that_cannot_be_judged_says_why_and_runs_nothing(shop: Shop, patch: bytes, why: str):
    result = shop.judged(patch, "--check=touch ran-anyway")

    assert result["verdict"] == "invalid_patch"
    assert why in result["reason"]
    assert result["failing_before"] is None


def test_renames_deletions_and_binary_files_are_judged_as_they_are(shop: Shop):
    patch = shop.diff({"shop/sums.py": RIGHT, "README.md": None, "ABOUT.md": "# Shop\n", "logo.bin": b"\0\1\2" * 50})

    result = shop.judged(patch)

    assert result["files"] == ["ABOUT.md", "README.md", "logo.bin", "shop/sums.py"]
    assert result["verdict"] == "verified"


def test_a_repository_with_hooks_and_filters_runs_none_of_them(shop: Shop):
    mark = shop.directory / "ran"
    for name in ("post-checkout", "pre-applypatch", "post-index-change", "applypatch-msg"):
        hook = shop.repository.path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
    shop.repository.git("config", "filter.evil.clean", f"touch {mark}; cat")
    shop.repository.git("config", "filter.evil.smudge", f"touch {mark}; cat")
    shop.repository.commit({".gitattributes": "*.py filter=evil\n"}, "Attributes")
    patch = shop.diff({"shop/sums.py": RIGHT})
    mark.unlink(missing_ok=True)

    result = shop.judged(patch)

    assert result["verdict"] == "verified"
    assert not mark.exists()

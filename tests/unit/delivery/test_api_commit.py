"""What a commit through the API would lose is found before it is made."""

import pytest

from autofix.delivery.api_commit import unfit_for_api
from autofix.ports.github import FileWrite

MODES = {"a.py": "100644", "run.sh": "100755", "link": "120000", "sub": "160000"}


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (FileWrite("run.sh", b"echo\n"), "run.sh is executable"),
        (FileWrite("link", b"target"), "link is a symbolic link"),
        (FileWrite("sub", b"x"), "sub is a submodule"),
        (FileWrite("sub/a.py", b"x"), "lies in a submodule"),
        (FileWrite("big.py", b"x" * (40 * 1024 * 1024 + 1)), "larger than"),
    ],
)
def test_a_file_the_api_would_change_beyond_its_content_is_unfit(file, why):
    assert why in unfit_for_api([FileWrite("a.py", b"x"), file], MODES)


@pytest.mark.parametrize(
    "files",
    [
        [FileWrite("a.py", b"x")],
        [FileWrite("new.py", b"x")],
        [FileWrite("a.py", None)],
        [FileWrite("run.sh", None)],
        [FileWrite("subway/a.py", b"x")],
        [],
    ],
)
def test_plain_files_new_ones_and_deletions_fit(files):
    assert unfit_for_api(files, MODES) == ""

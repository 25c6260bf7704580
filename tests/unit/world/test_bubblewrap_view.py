"""On small trees of folders: what a command would see of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from autofix.world.bubblewrap_view import SYSTEM, view


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    (tmp_path / "home" / "ann").mkdir(parents=True)
    return tmp_path


def seen(machine: Path, *entries: str, hidden: tuple[str, ...] = ()) -> tuple[set[str], set[str], set[str]]:
    """Shown, hidden and shown-again places, as paths of the small machine."""
    for entry in entries:
        (machine / entry).mkdir(parents=True, exist_ok=True)
    path = ":".join(str(machine / entry) for entry in entries)
    found = view(path, machine / "home" / "ann", [machine / name for name in hidden])

    def own(places: tuple[Path, ...]) -> set[str]:
        return {str(place.relative_to(machine)) for place in places if place.is_relative_to(machine)}

    return own(found.shown), own(found.hidden), own(found.shown_again)


def python(machine: Path, prefix: str) -> None:
    (machine / prefix / "bin").mkdir(parents=True)
    (machine / prefix / "lib" / "python3.13").mkdir(parents=True)
    (machine / prefix / "lib" / "python3.13" / "os.py").touch()
    (machine / prefix / "bin" / "python3.13").touch()


def virtual_environment(machine: Path, prefix: str, base: Path) -> None:
    (machine / prefix / "bin").mkdir(parents=True)
    (machine / prefix / "pyvenv.cfg").write_text(f"home = {base}/bin\nversion = 3.13.1\n")


def test_the_system_is_shown_and_no_home_is(machine: Path):
    found = view("/usr/bin:/bin", Path.home(), [])
    assert {str(place) for place in found.shown} <= set(SYSTEM)
    assert (found.hidden, found.shown_again) == ((), ())


@pytest.mark.parametrize("entry", ["home/ann/bin", "home/ann/.local/bin", "home/ann/.cargo/bin", "home/ann/.config/x"])
def test_programs_kept_loose_in_a_home_are_shown_without_their_neighbours(machine: Path, entry: str):
    (machine / entry).parent.joinpath("lib").mkdir(parents=True)
    assert seen(machine, entry)[0] == {entry}


@pytest.mark.parametrize(
    ("entry", "shown"),
    [
        ("home/ann/.pyenv/shims", "home/ann/.pyenv"),
        ("home/ann/.nvm/versions/node/v22/bin", "home/ann/.nvm"),
        ("opt/toolcache/python/3.13/x64/bin", "opt/toolcache/python/3.13/x64"),
        ("home/ann/project/node_modules/.bin", "home/ann/project/node_modules"),
    ],
)
def test_an_installation_is_shown_whole(machine: Path, entry: str, shown: str):
    (machine / entry).parent.joinpath("lib").mkdir(parents=True)
    assert seen(machine, entry)[0] == {shown}


@pytest.mark.parametrize("entry", ["data/app/tools", "data/app/bin"])
def test_a_folder_that_is_no_installation_is_shown_alone(machine: Path, entry: str):
    assert seen(machine, entry)[0] == {entry}


def test_a_home_itself_on_path_shows_nothing(machine: Path):
    assert seen(machine, "home/ann")[0] == set()


@pytest.mark.parametrize("entry", ["", "relative/bin", "missing"])
def test_an_entry_that_is_no_absolute_directory_is_passed_over(machine: Path, entry: str):
    found = view(entry, machine / "home" / "ann", [])
    assert {str(place) for place in found.shown} <= set(SYSTEM)


def test_an_installation_that_holds_something_hidden_is_shown_without_it(machine: Path):
    (machine / "srv/tool/lib").mkdir(parents=True)
    (machine / "srv/tool/state").mkdir()
    shown, _, _ = seen(machine, "srv/tool/bin", hidden=("srv/tool/state",))
    assert shown == {"srv/tool/bin"}


def test_what_is_hidden_below_a_tool_home_is_covered(machine: Path):
    (machine / "home/ann/.pyenv/plugins/mine").mkdir(parents=True)
    shown, _, _ = seen(machine, "home/ann/.pyenv/shims", hidden=("home/ann/.pyenv/plugins/mine",))
    assert "home/ann/.pyenv" not in shown


def test_a_virtual_environment_in_a_hidden_repository_is_shown_again_and_its_interpreter_shown(machine: Path):
    python(machine, "home/ann/pythons/3.13")
    virtual_environment(machine, "home/ann/project/.venv", machine / "home/ann/pythons/3.13")
    shown, hidden, again = seen(machine, "home/ann/project/.venv/bin", hidden=("home/ann/project",))
    assert shown == {"home/ann/pythons/3.13"}
    assert hidden == set()  # nothing else would show it
    assert again == {"home/ann/project/.venv"}


@pytest.mark.parametrize("target", ["home/ann/.ssh", "home/ann", "secrets"])
def test_a_planted_virtual_environment_cannot_have_a_secret_place_shown(machine: Path, target: str):
    (machine / target / "bin").mkdir(parents=True, exist_ok=True)
    virtual_environment(machine, "home/ann/project/.venv", machine / target)
    shown, _, again = seen(machine, "home/ann/project/.venv/bin", hidden=("home/ann/project",))
    assert shown == set()
    assert again == {"home/ann/project/.venv"}


@pytest.mark.parametrize("text", ["", "home", "[", "home = relative/bin", "home = \0/bin", "home = %(x)s/bin"])
def test_a_damaged_pyvenv_file_adds_nothing(machine: Path, text: str):
    (machine / "v/e/bin").mkdir(parents=True)
    (machine / "v/e/pyvenv.cfg").write_text(text)
    assert seen(machine, "v/e/bin")[0] == {"v/e"}

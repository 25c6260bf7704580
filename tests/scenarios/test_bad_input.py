"""What bad input gets: one line that says what is wrong and what to do, exit 2, and nothing left behind."""

import pytest

from tests.scenarios.scene import Scene

BAD_FILES = [
    ({"limits.turn": 3}, "unknown key 'limits.turn'; did you mean 'turns'?"),
    ({"limits.turns": 0}, ".github/autofix.toml: limits.turns:"),
    ({"delivery": "force-push"}, ".github/autofix.toml: delivery:"),
    ({"gate.off": ["no-such-pattern"]}, "'no-such-pattern'"),
    ({"gate.deny": [{"id": "mine", "pattern": "(", "reason": "no"}]}, "deny"),
    ({"checks": [{"name": "unit"}]}, "checks.0.command:"),
    (
        {"checks": [{"name": "unit", "command": "true"}, {"name": "unit", "command": "false"}]},
        "two checks are called 'unit'",
    ),
]
BAD_WORDS = [
    (["--base=no-such-branch"], "--base"),
    (["--head=no-such-branch"], "--head"),
    (["--repo={home}"], "{home}"),
    (["--repo={home}/nowhere"], "is not a directory"),
    (["--model=claude-from-the-future"], "the price of model 'claude-from-the-future' is not known"),
    (["--budget-usd=much"], "limits.usd"),
    (["--max-turns=0"], "limits.turns"),
    (["--replay={home}/none.jsonl"], "--replay"),
    (["--replay=/etc/hostname"], "--replay /etc/hostname"),
    (["--remote=nowhere"], "--remote nowhere"),
    (["--no-such-option"], "--no-such-option"),
    (["--sandbox=chroot"], "--sandbox"),
]


def refused(scene: Scene, *options: str, server: object = "model", **more) -> str:
    """The one line; nobody was asked, nothing was spent, nothing is left."""
    model = scene.serve([]) if server == "model" else None
    ended = scene.command_line(model, *options, **more)
    assert ended.exit_code == 2, ended.stderr
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith("autofix: ")
    assert "Traceback" not in line
    left = [path for path in scene.state.rglob("*") if path.name not in {"runs", "comments"}]
    assert left == []
    assert [server.raw_bodies for server in scene.servers] in ([], [[]])
    return line


@pytest.mark.parametrize(("settings", "words"), BAD_FILES, ids=[words for _, words in BAD_FILES])
def test_a_configuration_with_one_wrong_key_is_refused_whole(scene: Scene, settings: dict, words: str):
    scene.configuration.update(settings)
    scene.branch()
    assert words in refused(scene)


def test_a_configuration_that_is_not_toml_is_refused(scene: Scene):
    scene.branch(base={".github/autofix.toml": "limits = [\n"})
    assert ".github/autofix.toml is not TOML" in refused(scene)


@pytest.mark.parametrize(("options", "words"), BAD_WORDS, ids=[options[0] for options, _ in BAD_WORDS])
def test_a_wrong_option_is_refused_by_its_name(scene: Scene, options: list[str], words: str):
    scene.branch()
    said = refused(scene, *(option.format(home=scene.home) for option in options))
    assert words.format(home=scene.home) in said


def test_without_a_key_the_line_says_how_to_give_one(scene: Scene):
    scene.branch()
    assert "ANTHROPIC_API_KEY is not set" in refused(scene, server=None)


def test_a_key_that_no_header_can_carry_is_refused_unshown(scene: Scene):
    scene.key = "sk-ant-pasted twice sk-ant"
    scene.branch()
    line = refused(scene)
    assert "ANTHROPIC_API_KEY" in line
    assert "pasted twice" not in line


def test_a_repository_without_a_recognised_check_is_asked_for_one(scene: Scene):
    scene.branch(
        wrong=(),
        base={"tests/test_prices.py": "x = 1\n"},
        head={"shop/sums.py": "x = 1\n", "tests/test_sums.py": "x = 2\n"},
    )
    scene.check = None
    assert "no check was recognised: name one with --check" in refused(scene)


def test_a_sandbox_that_is_not_here_is_refused_with_the_way_out(scene: Scene):
    scene.branch()
    scene.environment["DOCKER_HOST"] = f"unix://{scene.home}/no.sock"
    line = refused(scene, "--sandbox=docker")
    assert "no Docker engine answers" in line


def test_a_state_directory_that_cannot_be_made_is_refused(scene: Scene):
    scene.branch()
    (scene.home / "file").write_text("")
    assert "--state-dir" in refused(scene, f"--state-dir={scene.home}/file/state")


def test_rules_that_cannot_be_read_are_refused(scene: Scene):
    scene.branch(base={".claude/settings.json": '{"permissions": {"deny": ["Bash(rm"]}}'})
    assert ".claude/settings.json" in refused(scene)

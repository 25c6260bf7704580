import pytest

from autofix.cli.composing import proxy, secrets_of


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "https_proxy"])
def test_a_proxy_with_a_password_is_handed_over_under_either_spelling(name):
    assert proxy({name: "http://user:word@proxy:3128"}) == "http://user:word@proxy:3128"


def test_a_proxy_without_a_password_stays_in_the_environment():
    assert proxy({"HTTPS_PROXY": "http://proxy:3128"}) is None


def test_secrets_are_known_by_their_names():
    told = secrets_of({"ANTHROPIC_API_KEY": "a", "INPUT_TOKEN": "b", "PATH": "/bin", "EMPTY_SECRET": ""})
    assert set(told) == {"ANTHROPIC_API_KEY", "INPUT_TOKEN"}

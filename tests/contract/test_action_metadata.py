"""action.yml, the parser and the README say the same of every input and output."""

import re
from pathlib import Path

import pytest
import yaml

from autofix.cli.inputs import INPUTS, OUTPUTS

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


def table(heading: str) -> list[str]:
    """The names in the first column of the table under a heading."""
    section = README.partition(f"\n### {heading}\n")[2].partition("\n#")[0]
    return re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)


def test_action_yml_declares_the_inputs_the_parser_reads_with_its_defaults():
    declared = {name: str((said or {}).get("default", "")) for name, said in ACTION["inputs"].items()}
    assert declared == dict(INPUTS)


def test_action_yml_declares_the_outputs_that_are_written():
    assert list(ACTION["outputs"]) == list(OUTPUTS)


@pytest.mark.parametrize("kind", ["inputs", "outputs"])
def test_each_has_a_description_that_is_a_sentence(kind):
    for name, said in ACTION[kind].items():
        assert said["description"].rstrip().endswith("."), name


def test_the_readme_tells_every_input_and_output_in_the_same_order():
    assert table("Inputs") == list(INPUTS)
    assert table("Outputs") == list(OUTPUTS)


def test_the_action_is_a_container_with_its_brand():
    assert ACTION["runs"] == {"using": "docker", "image": "Dockerfile"}
    assert set(ACTION["branding"]) == {"icon", "color"}
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert 'ENTRYPOINT ["/opt/autofix/bin/python", "-P", "-m", "autofix", "action"]' in dockerfile

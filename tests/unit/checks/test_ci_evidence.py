"""What CI showed, as a value: kept and read back, without secrets, in a line."""

from dataclasses import replace

import pytest

from autofix.checks.ci_evidence import CiCase, CiEvidence, CiJob

JOB = CiJob("unit", ("Run pytest",), "https://github.com/a/b/actions/runs/1/job/2", "pytest", "E assert\udc80", "")
EVIDENCE = CiEvidence((JOB,), (CiCase("test_add", "1 == 2"),), left_out=2, more_cases=3, notes=("a note",))


def test_it_is_read_back_as_it_was_kept():
    assert CiEvidence.from_json(EVIDENCE.to_json()) == EVIDENCE


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"jobs": [{"name": 1}]}'])
def test_what_was_lost_or_damaged_is_as_if_nothing_was_shown(content):
    assert not CiEvidence.from_json(content)


def test_every_text_of_it_is_redacted():
    secret = "hunter22"
    job = CiJob(secret, (secret,), secret, secret, secret, secret)
    told = CiEvidence((job,), (CiCase(secret, secret),), 1, 1, (secret,)).redacted(
        lambda text: text.replace(secret, "-")
    )
    assert told == CiEvidence((CiJob("-", ("-",), "-", "-", "-", "-"),), (CiCase("-", "-"),), 1, 1, ("-",))


def test_its_line_names_three_jobs_and_counts_the_rest():
    jobs = tuple(replace(JOB, name=f"unit {number}") for number in range(4))
    line = replace(EVIDENCE, jobs=jobs).line
    assert line == "unit 0 (Run pytest), unit 1 (Run pytest), unit 2 (Run pytest) and 3 more"
    assert CiEvidence(notes=("nothing could be read",)).line == ""
